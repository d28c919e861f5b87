import { type Change, type FileChange, firstNewLine, isCommentable, rightRanges, runsOf } from '../core/change.ts';
import { type Placement, severityRank } from '../core/finding.ts';
import type { IntroducedFinding } from './introduced.ts';
import { isSecret } from './quiet.ts';

/** What placing reads; suppressing and quieting may have marked it. */
export interface PlaceableFinding extends IntroducedFinding {
  readonly suppressed?: { readonly reason: string; readonly until?: string };
  readonly quiet?: string;
}

export interface PlacedFinding extends PlaceableFinding {
  readonly placement: Placement;
  readonly placementReason?: string;
  /** Lines to comment on: for inline findings both stand in one hunk, so that GitHub takes them. */
  readonly startLine: number;
  readonly endLine: number;
}

export interface PlaceSettings {
  /** Policy `review.max_inline_comments`. */
  readonly maxInlineComments: number;
  /** Policy `review.context_lines`: how far from a changed line still counts as near. */
  readonly contextLines: number;
}

/** Comments of one rule: what comes after goes to the summary. Secrets have no cap but the one over all comments. */
export const FLOOD_CAPS = { inOneFile: 3, inAllFiles: 10 } as const;

/**
 * Gives every finding its place, with the reason where it is not inline: suppressed, noisy and far ones go to the
 * summary, near ones that GitHub takes no comment for and those over the cap go to the body. The worst come first, by
 * severity, then confidence. Order and number of the findings stay.
 */
export function placeFindings<T extends PlaceableFinding>(
  findings: readonly T[],
  change: Change,
  settings: PlaceSettings,
): (T & PlacedFinding)[] {
  const files = new Map(change.files.map(file => [file.path, file]));
  const nearLines = new Map<string, ReadonlySet<number>>();
  const places = new Map<T, Place>();
  for (const finding of findings)
    places.set(finding, change.wholeTree ? WHOLE_TREE : placeOf(finding, files.get(finding.path), nearLines, settings));
  const wanted = findings.filter(finding => places.get(finding)?.placement === 'inline').sort(compareByWeight);
  const refuse = createFloodGate(wanted);
  let inline = 0;
  for (const finding of wanted) {
    const flooded = refuse(finding);
    if (flooded !== undefined) places.set(finding, summary(flooded));
    else if (inline >= settings.maxInlineComments)
      places.set(finding, body(`more than ${settings.maxInlineComments} inline comments`));
    else inline += 1;
  }
  return findings.map(finding => ({ ...finding, ...linesOf(finding), ...(places.get(finding) ?? WHOLE_TREE) }));
}

/** The worst first: severity, confidence, then path and line so that the order is the same in every run. */
export const compareByWeight = (a: IntroducedFinding, b: IntroducedFinding): number =>
  severityRank(a.severity) - severityRank(b.severity) ||
  b.confidence - a.confidence ||
  Number(b.introduced) - Number(a.introduced) ||
  compareText(a.path, b.path) ||
  a.primary.startLine - b.primary.startLine ||
  compareText(a.fingerprint, b.fingerprint);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface Place {
  readonly placement: Placement;
  readonly placementReason?: string;
  readonly startLine?: number;
  readonly endLine?: number;
}

const summary = (placementReason: string): Place => ({ placement: 'summary', placementReason });
const body = (placementReason: string): Place => ({ placement: 'body', placementReason });
const WHOLE_TREE = summary('the whole tree is reviewed, not a change');

const linesOf = ({ primary }: IntroducedFinding) => ({
  startLine: primary.startLine,
  endLine: Math.max(primary.startLine, primary.endLine),
});

