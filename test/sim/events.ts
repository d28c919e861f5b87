import type { GitHub } from './github.ts';
import { renderIssue, renderIssueComment, renderLabel } from './json/issue.ts';
import { renderPull } from './json/pull.ts';
import { renderRepository } from './json/repository.ts';
import { renderReviewComment } from './json/review.ts';
import { renderUser } from './json/user.ts';
import { renderWorkflowRun } from './rest/actions.ts';
import type { IssueComment, PullRequest, ReviewComment, WorkflowRun } from './state.ts';

/** An event as a workflow run sees it: the payload, and what the runner's variables say beside it. */
export interface WorkflowEvent {
  name: string;
  payload: Record<string, unknown>;
  /** GITHUB_SHA. */
  sha: string;
  /** GITHUB_REF. */
  ref: string;
  headRef: string;
  baseRef: string;
  actor: string;
}

const NO_COMMIT = '0'.repeat(40);

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

/** `merge_group`: the queue's own branch, which holds the merged state of a pull request. */
export function mergeGroupEvent(github: GitHub, number: number): WorkflowEvent {
  const pull = github.findPullRequest(number);
  const head = pull.mergeSha ?? pull.headSha;
  const ref = `refs/heads/gh-readonly-queue/${pull.baseRef}/pr-${number}-${pull.baseSha}`;
  const payload = {
    action: 'checks_requested',
    merge_group: {
      head_sha: head,
      head_ref: ref,
      base_sha: pull.baseSha,
      base_ref: `refs/heads/${pull.baseRef}`,
      head_commit: renderPushCommit(github, head),
    },
  };
  return { ...onBranch(github, 'merge_group', payload, 'github-merge-queue[bot]'), sha: head, ref };
}

/** `push` of what the branch holds now. */
export function pushEvent(github: GitHub, branch: string, before = NO_COMMIT): WorkflowEvent {
  const after = github.repo.sha(`refs/heads/${branch}`) ?? NO_COMMIT;
  const created = before === NO_COMMIT;
  const deleted = after === NO_COMMIT;
  const range = created ? ['-1', after] : [`${before}..${after}`];
  const shas = deleted
    ? []
    : github.repo
        .git('rev-list', '--reverse', ...range)
        .split('\n')
        .filter(sha => sha !== '');
  const payload = {
    ref: `refs/heads/${branch}`,
    before,
    after,
    created,
    deleted,
    forced: false,
    base_ref: null,
    compare: `${github.url}/${github.fullName}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: shas.map(sha => renderPushCommit(github, sha)),
    head_commit: deleted ? null : renderPushCommit(github, after),
    pusher: { name: 'octocat', email: 'octocat@example.test' },
  };
  return { ...onBranch(github, 'push', payload, 'octocat'), sha: after, ref: `refs/heads/${branch}` };
}

/** `schedule`: the payload holds little more than the line that fired. */
export function scheduleEvent(github: GitHub, cron = '0 3 * * 1'): WorkflowEvent {
  return onBranch(github, 'schedule', { schedule: cron }, 'octocat');
}

export function workflowDispatchEvent(
  github: GitHub,
  inputs: Record<string, string>,
  sender = 'octocat',
): WorkflowEvent {
  const payload = {
    inputs,
    ref: `refs/heads/${github.settings.defaultBranch}`,
    workflow: '.github/workflows/review.yml',
  };
  return onBranch(github, 'workflow_dispatch', payload, sender);
}

/** `workflow_run` completed; for a fork's run the list of pull requests is empty. */
export function workflowRunEvent(github: GitHub, run: WorkflowRun): WorkflowEvent {
  const workflow = { id: 1, name: run.name, path: '.github/workflows/review.yml', state: 'active' };
  const payload = { action: 'completed', workflow, workflow_run: renderWorkflowRun(github.site, run) };
  return onBranch(github, 'workflow_run', payload, run.actor.login);
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

function onBranch(github: GitHub, name: string, payload: Record<string, unknown>, sender: string): WorkflowEvent {
  return { name, payload: complete(github, payload, sender), ...onDefaultBranch(github), actor: sender };
}

function onDefaultBranch(github: GitHub): Pick<WorkflowEvent, 'sha' | 'ref' | 'headRef' | 'baseRef'> {
  const ref = `refs/heads/${github.settings.defaultBranch}`;
  return { sha: github.repo.sha(ref) ?? NO_COMMIT, ref, headRef: '', baseRef: '' };
}

/** What GitHub adds to every payload. */
function complete(github: GitHub, payload: Record<string, unknown>, sender: string): Record<string, unknown> {
  const { site } = github;
  return { ...payload, repository: renderRepository(site), sender: renderUser(site, site.state.user(sender)) };
}

function renderPushCommit(github: GitHub, sha: string): Record<string, unknown> {
  const [tree = '', date = '', message = ''] = github.repo
    .git('log', '-1', '--format=%T%x00%cI%x00%B', sha)
    .split('\0');
  const person = { name: 'Simulator', email: 'simulator@example.test' };
  const url = `${github.url}/${github.fullName}/commit/${sha}`;
  return { id: sha, tree_id: tree, message: message.trim(), timestamp: date, url, author: person, committer: person };
}
