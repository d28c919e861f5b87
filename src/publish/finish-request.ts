import type { GitHub } from '../github/client.ts';
import { createReaction } from '../github/comments.ts';
import { removeLabel } from '../github/issues.ts';
import { createNotes } from './notes.ts';
import type { PublishTarget } from './target.ts';

/**
 * Answers whoever asked for the run: a reaction on the comment, the label removed whatever the result. Returns what
 * could not be done.
 */
export async function finishRequest(
  gh: GitHub,
  target: PublishTarget,
  isAnswered: boolean,
): Promise<readonly string[]> {
  const { repository, comment, label, number } = target;
  const notes = createNotes();
  if (comment !== null) {
    const reaction = isAnswered ? 'rocket' : 'confused';
    await notes.attempt('The comment got no reaction', () => createReaction(gh, repository, comment, reaction));
  }
  if (label !== null && number !== null) {
    await notes.attempt(`The label ${label} stays`, () => removeLabel(gh, repository, number, label));
  }
  return notes.all();
}
