import { EXIT } from '../core/errors.ts';
import { MAX_POLICY_BYTES } from '../policy/policy-file.ts';
import { readNamedFile } from './check-file.ts';
import type { CommandContext } from './context.ts';
import { assertRecordable } from './recording-file.ts';
import { parseReviewOptions, REVIEW_HELP } from './review-options.ts';

/**
 * Reviews a local change, tree or folder; prints the result and returns the gate's exit status. Loads the sandbox first
 * and the rest while its container starts, which takes longer.
 */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const options = parseReviewOptions(argv);
  if (options === null) {
    context.stdout.write(REVIEW_HELP);
    return EXIT.passed;
  }
  const config = options.config === null ? null : await readNamedFile('--config', options.config, MAX_POLICY_BYTES);
  const issue = options.issue === null ? null : await readIssue(options.issue);
  if (options.replay !== null) {
    const { replayReview } = await import('./run-review.ts');
    return replayReview({ options, config, file: options.replay }, context);
  }
  if (options.record !== null) assertRecordable(options.record);
  const { withSandbox } = await import('./with-sandbox.ts');
  return withSandbox(context, async sandbox => {
    const { runReview } = await import('./run-review.ts');
    return runReview({ options, config, issue, sandbox }, context);
  });
}

async function readIssue(path: string) {
  const { readIssueFile } = await import('./read-issue-file.ts');
  return readIssueFile(path);
}
