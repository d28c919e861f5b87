import type { RawFinding } from '../core/finding.ts';
import type { History, Tree } from '../core/tree.ts';
import type { GoLayout } from './go-layout.ts';
import type { HistoricCopy } from './history-copies.ts';
import type { Language } from './languages.ts';
import { type Origin, resolveFindings } from './resolve-findings.ts';
import type { Scanner, ToolFinding } from './scanner.ts';
import { type FileRecord, MAX_FILE_BYTES } from './snapshot.ts';
import { decodeSource } from './source-text.ts';

/** Everything that a job was sent. */
export interface JobFiles {
  readonly records: readonly FileRecord[];
  readonly history: readonly HistoricCopy[];
  readonly go?: GoLayout;
  readonly canaryFolder: string;
}

/** The file of the change that a job path is a copy of; undefined for other files of ours or of a Go package. */
export function recordOf(jobPath: string, files: JobFiles): { record: FileRecord; language?: Language } | undefined {
  const copy = /^(?:src|plain|blanked)\/([a-z]+)\/f(\d+)\.|^secrets\/src\/f(\d+)\./.exec(jobPath);
  const id = copy === null ? files.go?.origins.get(jobPath)?.id : Number(copy[2] ?? copy[3]);
  const record = id === undefined ? undefined : files.records[id];
  if (record === undefined) return undefined;
  const language = copy === null ? 'go' : (copy[1] as Language | undefined);
  return language === undefined ? { record } : { record, language };
}

/** Findings in real files, each file read once more. A secret of the history that still stands at the head counts there alone. */
export async function toRawFindings(
  findings: readonly ToolFinding[],
  scanner: Scanner,
  files: JobFiles,
  source: { readonly tree: Tree; readonly history: History | null },
): Promise<RawFinding[]> {
  const byPath = new Map<string, ToolFinding[]>();
  for (const finding of findings) {
    const group = byPath.get(finding.jobPath);
    if (group === undefined) byPath.set(finding.jobPath, [finding]);
    else group.push(finding);
  }
  const resolved: RawFinding[] = [];
  for (const [jobPath, group] of [...byPath].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const origin = await readOrigin(jobPath, files, source);
    if (origin !== undefined) resolved.push(...resolveFindings(group, origin, scanner));
  }
  return dropRepeated(resolved);
}

async function readOrigin(
  jobPath: string,
  files: JobFiles,
  { tree, history }: { readonly tree: Tree; readonly history: History | null },
): Promise<Origin | undefined> {
  const old = /^secrets\/history\/h(\d+)\./.exec(jobPath);
  if (old !== null) {
    const blob = files.history[Number(old[1])]?.blob;
    const read = blob === undefined ? undefined : await history?.read(blob, MAX_FILE_BYTES);
    if (blob === undefined || read?.status !== 'ok') return undefined;
    return { path: blob.path, text: decodeSource(read.bytes).text, commit: blob.commit };
  }
  const found = recordOf(jobPath, files);
  if (found === undefined) return undefined;
  const read = await tree.read(found.record, MAX_FILE_BYTES);
  if (read.status !== 'ok') return undefined;
  const linesOnly = found.record.views.some(view => view.language === found.language && view.extract === 'notebook');
  return { path: found.record.path, text: decodeSource(read.bytes, found.language).text, linesOnly };
}

function dropRepeated(findings: readonly RawFinding[]): RawFinding[] {
  const atHead = new Set(findings.filter(finding => finding.commit === undefined).map(secretKey));
  const seen = new Set<string>();
  return findings.filter(finding => {
    if (finding.commit !== undefined && atHead.has(secretKey(finding))) return false;
    const place =
      finding.commit === undefined
        ? `${finding.startLine}:${finding.startColumn}-${finding.endLine}:${finding.endColumn}`
        : 'history';
    const key = `${secretKey(finding)} ${place} ${finding.message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const secretKey = (finding: RawFinding): string => JSON.stringify([finding.ruleId, finding.path, finding.matchedText]);
