import type { VerdictResult } from '../core/verdict.ts';
import type { GitHub } from '../github/client.ts';
import { createIssueComment, createReaction, listIssueComments, updateIssueComment } from '../github/comments.ts';
import { renderVerdict } from '../render/verdict.ts';
import { createNotes } from './notes.ts';
import type { PublishTarget } from './target.ts';

/**
 * Answers the comment that gave a verdict: a reaction, and what the finding ranks now. Run twice, nothing doubles.
 * Returns what could not be written.
 */
export async function publishVerdict(
  gh: GitHub,
  result: VerdictResult,
  target: PublishTarget,
  number: number,
): Promise<readonly string[]> {
  const { repository, comment } = target;
  const notes = createNotes();
  if (comment === null) return notes.all();
  const marker = `<!-- cypherfix:v1 answer ${comment.kind}-${comment.id} -->`;
  const body = `${renderVerdict(result)}\n\n${marker}`;
  await notes.attempt('The verdict could not be answered', async () => {
    const answered = (await listIssueComments(gh, repository, number)).find(
      ({ authorType, body: text }) => authorType === 'Bot' && text.includes(marker),
    );
    if (answered === undefined) await createIssueComment(gh, repository, number, body, marker);
    else await updateIssueComment(gh, repository, answered.id, body);
  });
  const reaction = result.status === 'recorded' ? 'rocket' : 'confused';
  await notes.attempt('The comment got no reaction', () => createReaction(gh, repository, comment, reaction));
  return notes.all();
}
