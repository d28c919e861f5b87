import { addedLines, type Change, type FileChange } from '../core/change.ts';
import type { RawFinding } from '../core/finding.ts';
import type { IdentifiedFinding } from './fingerprint.ts';
import { type LineOf, toIdentity, toIdentityKey } from './identity.ts';
import { type MergedFinding, mergeFindings } from './merge.ts';

export interface IntroducedFinding extends IdentifiedFinding {
  readonly introduced: boolean;
  /** True when a line of it was added or altered, with or without a twin in the merge base. */
  readonly onChangedLine: boolean;
}

/**
 * Marks what the change brings in: on a changed line and without a twin (same tool family, rule and text) in the merge
 * base's version of the file, or of the file it was moved from. Twins are used up one by one: two equal texts now and one
 * before is one introduced; those on untouched lines use them first. A secret that only the change's own commits hold
 * counts as on a changed line. Over a whole tree everything is introduced.
 *
 * `twins` are the raw findings of a scan of merge-base versions, under their paths there, for at least the files that
 * planTwinScan names; `baseLineOf` gives lines of these versions.
 */
export function markIntroduced(
  findings: readonly IdentifiedFinding[],
  change: Change,
  twins: readonly RawFinding[] = [],
  lines: { readonly lineOf?: LineOf; readonly baseLineOf?: LineOf } = {},
): IntroducedFinding[] {
  if (change.wholeTree) return findings.map(finding => ({ ...finding, introduced: true, onChangedLine: true }));
  const changed = changedLinesOf(change);
  const pool = createTwinPool(twins, change, lines.baseLineOf);
  const touched = new Map(findings.map(finding => [finding, isOnChangedLine(finding, changed)]));
  const introduced = new Set<IdentifiedFinding>();
  const inOrder = [...findings].sort(
    (a, b) =>
      Number(touched.get(a)) - Number(touched.get(b)) ||
      a.primary.startLine - b.primary.startLine ||
      (a.primary.startColumn ?? 0) - (b.primary.startColumn ?? 0),
  );
  for (const finding of inOrder) {
    const hadTwin = pool.take(keysOf(finding, lines.lineOf));
    if (touched.get(finding) && !hadTwin) introduced.add(finding);
  }
  return findings.map(finding => ({
    ...finding,
    introduced: introduced.has(finding),
    onChangedLine: touched.get(finding) ?? false,
  }));
}

/** Numbers of a file's added or altered lines; `all` where git does not tell them. */
export type ChangedLines = ReadonlySet<number> | 'all';

/** By path at the head. */
export function changedLinesOf(change: Change): ReadonlyMap<string, ChangedLines> {
  return new Map(change.files.map(file => [file.path, isUntold(file) ? 'all' : addedLines(file)]));
}

/** One NUL byte makes git take a file for binary and show no lines of it, while interpreters run it and scanners read it. */
function isUntold({ kind, status, hunks, oldBlob, newBlob }: FileChange): boolean {
  if (kind !== 'binary' || hunks.length > 0 || status === 'deleted') return false;
  const isMovedAlone = oldBlob === newBlob && !/^0+$/.test(newBlob);
  return status === 'added' || status === 'copied' || !isMovedAlone;
}

export function isOnChangedLine(
  { primary, path, span }: MergedFinding,
  changed: ReadonlyMap<string, ChangedLines>,
): boolean {
  if (primary.commit !== undefined) return true;
  if (primary.anchor === 'none') return false;
  const lines = changed.get(path);
  if (lines === 'all') return true;
  if (lines === undefined || lines.size === 0) return false;
  if (span.end - span.start > lines.size) return [...lines].some(line => line >= span.start && line <= span.end);
  for (let line = span.start; line <= span.end; line++) if (lines.has(line)) return true;
  return false;
}

/** Path that the file had at the merge base; undefined where it did not exist. A copy is no move. */
export function basePathOf(file: FileChange): string | undefined {
  if (file.status === 'added' || file.status === 'copied') return undefined;
  return file.status === 'renamed' ? (file.previousPath ?? file.path) : file.path;
}

/** Identities of a merged finding's members. */
export const keysOf = (finding: MergedFinding, lineOf: LineOf | undefined): ReadonlySet<string> =>
  new Set(finding.members.map(member => toIdentityKey(toIdentity(member, lineOf))));

/** Twins by identity, written under the path at the head; each can be taken once. */
function createTwinPool(twins: readonly RawFinding[], change: Change, baseLineOf: LineOf | undefined) {
  const headPaths = new Map<string, string[]>();
  for (const file of change.files) {
    const base = basePathOf(file);
    if (base !== undefined) headPaths.set(base, [...(headPaths.get(base) ?? []), file.path]);
  }
  const waiting = new Map<string, Set<MergedFinding>>();
  for (const twin of mergeFindings(twins)) {
    for (const member of twin.members) {
      const identity = toIdentity(member, baseLineOf);
      for (const path of headPaths.get(identity.path) ?? []) {
        const key = toIdentityKey({ ...identity, path });
        const twinsOfKey = waiting.get(key) ?? new Set();
        waiting.set(key, twinsOfKey.add(twin));
      }
    }
  }
  const taken = new Set<MergedFinding>();
  return {
    take(keys: ReadonlySet<string>): boolean {
      for (const key of keys) {
        for (const twin of waiting.get(key) ?? []) {
          waiting.get(key)?.delete(twin);
          if (taken.has(twin)) continue;
          taken.add(twin);
          return true;
        }
      }
      return false;
    },
  };
}