function placeOf(
  finding: PlaceableFinding,
  file: FileChange | undefined,
  nearLines: Map<string, ReadonlySet<number>>,
  settings: PlaceSettings,
): Place {
  if (finding.suppressed !== undefined) return summary(`suppressed: ${finding.suppressed.reason}`);
  if (finding.quiet !== undefined) return summary(finding.quiet);
  const { commit } = finding.primary;
  if (commit !== undefined) return body(`no longer in the file, but commit ${commit.slice(0, 12)} still holds it`);
  const { anchor, anchorReason } = finding.primary;
  if (anchor === 'file' || anchor === 'none') return body(anchorReason ?? 'the quoted text has no place in the diff');
  if (file === undefined) return summary('in a file that the change does not touch');
  let near = nearLines.get(file.path);
  if (near === undefined) {
    near = linesNearChange(file, settings.contextLines);
    nearLines.set(file.path, near);
  }
  if (!touches(nearnessRange(finding), near)) return summary('not on or near a changed line');
  if (file.rawPath !== undefined) return body('GitHub takes no comment on a path that is not UTF-8');
  const { startLine, endLine } = linesOf(finding);
  if (isCommentable(file, startLine, endLine)) return { placement: 'inline' };
  const hunk = rightRanges(file).find(range => startLine >= range.start && startLine <= range.end);
  if (hunk === undefined) return body('its first line stands outside the diff');
  return { placement: 'inline', startLine, endLine: Math.min(endLine, hunk.end) };
}

/** Old findings count by their narrowest range: some tools mark a whole function for a fault in its first line. */
function nearnessRange({ introduced, span, members }: PlaceableFinding): { start: number; end: number } {
  if (introduced) return span;
  return members
    .map(({ startLine, endLine }) => ({ start: startLine, end: Math.max(startLine, endLine) }))
    .reduce((a, b) => (b.end - b.start < a.end - a.start ? b : a));
}

/** Lines of the new file within `context` of an added, altered or deleted line. */
function linesNearChange(file: FileChange, context: number): ReadonlySet<number> {
  const near = new Set<number>();
  let filled = 0;
  const add = (first: number, last: number): void => {
    for (let line = Math.max(first, filled + 1); line <= last; line++) near.add(line);
    filled = Math.max(filled, last);
  };
  for (const hunk of file.hunks) {
    let next = firstNewLine(hunk);
    for (const { type, count } of runsOf(hunk)) {
      if (type === 'added') add(next - context, next + count - 1 + context);
      // A deletion has no line of its own: it lies between the line before and the one after.
      if (type === 'deleted') add(next - context, next - 1 + context);
      if (type !== 'deleted') next += count;
    }
  }
  return near;
}

function touches({ start, end }: { start: number; end: number }, lines: ReadonlySet<number>): boolean {
  if (end - start > lines.size) return [...lines].some(line => line >= start && line <= end);
  for (let line = start; line <= end; line++) if (lines.has(line)) return true;
  return false;
}

/** Counts comments of each rule; says why one more is too many. Takes the findings that want a comment. */
function createFloodGate(wanted: readonly PlaceableFinding[]): (finding: PlaceableFinding) => string | undefined {
  const totals = new Map<string, number>();
  for (const finding of wanted) for (const key of floodKeys(finding)) totals.set(key, (totals.get(key) ?? 0) + 1);
  const shown = new Map<string, number>();
  return finding => {
    if (isSecret(finding)) return undefined;
    const { ruleId } = finding.primary;
    const [inFile, inChange] = floodKeys(finding);
    if ((shown.get(inFile) ?? 0) >= FLOOD_CAPS.inOneFile)
      return `one of ${totals.get(inFile)} findings of ${ruleId} in this file; ${FLOOD_CAPS.inOneFile} are shown inline`;
    if ((shown.get(inChange) ?? 0) >= FLOOD_CAPS.inAllFiles)
      return `one of ${totals.get(inChange)} findings of ${ruleId} in this change; ${FLOOD_CAPS.inAllFiles} are shown inline`;
    for (const key of [inFile, inChange]) shown.set(key, (shown.get(key) ?? 0) + 1);
    return undefined;
  };
}

const floodKeys = ({ primary, path }: PlaceableFinding): readonly [string, string] => [
  JSON.stringify([primary.tool, primary.ruleId, path]),
  JSON.stringify([primary.tool, primary.ruleId]),
];
