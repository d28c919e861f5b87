import { z } from 'zod';
import { SEVERITIES } from '../core/finding.ts';
import { TIERS } from '../core/risk.ts';
import { DEFAULT_LIMITS } from './default-limits.ts';

/**
 * `.cypherfix.yml`, every section of it, strict: an unknown key is an error. Sections that this version does not act on
 * are checked all the same, so that one file serves several versions.
 */

export const MAX_INLINE_COMMENTS = 30;

const name = z.string().min(1).max(200);
const sentence = z.string().min(1).max(1_000);
const glob = z.string().min(1).max(500);
const globs = z.array(glob).max(500);
const command = z.string().min(1).max(10_000);
const usd = (most: number) => z.number().min(0).max(most);
const whole = (least: number, most: number) => z.int().min(least).max(most);
const severity = z.enum(SEVERITIES);
const effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
const price = usd(10_000);
const relativePath = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\0\\]+$/, 'expected a relative path without `..`');
const DIGEST_REFERENCE = String.raw`[a-z0-9][\w.\-/:]*@sha256:[0-9a-f]{64}`;
const imageByDigest = z
  .string()
  .max(500)
  .regex(new RegExp(`^${DIGEST_REFERENCE}$`), 'expected an image by digest: repo@sha256:<64 hex digits>');
const testImage = z
  .string()
  .max(500)
  .regex(
    new RegExp(`^(?:node|python|go|java|${DIGEST_REFERENCE})$`),
    'expected node, python, go, java or an image by digest (repo@sha256:<64 hex digits>)',
  );

const section = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

const Review = section({
  on: z
    .array(z.enum(['opened', 'reopened', 'ready_for_review', 'synchronize']))
    .default(['opened', 'reopened', 'ready_for_review', 'synchronize']),
  ignore_paths: globs.default([]),
  max_files: whole(1, 3_000).default(300),
  context_lines: whole(0, 50).default(3),
  max_inline_comments: whole(0, MAX_INLINE_COMMENTS).default(MAX_INLINE_COMMENTS),
});

const OwnScanner = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'expected a short name of a-z, 0-9 and -'),
  image: imageByDigest,
  command: z.array(z.string().min(1).max(4_096)).min(1).max(100),
  output: z.literal('sarif'),
});

const Scanners = section({
  disable: z.array(name).max(50).default([]),
  rules: section({
    disable: z.array(name).max(1_000).default([]),
    severity: z.record(name, severity).default({}),
    extra: relativePath.nullable().default(null),
  }),
  byo: z.array(OwnScanner).max(20).default([]),
});

const Ai = section({
  reviewer_model: name.default('claude-sonnet-5-5'),
  judge_model: name.default('claude-opus-5-5'),
  fix_model: name.nullable().default(null),
  triage_model: name.nullable().default(null),
  effort: section({ reviewer: effort.default('medium'), judge: effort.default('high') }),
  instructions: z.string().max(20_000).nullable().default(null),
  prices: z.record(name, z.strictObject({ in: price, out: price, cache_read: price, cache_write: price })).default({}),
  budget_usd: usd(1_000).default(1.5),
  budget_usd_per_pr: usd(1_000).default(5),
  timeout_min: whole(1, 360).default(15),
  on_push: z.boolean().default(false),
  record: z.boolean().default(false),
});

const Gate = section({
  fail_on: z.array(severity).max(SEVERITIES.length).default(['critical', 'high']),
  threshold: z.number().min(0).max(1).default(0.6),
  max_tier: z.enum(TIERS).nullable().default(null),
});

const Acceptance = section({
  mode: z.enum(['off', 'shadow', 'on']).default('shadow'),
  command: command.nullable().default(null),
  results: globs.default([]),
  budget_usd: usd(1_000).default(0.1),
});

const Tests = section({
  image: testImage.default('node'),
  setup: command.nullable().default(null),
  command: command.nullable().default(null),
  lint: command.nullable().default(null),
  timeout_s: whole(10, 3_600).default(DEFAULT_LIMITS.timeout_s),
  egress: z.enum(['none', 'registries']).default('none'),
  registries: z.array(name).max(50).default([]),
});

const Sandbox = section({
  memory_mb: whole(512, 262_144).default(DEFAULT_LIMITS.memory_mb),
  cpus: z.number().min(0.5).max(256).default(DEFAULT_LIMITS.cpus),
  timeout_s: whole(10, 3_600).default(DEFAULT_LIMITS.timeout_s),
});

const Fix = section({
  mode: z.enum(['off', 'approval', 'auto']).default('off'),
  review_fixes: z.enum(['off', 'stacked_pr']).default('stacked_pr'),
  trigger_labels: z.array(z.string().min(1).max(50)).max(20).default(['cypherfix:fix']),
  allowed_paths: globs.default([]),
  denied_paths: globs.default([]),
  allow_lockfiles: z.boolean().default(false),
  max_steps: whole(1, 100).default(30),
  max_sandbox_runs: whole(0, 50).default(6),
  timeout_min: whole(1, 360).default(20),
  max_files: whole(1, 100).default(10),
  max_changed_lines: whole(1, 5_000).default(300),
  budget_usd: usd(1_000).default(1),
  shell: z.boolean().default(false),
  max_runs_per_issue_per_day: whole(0, 1_000).default(2),
  max_runs_per_day: whole(0, 1_000).default(5),
});

const Triage = section({
  project: name.nullable().default(null),
  user: name.nullable().default(null),
  review_budget: whole(0, 10_000).default(150),
  issues: z.enum(['off', 't1', 't2', 't3']).default('off'),
  intel_file: relativePath.nullable().default(null),
});

export const SuppressEntry = z
  .strictObject({
    /** The tool's own id (`G204`), or `tool/id` where two tools share one. */
    rule: name.exactOptional(),
    /** The whole fingerprint or its first 8 or more digits, as reviews show it. */
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{8,64}$/, 'expected 8 to 64 lower-case hex digits')
      .exactOptional(),
    paths: globs.min(1).exactOptional(),
    reason: sentence.refine(text => text.trim() !== '', 'expected a reason, got blanks'),
    /** Last day on which the entry applies, UTC. */
    until: z.iso.date('expected a date such as 2027-01-31').exactOptional(),
  })
  .refine(entry => (entry.rule === undefined) !== (entry.fingerprint === undefined), {
    message: 'expected either rule or fingerprint',
  });
export type SuppressEntry = z.infer<typeof SuppressEntry>;

export const Policy = z.strictObject({
  version: z.literal(1).default(1),
  review: Review,
  scanners: Scanners,
  ai: Ai,
  gate: Gate,
  acceptance: Acceptance,
  tests: Tests,
  sandbox: Sandbox,
  fix: Fix,
  triage: Triage,
  suppress: z.array(SuppressEntry).max(2_000).default([]),
  sarif: section({ upload: z.boolean().default(false) }),
});
export type Policy = z.infer<typeof Policy>;

/** What holds where there is no policy file. Once, so that to compile the schema for it would take longer. */
export const DEFAULT_POLICY: Policy = Policy.parse({}, { jitless: true });
