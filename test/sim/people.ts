import { findPlace } from './review-anchor.ts';
import { addComment, addReply } from './review-store.ts';
import { type Site, timestamp } from './site.ts';
import type { IssueComment, PullRequest, ReviewComment, Role, User } from './state.ts';
import type { Token } from './tokens.ts';

/** What other people do on the site while the action works. */
export interface People {
  /** Gives somebody a role; `none` takes it away. */
  setRole(login: string, role: Role): User;
  /** Writes a comment under an issue or a pull request. */
  comment(number: number, body: string, login?: string): IssueComment;
  /** Answers in a review thread. */
  reply(comment: ReviewComment, body: string, login?: string): ReviewComment;
  /** Comments on a line of the diff. */
  commentOnLine(number: number, place: { path: string; line: number }, body: string, login?: string): ReviewComment;
  /** Comments, and reviews, whose body holds the text: what was published by marker. */
  reviewsWith(text: string): Site['state']['reviews'];
  commentsWith(text: string): ReviewComment[];
}

export function createPeople(site: Site): People {
  const { state } = site;
  return {
    setRole: (login, role) => {
      state.collaborators.set(login.toLowerCase(), role);
      return state.user(login);
    },
    comment: (number, body, login = 'octocat') => {
      const at = timestamp(site);
      const author = state.user(login);
      const comment = { id: state.nextId(), number, author, body, createdAt: at, updatedAt: at, minimized: null };
      state.issueComments.push(comment);
      return comment;
    },
    reply: (comment, body, login = 'octocat') => addReply(as(site, login), comment, body),
    commentOnLine: (number, place, body, login = 'octocat') => {
      const pull = state.pulls.find(candidate => candidate.number === number);
      if (pull === undefined) throw new Error(`no pull request ${number}`);
      return commentOnLine(site, pull, place, { body, login });
    },
    reviewsWith: text => state.reviews.filter(review => review.body.includes(text)),
    commentsWith: text => state.reviewComments.filter(comment => comment.body.includes(text)),
  };
}

function commentOnLine(
  site: Site,
  pull: PullRequest,
  place: { path: string; line: number },
  words: { body: string; login: string },
): ReviewComment {
  const found = findPlace(site.repo, pull, pull.headSha, place);
  if (Array.isArray(found)) throw new Error(found.map(refusal => refusal.message).join(', '));
  const review = {
    id: site.state.nextId(),
    pullNumber: pull.number,
    author: site.state.user(words.login),
    body: '',
    state: 'COMMENTED' as const,
    commitId: pull.headSha,
    submittedAt: timestamp(site),
    minimized: null,
  };
  site.state.reviews.push(review);
  return addComment(as(site, words.login), { pull, review, commitId: pull.headSha, body: words.body, place: found });
}

function as(site: Site, login: string): { site: Site; token: Token } {
  const token: Token = {
    value: '',
    user: site.state.user(login),
    kind: 'user',
    appId: 0,
    permissions: {},
    used: 0,
    writes: [],
  };
  return { site, token };
}
