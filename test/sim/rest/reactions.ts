import { type Call, findById, findIssue, type Handler, type Handlers } from '../call.ts';
import { renderReaction } from '../json/issue.ts';
import { timestamp } from '../site.ts';
import type { Need } from '../tokens.ts';

type Subject = (call: Call) => string;

const onIssueComment: Subject = call =>
  `issue-comment/${findById(call.site.state.issueComments, call.params['comment_id']).id}`;
const onReviewComment: Subject = call =>
  `review-comment/${findById(call.site.state.reviewComments, call.params['comment_id']).id}`;
const onIssue: Subject = call => `issue/${findIssue(call).number}`;

const EITHER = ['issues:write', 'pull-requests:write'] as const;
const EITHER_READ = ['issues:read', 'pull-requests:read'] as const;
const PULLS = ['pull-requests:write'] as const;

export const reactionHandlers: Handlers = {
  'reactions/create-for-issue-comment': create(onIssueComment, EITHER),
  'reactions/list-for-issue-comment': list(onIssueComment, EITHER_READ),
  'reactions/delete-for-issue-comment': remove(onIssueComment, EITHER),
  'reactions/create-for-pull-request-review-comment': create(onReviewComment, PULLS),
  'reactions/list-for-pull-request-review-comment': list(onReviewComment, ['pull-requests:read']),
  'reactions/delete-for-pull-request-comment': remove(onReviewComment, PULLS),
  'reactions/create-for-issue': create(onIssue, EITHER),
  'reactions/list-for-issue': list(onIssue, EITHER_READ),
};

/** 201 for a new reaction, 200 when the same user had left it before. */
function create(subjectOf: Subject, needs: readonly Need[]): Handler {
  return {
    needs,
    run: call => {
      const { state } = call.site;
      const subject = subjectOf(call);
      const { content } = call.body as { content: string };
      const { user } = call.token;
      const known = state.reactions.find(
        reaction => reaction.subject === subject && reaction.user.id === user.id && reaction.content === content,
      );
      if (known !== undefined) return { status: 200, json: renderReaction(call.site, known) };
      const reaction = { id: state.nextId(), subject, user, content, createdAt: timestamp(call.site) };
      state.reactions.push(reaction);
      return { status: 201, json: renderReaction(call.site, reaction) };
    },
  };
}

function list(subjectOf: Subject, needs: readonly Need[]): Handler {
  return {
    needs,
    run: call => {
      const subject = subjectOf(call);
      const content = call.query.get('content');
      const found = call.site.state.reactions.filter(
        reaction => reaction.subject === subject && (content === null || reaction.content === content),
      );
      return { list: found.map(reaction => renderReaction(call.site, reaction)) };
    },
  };
}

function remove(subjectOf: Subject, needs: readonly Need[]): Handler {
  return {
    needs,
    run: call => {
      subjectOf(call);
      const { reactions } = call.site.state;
      reactions.splice(reactions.indexOf(findById(reactions, call.params['reaction_id'])), 1);
      return { status: 204 };
    },
  };
}
