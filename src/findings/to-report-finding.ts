import { type Finding, isGrounded, type RawFinding, type Reviewed, severityRank } from '../core/finding.ts';
import { cutQuote } from '../core/open-finding.ts';
import type { FindingRisk } from '../core/risk.ts';
import { type CapCounts, cutText } from './cut-text.ts';
import { normaliseText } from './identity.ts';
import { isCarried } from './merge.ts';
import { compareByWeight, type PlacedFinding } from './place.ts';
import { createScrubber, type Redact, type Scrubber } from './scrub-secrets.ts';

export interface ReportFindings {
  /** The worst first: score of the ranking, severity, confidence, path, line. */
  readonly findings: readonly Finding[];
  /** What was cut, by kind, for the report's `truncated`; kinds with nothing cut are absent. */
  readonly truncated: Readonly<Record<string, number>>;
}

/** Lengths in code points. */
export const REPORT_CAPS = {
  findings: 2_000,
  title: 200,
  message: 2_000,
  snippet: 1_000,
  help: 4_000,
  suggestion: 4_000,
  fixEdits: 20,
  fixText: 20_000,
} as const;

/**
 * The report's form of all findings: redacted, capped, sorted. `redact` masks secrets by their look (core/secrets); the
 * texts that gitleaks marked are masked besides, in every finding.
 */
export function toReportFindings(
  placed: readonly PlacedFinding[],
  redact: Redact,
  ranks: ReadonlyMap<string, FindingRisk> = new Map(),
  maxFindings: number = REPORT_CAPS.findings,
): ReportFindings {
  const counts: CapCounts = {};
  const scrubber = createScrubber(placed, redact);
  const scoreOf = (finding: PlacedFinding): number => ranks.get(finding.fingerprint)?.score ?? 0;
  const sorted = [...placed].sort((a, b) => scoreOf(b) - scoreOf(a) || compareByWeight(a, b));
  if (sorted.length > maxFindings) counts['findings'] = sorted.length - maxFindings;
  const findings = sorted.slice(0, maxFindings).map(finding => ({
    ...toReportFinding(finding, scrubber, counts),
    risk: ranks.get(finding.fingerprint) ?? null,
  }));
  return { findings, truncated: counts };
}

function toReportFinding(finding: PlacedFinding, scrubber: Scrubber, counts: CapCounts): Omit<Finding, 'risk'> {
  const { primary, members } = finding;
  const clean = (text: string, kind: 'title' | 'message' | 'help' | 'suggestion'): string =>
    cutText(scrubber.scrub(text, finding), REPORT_CAPS[kind], `${kind}s`, counts);
  const help = members.find(member => member.help !== undefined)?.help;
  const suggestion = members.find(member => member.suggestion !== undefined)?.suggestion;
  const fix = toFix(members, scrubber, finding, counts);
  const reviewed = toReviewed(finding, scrubber);
  return {
    id: finding.id,
    fingerprint: finding.fingerprint,
    origin: primary.origin ?? 'scanner',
    tool: primary.tool,
    ruleId: primary.ruleId,
    title: clean(normaliseText(primary.title) || primary.ruleId, 'title'),
    message: clean(primary.message, 'message'),
    severity: finding.severity,
    confidence: Math.min(1, Math.max(0, finding.confidence)),
    cwe: toCwe(finding.cwe),
    path: finding.path,
    ...toRange(finding),
    snippet: cutText(scrubber.snippet(finding), REPORT_CAPS.snippet, 'snippets', counts),
    tools: finding.tools,
    ...(help === undefined ? {} : { help: clean(help, 'help') }),
    introduced: finding.introduced,
    ...(isCarried(finding) ? { carried: true } : {}),
    ...(reviewed === undefined ? {} : { reviewed }),
    placement: finding.placement,
    ...(finding.placementReason === undefined ? {} : { placementReason: finding.placementReason }),
    ...(finding.suppressed === undefined ? {} : { suppressed: finding.suppressed }),
    ...(suggestion === undefined ? {} : { suggestion: clean(suggestion, 'suggestion') }),
    ...(fix === undefined ? {} : { fix }),
    mergedFrom: finding.mergedFrom,
  };
}

/** The report of the reviewer that weighs most: what decides about a change first, then the more severe. */
function toReviewed(finding: PlacedFinding, scrubber: Scrubber): Reviewed | undefined {
  const reports = finding.members.filter(member => member.origin === 'reviewer' && member.quote !== undefined);
  const [best] = reports.sort(
    (a, b) =>
      Number(isGrounded(b)) - Number(isGrounded(a)) ||
      severityRank(a.severity) - severityRank(b.severity) ||
      b.confidence - a.confidence,
  );
  if (best === undefined) return undefined;
  return {
    reviewer: best.tool,
    ruleId: best.ruleId,
    severity: best.severity,
    confidence: Math.min(1, Math.max(0, best.confidence)),
    cwe: toCwe(best.cwe),
    title: scrubber.scrub(normaliseText(best.title), finding).slice(0, REPORT_CAPS.title),
    quote: cutQuote(scrubber.scrub(best.quote ?? '', finding)),
  };
}

/** `CWE-79` form, by number, without doubles; what holds no number is left out. */
export function toCwe(ids: readonly string[]): string[] {
  const numbers = ids.flatMap(id => /^\s*(?:cwe[-_ ]?)?0*(\d{1,6})\s*$/i.exec(id)?.[1] ?? []);
  return [...new Set(numbers)].sort((a, b) => Number(a) - Number(b)).map(number => `CWE-${number}`);
}

/** Lines at least 1 and in order; columns only where they belong to the lines that are shown. */
function toRange({ primary, startLine: first, endLine: last }: PlacedFinding) {
  const startLine = Math.max(1, Math.trunc(first));
  const endLine = Math.max(startLine, Math.trunc(last));
  const startColumn = toColumn(primary.startColumn);
  if (startColumn === undefined || startLine !== primary.startLine) return { startLine, endLine };
  const endColumn = toColumn(primary.endColumn);
  const isEndShown = endLine === primary.endLine && endColumn !== undefined;
  if (!isEndShown || (endLine === startLine && endColumn < startColumn)) return { startLine, endLine, startColumn };
  return { startLine, endLine, startColumn, endColumn };
}

const toColumn = (column: number | undefined): number | undefined =>
  column !== undefined && Number.isInteger(column) && column >= 1 ? column : undefined;

/** The first member's replacement; one that holds a secret or is too long is left out, since no part of it is of use. */
function toFix(members: readonly RawFinding[], scrubber: Scrubber, finding: PlacedFinding, counts: CapCounts) {
  const edits = members.find(member => member.fix !== undefined)?.fix?.edits;
  if (edits === undefined || edits.length === 0) return undefined;
  const texts = edits.map(edit => edit.replacement);
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (edits.length > REPORT_CAPS.fixEdits || length > REPORT_CAPS.fixText) {
    counts['fixes'] = (counts['fixes'] ?? 0) + 1;
    return undefined;
  }
  if (texts.some(text => scrubber.scrub(text, finding) !== text)) return undefined;
  return { edits, verified: false };
}
