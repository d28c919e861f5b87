import { toMessage } from '../core/errors.ts';
import type { GitHub } from '../github/client.ts';
import { type CommentKind, createReaction } from '../github/comments.ts';
import { GitHubFailure } from '../github/failure.ts';
import { removeLabel } from '../github/issues.ts';
import type { RepositoryName } from '../github/repository-name.ts';

export interface RequestToFinish {
  /** The pull request or issue. */
  readonly number: number;
  /** The comment that asked for the run. */
  readonly comment: { readonly kind: CommentKind; readonly id: number } | null;
  /** The label that asked for the run; it goes whatever the result. */
  readonly label: string | null;
  readonly isAnswered: boolean;
}

/** Answers whoever asked for the run: a reaction on the comment, the label removed. Returns what could not be done. */
export async function finishRequest(
  gh: GitHub,
  repository: RepositoryName,
  request: RequestToFinish,
): Promise<string[]> {
  const { number, comment, label } = request;
  const problems: string[] = [];
  const attempt = async (what: string, write: () => Promise<void>) => {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof GitHubFailure)) throw error;
      problems.push(`${what}: ${toMessage(error)}`);
    }
  };
  if (comment !== null) {
    const reaction = request.isAnswered ? 'rocket' : 'confused';
    await attempt('no reaction on the comment', () => createReaction(gh, repository, comment, reaction));
  }
  if (label !== null) await attempt(`the label ${label} stays`, () => removeLabel(gh, repository, number, label));
  return problems;
}
