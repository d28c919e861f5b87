import type { Change } from '../core/change.ts';
import type { Placement, Severity } from '../core/finding.ts';
import type { IdentifiedFinding } from './fingerprint.ts';
import { basePathOf } from './introduced.ts';

/** What an earlier run left behind: its state marker and, for inline comments, the thread. */
export interface PreviousFinding {
  readonly fingerprint: string;
  readonly severity: Severity;
  readonly introduced: boolean;
  readonly placement: Placement;
  /** Not known for a finding that stood in the body alone. */
  readonly path?: string;
  readonly tool?: string;
}

export interface Examined {
  /** Tool → paths that it read in this run. */
  readonly byTool: ReadonlyMap<string, ReadonlySet<string>>;
  /** The ledger's word: every required scanner ran and every file was seen. */
  readonly complete: boolean;
}

export interface Comparison<T> {
  /** Not known before. */
  readonly fresh: readonly T[];
  readonly standing: readonly { readonly previous: PreviousFinding; readonly finding: T }[];
  /** Known before and no longer there, with how we know. */
  readonly gone: readonly { readonly previous: PreviousFinding; readonly how: string }[];
  /** Known before, and this run could not tell. */
  readonly carried: readonly { readonly previous: PreviousFinding; readonly why: string }[];
}

/**
 * Compares this run with what earlier ones left. A finding is gone only when the tool that reported it read that file in
 * this run, or when the file is no longer part of the change; whatever cannot be told is carried. A finding is the same
 * when any fingerprint under which one of its tools reports it is known, so that a tool that failed once renames nothing.
 */
export function compareRuns<T extends Pick<IdentifiedFinding, 'fingerprint' | 'aliases'>>(
  previous: readonly PreviousFinding[],
  findings: readonly T[],
  change: Change,
  examined: Examined,
): Comparison<T> {
  const byFingerprint = new Map<string, T>();
  for (const finding of findings) {
    for (const alias of finding.aliases) if (!byFingerprint.has(alias)) byFingerprint.set(alias, finding);
  }
  for (const finding of findings) byFingerprint.set(finding.fingerprint, finding);
  const standing: { previous: PreviousFinding; finding: T }[] = [];
  const gone: { previous: PreviousFinding; how: string }[] = [];
  const carried: { previous: PreviousFinding; why: string }[] = [];
  const known = new Set<T>();
  const pathsNow = toPathsNow(change);
  for (const one of uniqueByFingerprint(previous)) {
    const finding = byFingerprint.get(one.fingerprint);
    if (finding !== undefined) {
      standing.push({ previous: one, finding });
      known.add(finding);
      continue;
    }
    const verdict = lookForReason(one, pathsNow, change.wholeTree, examined);
    if ('how' in verdict) gone.push({ previous: one, how: verdict.how });
    else carried.push({ previous: one, why: verdict.why });
  }
  return { fresh: findings.filter(finding => !known.has(finding)), standing, gone, carried };
}

type PathsNow = ReadonlyMap<string, 'present' | 'deleted' | { readonly movedTo: string }>;

function toPathsNow(change: Change): PathsNow {
  const paths = new Map<string, 'present' | 'deleted' | { readonly movedTo: string }>();
  for (const file of change.files) {
    const base = basePathOf(file);
    if (file.status === 'renamed' && base !== undefined && !paths.has(base)) paths.set(base, { movedTo: file.path });
  }
  for (const file of change.files) paths.set(file.path, file.status === 'deleted' ? 'deleted' : 'present');
  return paths;
}

function lookForReason(
  { path, tool }: PreviousFinding,
  paths: PathsNow,
  wholeTree: boolean,
  examined: Examined,
): { how: string } | { why: string } {
  if (path === undefined)
    return examined.complete
      ? { how: 'every file of the change was examined and it was not found again' }
      : { why: 'its file is not known and this run is incomplete' };
  const now = paths.get(path);
  // A secret may stand in the change's own commits although the file is gone: gitleaks alone can tell.
  if (now !== 'present' && mayBeInHistory(tool) && !examined.complete && !examined.byTool.get('gitleaks')?.size)
    return { why: 'the commits of the change were not examined for secrets in this run' };
  if (now === 'deleted') return { how: `${path} was deleted` };
  if (now === undefined) return { how: wholeTree ? `${path} is gone` : `${path} is no longer part of the change` };
  if (typeof now === 'object') return { how: `${path} was renamed to ${now.movedTo}` };
  if (tool !== undefined)
    return examined.byTool.get(tool)?.has(path)
      ? { how: `${tool} examined ${path} again and did not find it` }
      : { why: `${tool} did not examine ${path} in this run` };
  const isRead = [...examined.byTool.values()].some(files => files.has(path));
  return examined.complete && isRead
    ? { how: `${path} was examined again and it was not found` }
    : { why: 'its tool is not known and this run is incomplete' };
}

const mayBeInHistory = (tool: string | undefined): boolean => tool === undefined || tool === 'gitleaks';

const uniqueByFingerprint = (previous: readonly PreviousFinding[]): PreviousFinding[] => [
  ...new Map(previous.map(one => [one.fingerprint, one])).values(),
];
