import { toMessage } from '../core/errors.ts';
import { COMMAND_HELP } from '../event/command.ts';
import type { CommentRef } from '../event/decide.ts';
import { createIssueComment, createReaction, type Reaction } from '../github/comments.ts';
import { GitHubFailure } from '../github/failure.ts';
import { removeLabel } from '../github/issues.ts';
import { fetchPermission, mayWrite } from '../github/permission.ts';
import type { Resolving } from './resolving.ts';

/** Where somebody asked for something: a comment, a label, or neither (dispatch). */
export interface Asked {
  readonly number: number | null;
  readonly comment: CommentRef | null;
  readonly label: string | null;
}

/**
 * Null when the person may write; else the reason, after the refusal was shown. Fails closed: a permission that cannot
 * be read is none.
 */
export async function refuseWithoutPermission(
  resolving: Resolving,
  asked: Asked,
  login: string,
): Promise<string | null> {
  try {
    if (mayWrite(await fetchPermission(resolving.gh, resolving.repository, login))) return null;
  } catch (error) {
    resolving.context.log.warn(toMessage(error));
  }
  return refuse(resolving, asked, 'this needs write permission on the repository');
}

/** Answers with thumbs down and one line of reason, and takes the label off. Returns the reason. */
export async function refuse(resolving: Resolving, asked: Asked, reason: string): Promise<string> {
  await answer(resolving, asked, '-1', `Not carried out: ${reason}.`);
  const { number, label } = asked;
  if (number !== null && label !== null) {
    await attempt(resolving, `the label ${label} stays`, () =>
      removeLabel(resolving.gh, resolving.repository, number, label),
    );
  }
  return reason;
}

/** Answers `/cypherfix help`. */
export const answerHelp = (resolving: Resolving, asked: Asked): Promise<void> =>
  answer(resolving, asked, '+1', COMMAND_HELP);

/** An answer that cannot be written is a warning: it must not change what is decided. */
export async function acknowledge(resolving: Resolving, comment: CommentRef, reaction: Reaction): Promise<void> {
  await attempt(resolving, 'no reaction on the comment', () =>
    createReaction(resolving.gh, resolving.repository, { kind: comment.of, id: comment.id }, reaction),
  );
}

async function answer(resolving: Resolving, asked: Asked, reaction: Reaction, text: string): Promise<void> {
  const { number, comment } = asked;
  if (comment === null || number === null) return;
  await acknowledge(resolving, comment, reaction);
  const marker = `<!-- cypherfix:v1 answer ${comment.of}-${comment.id} -->`;
  await attempt(resolving, 'no answer to the comment', () =>
    createIssueComment(resolving.gh, resolving.repository, number, `${text}\n\n${marker}`, marker),
  );
}

async function attempt({ context }: Resolving, what: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof GitHubFailure)) throw error;
    context.log.warn(`${what}: ${toMessage(error)}`);
  }
}
