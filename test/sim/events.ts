import { complete, NO_COMMIT, onBranch, onDefaultBranch, type WorkflowEvent } from './event-frame.ts';
import type { GitHub } from './github.ts';
import { renderIssue, renderIssueComment, renderLabel } from './json/issue.ts';
import { renderPull } from './json/pull.ts';
import { renderReviewComment } from './json/review.ts';
import type { IssueComment, PullRequest, ReviewComment } from './state.ts';

export {
  mergeGroupEvent,
  pushEvent,
  scheduleEvent,
  workflowDispatchEvent,
  workflowRunEvent,
} from './branch-events.ts';
export type { WorkflowEvent } from './event-frame.ts';

/** `pull_request`; GITHUB_SHA is the test merge, not the head. */
export function pullRequestEvent(
  github: GitHub,
  number: number,
  action: string,
  more: { sender?: string; label?: string; before?: string } = {},
): WorkflowEvent {
  const pull = github.findPullRequest(number);
  const payload = {
    action,
    number,
    pull_request: renderPull(github.site, pull),
    ...(more.label === undefined ? {} : { label: renderLabel(github.site, more.label) }),
    ...(action === 'synchronize' ? { before: more.before ?? NO_COMMIT, after: pull.headSha } : {}),
  };
  return onPull(github, 'pull_request', pull, payload, more.sender ?? pull.author.login);
}

/** `pull_request_target`: the same payload, but the base branch's workflow, token and commit. */
export function pullRequestTargetEvent(github: GitHub, number: number, action: string): WorkflowEvent {
  const event = pullRequestEvent(github, number, action);
  return { ...event, ...onDefaultBranch(github), name: 'pull_request_target' };
}

/** `issue_comment` under an issue or a pull request: no head SHA in it, and GITHUB_SHA is the default branch. */
export function issueCommentEvent(github: GitHub, comment: IssueComment, action = 'created'): WorkflowEvent {
  const issue = [...github.state.issues, ...github.state.pulls].find(candidate => candidate.number === comment.number);
  if (issue === undefined) throw new Error(`no issue ${comment.number}`);
  const payload = {
    action,
    issue: renderIssue(github.site, issue),
    comment: renderIssueComment(github.site, comment),
  };
  return onBranch(github, 'issue_comment', payload, comment.author.login);
}

/** `pull_request_review_comment`, also for a reply in a thread. */
export function reviewCommentEvent(github: GitHub, comment: ReviewComment, action = 'created'): WorkflowEvent {
  const pull = github.findPullRequest(comment.pullNumber);
  const payload = {
    action,
    comment: renderReviewComment(github.site, comment),
    pull_request: renderPull(github.site, pull),
  };
  return onPull(github, 'pull_request_review_comment', pull, payload, comment.author.login);
}

/** `issues`, such as `labeled`. */
export function issuesEvent(
  github: GitHub,
  number: number,
  action: string,
  more: { sender?: string; label?: string } = {},
): WorkflowEvent {
  const issue = github.state.issues.find(candidate => candidate.number === number);
  if (issue === undefined) throw new Error(`no issue ${number}`);
  const label = more.label === undefined ? {} : { label: renderLabel(github.site, more.label) };
  const payload = { action, issue: renderIssue(github.site, issue), ...label };
  return onBranch(github, 'issues', payload, more.sender ?? issue.author.login);
}

function onPull(
  github: GitHub,
  name: string,
  pull: PullRequest,
  payload: Record<string, unknown>,
  sender: string,
): WorkflowEvent {
  return {
    name,
    payload: complete(github, payload, sender),
    sha: pull.mergeSha ?? pull.headSha,
    ref: `refs/pull/${pull.number}/merge`,
    headRef: pull.headRef,
    baseRef: pull.baseRef,
    actor: sender,
  };
}
