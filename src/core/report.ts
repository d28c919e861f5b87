import { z } from 'zod';
import { PLACEMENTS, SEVERITIES } from './finding.ts';
import { TriageResult } from './triage.ts';
import { VerdictResult } from './verdict.ts';

/**
 * The report: what `--format json` prints and the artefact that `publish` reads (contract, schemaVersion 1).
 * Every object is strict, so that an artefact with more in it than we wrote is refused.
 */

const text = z.string();
const count = z.int().nonnegative();
const line = z.int().positive();
const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'expected a full commit id');
const hex64 = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits');

export const Edit = z.strictObject({ path: text, startLine: line, endLine: count, replacement: text });

const RiskFactor = z.strictObject({ value: z.number(), evidence: text });

export const ReportRisk = z.strictObject({
  C: RiskFactor,
  L: RiskFactor,
  I: RiskFactor,
  R: RiskFactor,
  risk: z.number(),
  tier: text,
  score: z.number(),
  state: text,
  rule: text,
});

export const ReportFinding = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{8,64}$/),
  fingerprint: hex64,
  origin: z.enum(['scanner', 'reviewer']),
  tool: text,
  ruleId: text,
  title: text,
  message: text,
  severity: z.enum(SEVERITIES),
  confidence: z.number().min(0).max(1),
  cwe: z.array(z.string().regex(/^CWE-\d+$/)),
  path: text,
  startLine: line,
  endLine: line,
  startColumn: line.exactOptional(),
  endColumn: line.exactOptional(),
  snippet: text,
  tools: z.array(text).min(1),
  flow: z.array(z.strictObject({ path: text, line, text })).exactOptional(),
  help: text.exactOptional(),
  introduced: z.boolean(),
  /** No reviewer looked at it or judged it anew in this run; an earlier one reported it, and what it quotes still stands. */
  carried: z.boolean().exactOptional(),
  /** A reviewer's own word, for the run after this one. */
  reviewed: z
    .strictObject({
      reviewer: text,
      ruleId: text,
      severity: z.enum(SEVERITIES),
      confidence: z.number().min(0).max(1),
      cwe: z.array(z.string().regex(/^CWE-\d+$/)),
      title: text,
      quote: text,
    })
    .exactOptional(),
  placement: z.enum(PLACEMENTS),
  placementReason: text.exactOptional(),
  suppressed: z.strictObject({ reason: text, until: text.exactOptional() }).exactOptional(),
  suggestion: text.exactOptional(),
  fix: z.strictObject({ edits: z.array(Edit), verified: z.boolean() }).exactOptional(),
  risk: ReportRisk.nullable(),
  mergedFrom: z.array(z.strictObject({ tool: text, ruleId: text, id: text })),
});

export const ReportLedger = z.strictObject({
  files: z.array(
    z.strictObject({
      path: text,
      status: text,
      previousPath: text.exactOptional(),
      examinedBy: z.array(text),
      partial: z.array(z.strictObject({ tool: text, reason: text })).exactOptional(),
      /** Reviewers' findings of earlier runs that stand in it and that no reviewer judged anew. */
      carried: z.int().positive().exactOptional(),
      skipped: text.exactOptional(),
    }),
  ),
  complete: z.boolean(),
});

export const ReportScanner = z.strictObject({
  name: text,
  version: text,
  status: z.enum(['ok', 'failed', 'timed-out', 'skipped']),
  filesExamined: count,
  findings: count,
  durationMs: z.number().nonnegative(),
  message: text.exactOptional(),
});

export const ReportSandboxRun = z.strictObject({
  purpose: text,
  exitCode: z.int().nullable(),
  timedOut: z.boolean(),
  oomKilled: z.boolean(),
  outputTruncated: z.boolean(),
  durationMs: z.number().nonnegative(),
});

export const ReportSandbox = z.strictObject({
  runtime: text,
  runtimeVersion: text,
  platform: text,
  imageDigest: text,
  /** Only set when the sandbox was not gVisor (development): the report says so everywhere. */
  insecure: z.boolean().exactOptional(),
  runs: z.array(ReportSandboxRun),
});

export const REQUEST_KINDS = ['review', 'fix', 'triage', 'verdict', 'approve', 'reject'] as const;

export const ReportRequest = z.strictObject({
  kind: z.enum(REQUEST_KINDS),
  trigger: text,
  actor: text.exactOptional(),
  commentId: z.int().exactOptional(),
  label: text.exactOptional(),
});

export const ReportCost = z.strictObject({
  usd: z.number().nonnegative(),
  calls: count,
  inputTokens: count,
  outputTokens: count,
  byRole: z.array(
    z.strictObject({
      role: text,
      model: text,
      usd: z.number().nonnegative(),
      calls: count,
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
    }),
  ),
});

