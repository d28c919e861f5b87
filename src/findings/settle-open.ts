import type { RawFinding } from '../core/finding.ts';
import type { OpenAiFinding } from '../core/open-finding.ts';
import type { OpenFinding, ResolvedFinding } from '../review/outcome.ts';
import { normaliseText } from './identity.ts';
import { toWeakness } from './tool-order.ts';

/** Where the text that an open finding quotes stands at the head. */
export interface OpenPlace {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly anchor: 'hunk' | 'file';
  /** The file's own text of these lines. */
  readonly text: string;
  /** A line of it is added or altered by the change. */
  readonly isAdded: boolean;
}

export interface StandingFinding {
  readonly finding: OpenAiFinding;
  readonly place: OpenPlace;
}

export interface SettledFindings {
  /** Reviewers' findings of this run, known ones under their thread's fingerprint, and those that are carried. */
  readonly raw: readonly RawFinding[];
  readonly carried: readonly RawFinding[];
  /** Those that their own reviewer calls mended. */
  readonly mended: readonly { readonly finding: OpenAiFinding; readonly reason: string }[];
}

/**
 * What becomes of open findings whose text stands: found again, mended by the word of their reviewer, or carried. What a
 * reviewer reports again and calls mended at once stands. `raw` is what reviewers report in this run, none where no model
 * looked. Pure.
 */
export function settleOpenFindings(
  standing: readonly StandingFinding[],
  raw: readonly RawFinding[],
  resolved: readonly ResolvedFinding[],
): SettledFindings {
  const ids = toOpenIds(standing);
  const known = new Map<RawFinding, StandingFinding>();
  const mended: { finding: OpenAiFinding; reason: string }[] = [];
  const carried: RawFinding[] = [];
  for (const one of standing) {
    const again = raw.find(finding => !known.has(finding) && isSame(finding, one));
    const word = resolved.find(({ id, reviewer }) => id === ids.get(one) && reviewer === one.finding.reviewer);
    if (again !== undefined) known.set(again, one);
    else if (word !== undefined) mended.push({ finding: one.finding, reason: word.reason });
    else carried.push(toCarried(one));
  }
  const found = raw.map(finding => {
    const one = known.get(finding);
    return one === undefined ? finding : toKnown(finding, one);
  });
  return { raw: [...found, ...carried], carried, mended };
}

/** Open findings as their reviewers are asked about them. */
export function toPreviousOpen(standing: readonly StandingFinding[]): OpenFinding[] {
  const ids = toOpenIds(standing);
  return standing.map(one => {
    const { reviewer, category, title, quote } = one.finding;
    return { id: ids.get(one) ?? one.finding.fingerprint, reviewer, path: one.place.path, category, title, quote };
  });
}

/** The ids that people see, and the whole fingerprint where two share them. */
function toOpenIds(standing: readonly StandingFinding[]): Map<StandingFinding, string> {
  const short = standing.map(({ finding }) => finding.fingerprint.slice(0, 8));
  return new Map(
    standing.map((one, at) => {
      const id = short[at] ?? '';
      return [one, short.filter(other => other === id).length === 1 ? id : one.finding.fingerprint];
    }),
  );
}

/**
 * The same category at an overlapping place, or the same weakness there by the same reviewer, whatever it calls it now. A
 * report whose quote has no place of its own is the same when it quotes the same text.
 */
function isSame(raw: RawFinding, { finding, place }: StandingFinding): boolean {
  if (raw.path !== place.path) return false;
  const { category, cwe, reviewer, quote } = finding;
  const isSameKind =
    raw.ruleId.split('/')[0] === category ||
    (raw.tool === reviewer && cwe !== null && raw.cwe.some(other => toWeakness(other) === toWeakness(cwe)));
  if (!isSameKind) return false;
  if (raw.anchor === 'none') return normaliseText(raw.quote ?? raw.matchedText).startsWith(normaliseText(quote));
  return raw.startLine <= place.endLine && place.startLine <= Math.max(raw.startLine, raw.endLine);
}

/** A new report keeps its own place where it has one in a hunk; else the open finding's is the better one. */
function toKnown(raw: RawFinding, { finding, place }: StandingFinding): RawFinding {
  const known = { ...raw, knownAs: finding.fingerprint };
  if (raw.anchor === 'hunk' || place.anchor !== 'hunk') return known;
  const { anchorReason: _, ...rest } = known;
  const { startLine, endLine, text } = place;
  return { ...rest, startLine, endLine, matchedText: text, anchor: 'hunk' };
}

/** Longer texts (minified files) are kept as the quote alone. */
const MAX_MATCHED_CHARS = 2_000;

function toCarried({ finding, place }: StandingFinding): RawFinding {
  const { reviewer, category, cwe, title, severity, confidence, quote, fingerprint } = finding;
  const { path, startLine, endLine, text, anchor } = place;
  return {
    tool: reviewer,
    ruleId: cwe === null ? category : `${category}/${cwe}`,
    title: title || category,
    message: `The ${reviewer} reviewer reported this in an earlier run; the open thread has its reasons.`,
    severity,
    confidence,
    cwe: cwe === null ? [] : [cwe],
    path,
    startLine,
    endLine,
    matchedText: text.length > MAX_MATCHED_CHARS ? quote : text,
    quote,
    origin: 'reviewer',
    anchor,
    ...(anchor === 'hunk' ? {} : { anchorReason: 'the quoted text stands outside the diff' }),
    knownAs: fingerprint,
    carried: true,
  };
}
