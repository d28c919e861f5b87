import { z } from 'zod';
import { ReportRequest } from './report.ts';

export const TASKS = ['review', 'whole-tree', 'merge-group', 'publish-artifact'] as const;

/**
 * What `resolve` decided and read, for `analyze` and `publish` (request.json). Title and body are untrusted text.
 * `restricted` means deterministic scanners only: a fork, an outsider or a bot.
 */
export const Request = z.strictObject({
  schemaVersion: z.literal(1),
  /** What this run does: reviews a change, examines a whole tree, answers a merge queue, publishes a fork's artefact. */
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
});
export type Request = z.infer<typeof Request>;
