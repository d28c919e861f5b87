import type { Change } from '../core/change.ts';
import { EXIT } from '../core/errors.ts';
import type { Severity } from '../core/finding.ts';
import type { Ledger, ScannerRun } from '../core/ledger.ts';
import type { Conclusion, Report } from '../core/report.ts';
import type { FindingRisk } from '../core/risk.ts';
import { reasonsIncomplete } from './build-ledger.ts';
import type { PreviousFinding } from './compare.ts';
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
  /** Findings of earlier runs whose file the tool could not look at again (compareRuns). */
  readonly carried?: readonly PreviousFinding[];
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
 * not save it; or one that ranks above `gate.max_tier`. neutral: a required scanner failed, or a changed file was examined by none. Else success. Both kinds of
 * reasons are given where both hold.
 */
export function toGate(input: GateInput): GateResult {
  const tripping = input.findings.filter(finding => isTripping(finding, input.failOn)).map(toReason);
  const ranked = toTierReasons(input);
  const carried = (input.carried ?? [])
    .filter(finding => finding.introduced && input.failOn.includes(finding.severity))
    .map(toCarriedReason);
  const incomplete = reasonsIncomplete(input.ledger, input.scanners);
  const tripped = tripping.length + ranked.length + carried.length > 0;
  const reasons = [...capped([...tripping, ...ranked], 'more findings trip the gate.'), ...carried, ...incomplete];
  const conclusion = tripped ? 'failure' : incomplete.length > 0 ? 'neutral' : 'success';
  return {
    conclusion,
    gate: { tripped, reasons },
    word: tripped ? 'tripped' : incomplete.length > 0 ? 'incomplete' : 'pass',
    notices: conclusion === 'success' ? nothingToExamine(input.change) : [],
  };
}

/** True when the finding alone turns the conclusion to failure. */
export const isTripping = (finding: PlaceableFinding, failOn: readonly Severity[]): boolean =>
  finding.introduced && finding.suppressed === undefined && failOn.includes(finding.severity);

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

function toReason({ id, severity, primary, path }: PlaceableFinding): string {
  const { tool, ruleId, startLine, commit } = primary;
  const place = commit === undefined ? `${path}:${startLine}` : `${path} in commit ${commit.slice(0, 12)}`;
  return `Finding ${id} (${severity}, ${tool} ${ruleId}) at ${place} is introduced by this change.`;
}

/** Introduced findings above the highest tier allowed that do not trip the gate by their severity already. */
function toTierReasons({ findings, failOn, maxTier = null, ranks = new Map() }: GateInput): string[] {
  if (maxTier === null) return [];
  return findings.flatMap(finding => {
    const tier = ranks.get(finding.fingerprint)?.tier;
    if (tier === undefined || tier >= maxTier) return [];
    if (!finding.introduced || finding.suppressed !== undefined || failOn.includes(finding.severity)) return [];
    const { tool, ruleId, startLine } = finding.primary;
    return [
      `Finding ${finding.id} (${tier}, ${tool} ${ruleId}) at ${finding.path}:${startLine} ranks above ${maxTier}, the policy's gate.max_tier.`,
    ];
  });
}

function toCarriedReason({ fingerprint, severity, tool, path }: PreviousFinding): string {
  const origin = tool === undefined ? '' : `, ${tool}`;
  const place = path === undefined ? '' : ` in ${path}`;
  return `Finding ${fingerprint.slice(0, 8)} (${severity}${origin})${place} of an earlier run is carried: this run could not look again.`;
}

function nothingToExamine({ files }: Change): string[] {
  if (files.length === 0) return ['The change holds no files.'];
  const deleted = files.filter(file => file.status === 'deleted').length;
  const binary = files.filter(file => file.status !== 'deleted' && file.kind === 'binary').length;
  if (deleted + binary < files.length) return [];
  const parts = [deleted > 0 ? 'deletions' : '', binary > 0 ? 'binary files' : ''].filter(part => part !== '');
  return [`The change holds ${parts.join(' and ')} only (${files.length} files): there is no text to examine.`];
}
