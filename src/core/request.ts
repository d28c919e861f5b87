import { z } from 'zod';
import { MAX_OPEN_FINDINGS, OpenAiFinding } from './open-finding.ts';
import { ReportRequest } from './report.ts';
import { VerdictOrder } from './verdict.ts';

export const TASKS = ['review', 'whole-tree', 'merge-group', 'publish-artifact', 'verdict'] as const;

/** An issue of the repository under review; number 0 is one that a local file gives without a number. */
const IssueText = z.strictObject({
  number: z.int().nonnegative(),
  title: z.string(),
  body: z.string(),
  state: z.enum(['open', 'closed']),
});

export const MAX_CLOSED_PULL_REQUESTS = 1_000;

/** A triage of the project's findings that follows the examination of the default branch. */
const TriageOrder = z.strictObject({
  /** Mode `triage`: where it cannot be done, the run fails. Else the graph changes nothing but the notices. */
  asked: z.boolean(),
  /** Started by no person: cooldown and daily cap hold. */
  automatic: z.boolean(),
  trigger: z.enum(['push', 'schedule', 'dispatch']),
  /** Pull requests closed of late: what they left in the graph is removed. */
  closedPullRequests: z.array(z.int().positive()).max(MAX_CLOSED_PULL_REQUESTS),
  /** What of them could not be read, in plain sentences. */
  notices: z.array(z.string()),
});
export type TriageOrder = z.infer<typeof TriageOrder>;

/**
 * What `resolve` decided and read, for `analyze` and `publish` (request.json). Title and body are untrusted text.
 * `restricted` means deterministic scanners only: a fork, an outsider or a bot.
 */
export const Request = z.strictObject({
  schemaVersion: z.literal(1),
  /** What this run does: reviews a change, examines a whole tree, answers a merge queue, publishes a fork's artefact, records a verdict. */
  task: z.enum(TASKS),
  request: ReportRequest,
  repository: z.string(),
  private: z.boolean(),
  defaultBranch: z.string(),
  serverUrl: z.string(),
  runId: z.string(),
  runAttempt: z.int().positive(),
  pullRequest: z
    .strictObject({
      number: z.int().positive(),
      title: z.string(),
      body: z.string(),
      author: z.string(),
      fork: z.boolean(),
      headRef: z.string(),
      baseRef: z.string(),
      url: z.string(),
    })
    .nullable(),
  headSha: z.string(),
  /** Tip of the base branch, where policy comes from; null where nothing is analysed. */
  baseSha: z.string().nullable(),
  /** Null for a whole tree. */
  mergeBaseSha: z.string().nullable(),
  restricted: z.boolean(),
  /** Id of the check run left in progress; null when none could be written (fork). */
  checkRunId: z.int().nullable(),
  checkRefusal: z.string().nullable(),
  /** Full ref of the head, for code scanning: `refs/pull/7/head`, `refs/heads/main`. */
  ref: z.string(),
  /** The workflow run whose artefact is published; null for all other tasks. */
  artifactRunId: z.int().nullable(),
  /** Null for all tasks but `verdict`. */
  verdict: VerdictOrder.nullable(),
  /** Null where none follows. */
  triage: TriageOrder.nullable(),
  /** Issues that the pull request is to settle, at most 64 KiB of JSON; their texts are untrusted. */
  issues: z.array(IssueText).default([]),
  /** What of the issues could not be read, in plain sentences. */
  issueNotices: z.array(z.string()).default([]),
  /** Reviewers' findings of earlier runs whose threads are open, the worst first. */
  openFindings: z.array(OpenAiFinding).max(MAX_OPEN_FINDINGS),
  /** Why not all of them are known, in a full sentence; null when they are. */
  openFindingsUnread: z.string().max(1_000).nullable(),
  /** What models cost in earlier runs of this pull request, in dollars. */
  spentUsd: z.number().nonnegative(),
  /** The head that the acceptance check saw last; null when it never ran. */
  acceptanceHead: z
    .string()
    .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
    .nullable(),
});
export type Request = z.infer<typeof Request>;
