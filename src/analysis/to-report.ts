import type { Ledger, ScannerRun } from '../core/ledger.ts';
import type { Report, ReportAcceptance } from '../core/report.ts';
import type { FindingRisk } from '../core/risk.ts';
import { redact as redactText, type SecretRegistry } from '../core/secrets.ts';
import { TOOL } from '../core/version.ts';
import type { GateResult } from '../findings/gate.ts';
import type { PlacedFinding } from '../findings/place.ts';
import { toReportFindings } from '../findings/to-report-finding.ts';
import { addCosts } from '../model/cost-table.ts';
import type { SandboxResult } from '../sandbox/sandbox.ts';
import { type AiReview, toReviewPart } from './ai-review.ts';
import type { AcceptanceRun } from './run-acceptance.ts';

export interface ReportInput {
  readonly subject: Report['subject'];
  readonly request: Report['request'];
  readonly gate: GateResult;
  readonly ledger: Ledger;
  readonly scanners: readonly ScannerRun[];
  readonly placed: readonly PlacedFinding[];
  readonly ranks: ReadonlyMap<string, FindingRisk>;
  readonly ai: AiReview;
  readonly acceptance: AcceptanceRun;
  /** Reviewers' findings of earlier runs that are gone. */
  readonly resolved: readonly { readonly fingerprint: string; readonly reason: string }[];
  readonly secrets: SecretRegistry;
  readonly suppressionsAdded: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  readonly sandboxRuns: readonly SandboxResult[];
  readonly timings: Readonly<Record<string, number>>;
  readonly generatedAt: Date;
  readonly notices: readonly string[];
}

const MAX_NOTICES = 200;
const MAX_SUPPRESSIONS = 500;

/** Puts the parts of a run into the report's form; every text in it is redacted. */
export function toReport(input: ReportInput): Report {
  const redact = (text: string): string => redactText(text, input.secrets);
  const { acceptance } = input.acceptance;
  const { findings, truncated } = toReportFindings(input.placed, redact, input.ranks);
  const notices = [...new Set(input.notices)].map(text => redact(text));
  const suppressions = input.suppressionsAdded.map(({ path, line, text }) => ({ path, line, text: redact(text) }));
  const report = {
    schemaVersion: 1,
    tool: { ...TOOL },
    generatedAt: input.generatedAt.toISOString(),
    subject: input.subject,
    request: input.request,
    conclusion: input.gate.conclusion,
    gate: { tripped: input.gate.gate.tripped, reasons: input.gate.gate.reasons.map(text => redact(text)) },
    ledger: input.ledger,
    scanners: input.scanners.map(run => (run.message === undefined ? run : { ...run, message: redact(run.message) })),
    findings,
    ...(input.resolved.length === 0
      ? {}
      : { resolved: input.resolved.map(({ fingerprint, reason }) => ({ fingerprint, reason: redact(reason) })) }),
    suppressionsAddedByChange: suppressions.slice(0, MAX_SUPPRESSIONS),
    ...(input.ai.outcome === null ? {} : { review: toReviewPart(input.ai.outcome, redact) }),
    ...(acceptance === null || acceptance === undefined ? {} : { acceptance: toAcceptancePart(acceptance, redact) }),
    cost: addCosts(input.ai.cost, input.acceptance.cost),
    fixes: [],
    sandbox: toSandbox(input.sandboxRuns),
    timings: input.timings,
    truncated: {
      ...truncated,
      ...cutCount('notices', notices.length, MAX_NOTICES),
      ...cutCount('suppressions', suppressions.length, MAX_SUPPRESSIONS),
    },
    notices: notices.slice(0, MAX_NOTICES),
  };
  // Values of the core are read-only, the schema's type is not; the shape is the same.
  return report as unknown as Report;
}

const toAcceptancePart = (part: ReportAcceptance, redact: (text: string) => string): ReportAcceptance => ({
  ...part,
  criteria: part.criteria.map(criterion => ({
    ...criterion,
    ...(criterion.id === undefined ? {} : { id: redact(criterion.id) }),
    text: redact(criterion.text),
    evidence: criterion.evidence.map(evidence => ({ ...evidence, text: redact(evidence.text) })),
  })),
  notices: part.notices.slice(0, MAX_NOTICES).map(text => redact(text)),
});

const cutCount = (kind: string, count: number, most: number): Record<string, number> =>
  count > most ? { [kind]: count - most } : {};

function toSandbox(runs: readonly SandboxResult[]): Report['sandbox'] {
  const identity = runs[0]?.identity;
  if (identity === undefined) return null;
  const { runtime, runtimeVersion, platform, imageDigest, insecure } = identity;
  return {
    runtime,
    runtimeVersion,
    platform,
    imageDigest,
    ...(insecure === true ? { insecure: true } : {}),
    runs: runs.map(({ purpose, exitCode, timedOut, oomKilled, outputTruncated, durationMs }) => ({
      purpose,
      exitCode,
      timedOut,
      oomKilled,
      outputTruncated,
      durationMs: Math.round(durationMs),
    })),
  };
}