export const REVIEWER_STATUSES = ['ok', 'limited', 'failed', 'stub'] as const;

const share = z.number().min(0).max(1);

/** The AI review; `score` and `dimensions` are null where no judge spoke. */
export const ReportReview = z.strictObject({
  score: share.nullable(),
  threshold: share,
  dimensions: z
    .strictObject({ correctness: share, groundedness: share, actionability: share, signalToNoise: share })
    .nullable(),
  revisions: count,
  summary: text,
  budgetLimited: z.boolean(),
  reviewers: z.array(
    z.strictObject({
      name: text,
      model: text,
      status: z.enum(REVIEWER_STATUSES),
      calls: count,
      message: text.exactOptional(),
    }),
  ),
  dropped: z.array(z.strictObject({ quote: text, reason: text })),
  disputes: z.array(z.strictObject({ id: text, note: text })),
  /** What was hidden in texts that models read, by where it stood. */
  injection: z.record(z.string(), count),
});

export const CRITERION_SOURCES = ['checklist', 'section', 'gherkin', 'inferred'] as const;
export const CRITERION_STATUSES = ['met', 'unmet', 'unclear'] as const;
export const CRITERION_JUDGES = ['test', 'model', 'none'] as const;

/** Whether the change does what its issues ask for; number 0 is an issue that a local file gave without a number. */
export const ReportAcceptance = z.strictObject({
  mode: z.enum(['shadow', 'on']),
  /** Those that the change was compared with. */
  issues: z.array(count),
  criteria: z.array(
    z.strictObject({
      issue: count,
      id: text.exactOptional(),
      text,
      source: z.enum(CRITERION_SOURCES),
      status: z.enum(CRITERION_STATUSES),
      judgedBy: z.enum(CRITERION_JUDGES),
      evidence: z.array(z.strictObject({ path: text, line: line.exactOptional(), text })),
    }),
  ),
  /** The command of the policy, where it ran. */
  command: z.strictObject({ exitCode: z.int().nullable(), timedOut: z.boolean() }).exactOptional(),
  /** What was not read, run or judged, in plain sentences. */
  notices: z.array(text),
});

export const CONCLUSIONS = ['success', 'failure', 'neutral'] as const;

export const Report = z.strictObject({
  schemaVersion: z.literal(1),
  tool: z.strictObject({ name: text, version: text }),
  generatedAt: z.iso.datetime(),
  subject: z.strictObject({
    repository: text.exactOptional(),
    pullRequest: z.int().positive().exactOptional(),
    baseSha: sha.exactOptional(),
    headSha: sha.exactOptional(),
    mergeBaseSha: sha.exactOptional(),
    all: z.boolean().exactOptional(),
  }),
  request: ReportRequest,
  conclusion: z.enum(CONCLUSIONS),
  gate: z.strictObject({ tripped: z.boolean(), reasons: z.array(text) }),
  ledger: ReportLedger,
  scanners: z.array(ReportScanner),
  findings: z.array(ReportFinding),
  /** Reviewers' findings of earlier runs that are gone, with how that is known; their threads may be closed. */
  resolved: z.array(z.strictObject({ fingerprint: hex64, reason: text })).exactOptional(),
  suppressionsAddedByChange: z.array(z.strictObject({ path: text, line, text })),
  /** Absent where no AI review was asked for. */
  review: ReportReview.exactOptional(),
  /** Absent where there is no issue, or the policy turns the check off. */
  acceptance: ReportAcceptance.exactOptional(),
  cost: ReportCost,
  fixes: z.array(z.never()),
  /** Present where findings of the graph, or of a file, were triaged. */
  triage: TriageResult.exactOptional(),
  /** Present where a person's verdict was to be recorded; nothing was examined then. */
  verdict: VerdictResult.exactOptional(),
  sandbox: ReportSandbox.nullable(),
  timings: z.record(z.string(), z.number().nonnegative()),
  truncated: z.record(z.string(), count),
  /** Plain sentences for people: quarantined rules, policy keys this version does not use, base used, and the like. */
  notices: z.array(text),
});
export type Report = z.infer<typeof Report>;
export type ReportFinding = z.infer<typeof ReportFinding>;
export type ReportReview = z.infer<typeof ReportReview>;
export type ReportAcceptance = z.infer<typeof ReportAcceptance>;
export type Conclusion = (typeof CONCLUSIONS)[number];

export const NO_COST: z.infer<typeof ReportCost> = { usd: 0, calls: 0, inputTokens: 0, outputTokens: 0, byRole: [] };

/** Parses an untrusted artefact; throws a ZodError that names the key path. */
export const parseReport = (value: unknown): Report => Report.parse(value);
