import type { Change, ChangeStatus, FileChange } from '../core/change.ts';
import { REVIEWER_NAMES } from '../core/open-finding.ts';
import type { Report } from '../core/report.ts';
import { compareRuns, type Examined } from '../findings/compare.ts';
import type { OwnThread } from './own-threads.ts';

/**
 * Tells for an open thread whose finding is not in the report whether it is gone: every scanner that had reported it read
 * the file again, or the file left the change, and what a reviewer had reported is gone by the report's own word (the
 * quoted text stands no longer, or its reviewer calls it mended). A renamed file counts as read under its new name.
 */
export function createGoneCheck(report: Report): (own: OwnThread) => boolean {
  const change = toChange(report);
  const examined = toExamined(report);
  const resolved = new Set(report.resolved?.map(one => one.fingerprint));
  const moved = new Map(
    report.ledger.files.flatMap(f => (f.previousPath === undefined ? [] : [[f.previousPath, f.path]])),
  );
  return own => {
    const path = moved.get(own.thread.path) ?? own.thread.path;
    if (own.reviewed !== null && !resolved.has(own.fingerprint)) return false;
    return toolsToAsk(own).every(tool => {
      const previous = {
        fingerprint: own.fingerprint,
        severity: 'info',
        introduced: true,
        placement: 'inline',
        path,
      } as const;
      const known = tool === undefined ? previous : { ...previous, tool };
      return compareRuns([known], [], change, examined).gone.length > 0;
    });
  };
}

/** Whose look decides. A reviewer beside a scanner has no say, and where its own mark is there the mark has decided. */
function toolsToAsk({ tools, reviewed }: OwnThread): (string | undefined)[] {
  const scanners = tools.filter(tool => !(REVIEWER_NAMES as readonly string[]).includes(tool));
  if (scanners.length > 0 || reviewed !== null) return scanners;
  return tools.length > 0 ? [...tools] : [undefined];
}

/** What each tool read to its end; a file that it could not parse does not count. */
function toExamined(report: Report): Examined {
  const byTool = new Map<string, Set<string>>();
  for (const file of report.ledger.files) {
    for (const tool of file.examinedBy) {
      if (file.partial?.some(p => p.tool === tool)) continue;
      byTool.set(tool, (byTool.get(tool) ?? new Set()).add(file.path));
    }
  }
  const hasFailed = report.scanners.some(s => s.status === 'failed' || s.status === 'timed-out');
  return { byTool, complete: report.ledger.complete && !hasFailed };
}

/** The change as far as the ledger knows it: paths and what happened to them. */
function toChange(report: Report): Change {
  return { wholeTree: report.subject.all === true, files: report.ledger.files.map(toFileChange) };
}

const STATUSES: readonly ChangeStatus[] = ['added', 'modified', 'deleted', 'renamed', 'copied', 'type-changed'];

function toFileChange({ path, previousPath, status }: Report['ledger']['files'][number]): FileChange {
  return {
    path,
    ...(previousPath === undefined ? {} : { previousPath }),
    // A rename is followed before the comparison, so that what counts is whether the new name was read.
    status: STATUSES.find(s => s === status && s !== 'renamed') ?? 'modified',
    kind: 'text',
    oldMode: '100644',
    newMode: '100644',
    oldBlob: '',
    newBlob: '',
    additions: 0,
    deletions: 0,
    hunks: [],
  };
}
