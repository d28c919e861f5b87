import { z } from 'zod';
import { ReportRequest } from './report.ts';

/**
 * What `resolve` decided and read, for `analyze` and `publish` (request.json). Title and body are untrusted text.
 * `restricted` means deterministic scanners only: a fork, an outsider or a bot.
 */
export const Request = z.strictObject({
  schemaVersion: z.literal(1),
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
  /** Tip of the base branch, where policy comes from. */
  baseSha: z.string(),
  /** Null for a whole tree. */
  mergeBaseSha: z.string().nullable(),
  wholeTree: z.boolean(),
  restricted: z.boolean(),
  /** Id of the check run left in progress; null when none could be written (fork). */
  checkRunId: z.int().nullable(),
  checkRefusal: z.string().nullable(),
  ref: z.string(),
});
export type Request = z.infer<typeof Request>;
