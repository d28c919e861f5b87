import { NO_COMMIT, onBranch, type WorkflowEvent } from './event-frame.ts';
import type { GitHub } from './github.ts';
import { renderWorkflowRun } from './rest/actions.ts';
import type { WorkflowRun } from './state.ts';

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
      head_commit: renderCommit(github, head),
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
    commits: shas.map(sha => renderPushedCommit(github, sha)),
    head_commit: deleted ? null : renderPushedCommit(github, after),
    pusher: { name: 'octocat', email: 'octocat@example.test' },
  };
  const event = onBranch(github, 'push', payload, 'octocat');
  // A push describes the repository in an older form, with two names of its own.
  const old = { stargazers: 0, master_branch: github.settings.defaultBranch };
  const repository = { ...(event.payload['repository'] as object), ...old };
  return { ...event, payload: { ...event.payload, repository }, sha: after, ref: `refs/heads/${branch}` };
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
  const path = '.github/workflows/review.yml';
  const web = `${github.url}/${github.fullName}`;
  const workflow = {
    id: 1,
    node_id: 'W_1',
    name: run.name,
    path,
    state: 'active',
    created_at: run.createdAt,
    updated_at: run.createdAt,
    url: `${github.url}/repos/${github.fullName}/actions/workflows/1`,
    html_url: `${web}/blob/${github.settings.defaultBranch}/${path}`,
    badge_url: `${web}/workflows/${encodeURIComponent(run.name)}/badge.svg`,
  };
  const payload = { action: 'completed', workflow, workflow_run: renderWorkflowRun(github.site, run) };
  return onBranch(github, 'workflow_run', payload, run.actor.login);
}

/** A push also says what each commit did to which file. */
function renderPushedCommit(github: GitHub, sha: string): Record<string, unknown> {
  const fields = github.repo.git('diff-tree', '--root', '--no-commit-id', '--name-status', '-r', '-z', sha).split('\0');
  const changed = (letter: string) => fields.filter((_, index) => index % 2 === 1 && fields[index - 1] === letter);
  return {
    ...renderCommit(github, sha),
    distinct: true,
    added: changed('A'),
    removed: changed('D'),
    modified: changed('M'),
  };
}

function renderCommit(github: GitHub, sha: string): Record<string, unknown> {
  const [tree = '', date = '', message = ''] = github.repo
    .git('log', '-1', '--format=%T%x00%cI%x00%B', sha)
    .split('\0');
  const person = { name: 'Simulator', email: 'simulator@example.test' };
  const url = `${github.url}/${github.fullName}/commit/${sha}`;
  return { id: sha, tree_id: tree, message: message.trim(), timestamp: date, url, author: person, committer: person };
}
