import type { Change } from '../core/change.ts';
import { EXIT } from '../core/errors.ts';
import { isGrounded, type Severity } from '../core/finding.ts';
import type { Ledger, ScannerRun } from '../core/ledger.ts';
import type { Conclusion, Report } from '../core/report.ts';
import type { FindingRisk } from '../core/risk.ts';
import { reasonsIncomplete } from './build-ledger.ts';
import { isCarried } from './merge.ts';
import type { PlaceableFinding } from './place.ts';

/** The output `gate`: `empty` where the event called for no review. */
export type GateWord = 'pass' | 'tripped' | 'incomplete' | 'error' | 'empty';

export interface GateInput {
  readonly findings: readonly PlaceableFinding[];
  readonly change: Change;
  readonly ledger: Ledger;
  readonly scanners: readonly ScannerRun[];
  /** Policy `gate.fail_on`. */
  readonly failOn: readonly Severity[];
  /** Policy `gate.max_tier`: the highest tier that findings may have; null for no limit. */
  readonly maxTier?: string | null;
  /** Fingerprint → ranking. */
  readonly ranks?: ReadonlyMap<string, FindingRisk>;
  /** Reviewers' findings of earlier runs of which nobody can tell whether they stand, in full sentences. */
  readonly unsettled?: readonly string[];
  /** The AI review, where one was due. */
  readonly ai?: AiVerdict | null;
}

export interface AiVerdict {
  /** 0 to 1; null when it was not judged, which decides nothing. */
  readonly score: number | null;
  /** Policy `gate.threshold`. */
  readonly threshold: number;
  /** Which parts of the review did not finish, in full sentences. */
  readonly failures: readonly string[];
}

export interface GateResult {
  readonly conclusion: Conclusion;
  readonly gate: { readonly tripped: boolean; readonly reasons: readonly string[] };
  readonly word: GateWord;
  /** Sentences for people that decide nothing: a change with nothing in it to examine says so here. */
  readonly notices: readonly string[];
}

/**
 * The conclusion (decision 14). failure: an introduced, unsuppressed finding of a `fail_on` severity; a noisy place does
 * not save it; or one that ranks above `gate.max_tier`; a reviewer's counts when it is sure and has its place in a hunk; or a
 * judged score below the threshold; carried ones count like those of this run. neutral: a required scanner or a part of a due
 * AI review failed, a changed file was examined by none, or what an earlier run found could not be looked for. Else success. Both kinds of reasons are given where both hold.
 */
export function toGate(input: GateInput): GateResult {
  const tripping = input.findings.filter(finding => isTripping(finding, input.failOn)).map(toReason);
  const ranked = toTierReasons(input);
  const judged = toScoreReasons(input.ai);
  const incomplete = [
    ...reasonsIncomplete(input.ledger, input.scanners),
    ...(input.ai?.failures ?? []),
    ...(input.unsettled ?? []),
  ];
  const tripped = tripping.length + ranked.length + judged.length > 0;
  const findings = capped([...tripping, ...ranked], 'more findings trip the gate.');
  const reasons = [...findings, ...judged, ...incomplete];
  const conclusion = tripped ? 'failure' : incomplete.length > 0 ? 'neutral' : 'success';
  return {
    conclusion,
    gate: { tripped, reasons },
    word: tripped ? 'tripped' : incomplete.length > 0 ? 'incomplete' : 'pass',
    notices: conclusion === 'success' ? nothingToExamine(input) : [],
  };
}

/** True when the finding alone turns the conclusion to failure. */
export const isTripping = (finding: PlaceableFinding, failOn: readonly Severity[]): boolean =>
  finding.introduced &&
  finding.suppressed === undefined &&
  failOn.includes(finding.severity) &&
  finding.members.some(member => isGrounded(member) && (isScanned(finding) || failOn.includes(member.severity)));

/** A scanner is among those who report it, so that its severity is grounded already. */
const isScanned = ({ primary }: PlaceableFinding): boolean => primary.origin !== 'reviewer';

/** The word for a report, for none at all (the event called for no review) or for a run that broke. */
export function toGateWord(report: Pick<Report, 'conclusion' | 'gate'> | null | 'error'): GateWord {
  if (report === null) return 'empty';
  if (report === 'error') return 'error';
  if (report.gate.tripped) return 'tripped';
  return report.conclusion === 'success' ? 'pass' : 'incomplete';
}

/** Exit status of the local commands: 0 passed, 1 tripped (also when incomplete as well), 2 incomplete. */
export function toGateExitStatus(report: Pick<Report, 'conclusion' | 'gate'>): 0 | 1 | 2 {
  if (report.gate.tripped) return EXIT.tripped;
  return report.conclusion === 'success' ? EXIT.passed : EXIT.incomplete;
}

const MAX_REASONS = 50;

const capped = (reasons: readonly string[], rest: string): string[] =>
  reasons.length <= MAX_REASONS
    ? [...reasons]
    : [...reasons.slice(0, MAX_REASONS), `${reasons.length - MAX_REASONS} ${rest}`];

function toReason(finding: PlaceableFinding): string {
  const { id, severity, primary, path } = finding;
  const { tool, ruleId, startLine, commit } = primary;
  const place = commit === undefined ? `${path}:${startLine}` : `${path} in commit ${commit.slice(0, 12)}`;
  const named = `Finding ${id} (${severity}, ${tool} ${ruleId}) at ${place}`;
  if (!isCarried(finding)) return `${named} is introduced by this change.`;
  return `${named} is carried from an earlier run: what it quotes still stands, and gate.fail_on lists ${severity}.`;
}

/** Introduced findings above the highest tier allowed that do not trip the gate by their severity already. */
function toTierReasons({ findings, failOn, maxTier = null, ranks = new Map() }: GateInput): string[] {
  if (maxTier === null) return [];
  return findings.flatMap(finding => {
    const tier = ranks.get(finding.fingerprint)?.tier;
    if (tier === undefined || tier >= maxTier) return [];
    if (!finding.introduced || finding.suppressed !== undefined || isTripping(finding, failOn)) return [];
    if (!finding.members.some(isGrounded)) return [];
    const { tool, ruleId, startLine } = finding.primary;
    return [
      `Finding ${finding.id} (${tier}, ${tool} ${ruleId}) at ${finding.path}:${startLine} ranks above ${maxTier}, the policy's gate.max_tier.`,
    ];
  });
}

function toScoreReasons(ai: AiVerdict | null | undefined): string[] {
  if (ai === null || ai === undefined || ai.score === null || ai.score >= ai.threshold) return [];
  return [`The review is judged ${ai.score.toFixed(2)}, below the policy's gate.threshold of ${ai.threshold}.`];
}

function nothingToExamine({ change: { files }, ledger }: GateInput): string[] {
  if (files.length === 0) return ['The change holds no files.'];
  // What git takes for binary may be text to a scanner.
  if (ledger.files.some(({ examinedBy }) => examinedBy.length > 0)) return [];
  const deleted = files.filter(file => file.status === 'deleted').length;
  const binary = files.filter(file => file.status !== 'deleted' && file.kind === 'binary').length;
  if (deleted + binary < files.length) return [];
  const parts = [deleted > 0 ? 'deletions' : '', binary > 0 ? 'binary files' : ''].filter(part => part !== '');
  return [`The change holds ${parts.join(' and ')} only (${files.length} files): there is no text to examine.`];
}
