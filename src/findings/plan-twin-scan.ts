import { isUtf8 } from 'node:buffer';
import type { Change } from '../core/change.ts';
import type { ReadResult } from '../core/tree.ts';
import { type LineOf, normaliseText, toIdentity } from './identity.ts';
import { basePathOf, changedLinesOf, isOnChangedLine } from './introduced.ts';
import type { MergedFinding } from './merge.ts';

export interface TwinScanFile {
  /** Path at the merge base; what is scanned. */
  readonly basePath: string;
  readonly path: string;
}

export interface TwinScanPlan {
  /** Merge-base versions that must be scanned before findings count as introduced; usually none. */
  readonly files: readonly TwinScanFile[];
  /** Files whose merge-base version could not be read, with the reason; their findings count as introduced. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

/** Reads a file of the merge base by its path there. */
export type ReadBase = (basePath: string) => Promise<ReadResult>;

/**
 * Names the files that need a second scan, of their merge-base version: those with a finding on a changed line whose text
 * stood in that version too. Without its text there can be no twin, so that most reviews need no second container.
 */
export async function planTwinScan(
  findings: readonly MergedFinding[],
  change: Change,
  readBase: ReadBase,
  lineOf?: LineOf,
): Promise<TwinScanPlan> {
  const files: TwinScanFile[] = [];
  const unreadable: { path: string; reason: string }[] = [];
  if (change.wholeTree) return { files, unreadable };
  const textsByPath = textsOnChangedLines(findings, change, lineOf);
  for (const file of change.files) {
    const texts = textsByPath.get(file.path);
    const basePath = basePathOf(file);
    if (texts === undefined || basePath === undefined) continue;
    const read = await readBase(basePath);
    if (read.status === 'ok') {
      if (mayHoldAny(read.bytes, texts)) files.push({ basePath, path: file.path });
    } else if (read.status !== 'missing') unreadable.push({ path: file.path, reason: read.reason });
  }
  return { files, unreadable };
}

function textsOnChangedLines(findings: readonly MergedFinding[], change: Change, lineOf: LineOf | undefined) {
  const changed = changedLinesOf(change);
  const texts = new Map<string, Set<string>>();
  for (const finding of findings) {
    if (!isOnChangedLine(finding, changed)) continue;
    const inFile = texts.get(finding.path) ?? new Set<string>();
    for (const member of finding.members) inFile.add(toIdentity(member, lineOf).text);
    texts.set(finding.path, inFile);
  }
  return texts;
}

/** Text in another encoding than UTF-8 is compared by the scanners, which know how to read it. */
function mayHoldAny(bytes: Buffer, texts: ReadonlySet<string>): boolean {
  if (!isUtf8(bytes) || bytes.includes(0)) return true;
  const base = normaliseText(bytes.toString('utf8'));
  return [...texts].some(text => base.includes(text));
}
