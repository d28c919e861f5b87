import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { type Decision, decide } from '../../src/event/decide.ts';
import { parseEvent } from '../../src/event/payload.ts';

interface Example {
  readonly name: string;
  readonly examples: readonly Record<string, unknown>[];
}
const published = createRequire(import.meta.url)(
  '@octokit/webhooks-examples/api.github.com/index.json',
) as readonly Example[];

type Json = Record<string, unknown>;
const REPOSITORY = 'octo/app';

const user = (login = 'alice') => ({ login, type: 'User' });
const bot = (login = 'dependabot[bot]') => ({ login, type: 'Bot' });

function pull(changes: Json = {}): Json {
  return {
    number: 7,
    state: 'open',
    draft: false,
    user: user('author'),
    head: { sha: 'a'.repeat(40), repo: { full_name: REPOSITORY } },
    base: { ref: 'main' },
    ...changes,
  };
}

const onPull = (action: string, changes: Json = {}, more: Json = {}): Json => ({
  action,
  sender: user(),
  pull_request: pull(changes),
  ...more,
});

const comment = (body: string, more: Json = {}): Json => ({
  action: 'created',
  sender: user(),
  issue: { number: 7, state: 'open', pull_request: { url: 'x' } },
  comment: { id: 55, body },
  ...more,
});

const judge = (name: string, payload: Json, number: number | null = null): Decision =>
  decide(parseEvent(name, payload, REPOSITORY), number);

describe("GitHub's published examples", () => {
  const table: readonly [string, string | undefined, string][] = [
    ['pull_request', 'opened', 'review'],
    ['pull_request', 'reopened', 'review'],
    ['pull_request', 'synchronize', 'review'],
    ['pull_request', 'ready_for_review', 'review'],
    ['pull_request', 'closed', 'skip'],
    ['pull_request', 'labeled', 'skip'],
    ['pull_request', 'assigned', 'skip'],
    ['pull_request', 'converted_to_draft', 'skip'],
    ['issue_comment', 'created', 'skip'],
    ['issue_comment', 'edited', 'skip'],
    ['issue_comment', 'deleted', 'skip'],
    ['issues', 'labeled', 'skip'],
    ['issues', 'opened', 'skip'],
    ['merge_group', 'checks_requested', 'merge-group'],
    ['pull_request_review_comment', 'created', 'skip'],
    ['workflow_dispatch', undefined, 'whole-tree'],
    ['workflow_run', 'requested', 'skip'],
    ['workflow_run', 'completed', 'skip'],
  ];
  test.each(table)('%s %s → %s', (name, action, kind) => {
    const payloads = published.filter(e => e.name === name).flatMap(e => e.examples);
    const matching = payloads.filter(p => p['action'] === action);
    expect(matching.length).toBeGreaterThan(0);
    for (const payload of matching) {
      const repository = (payload['repository'] as { full_name: string }).full_name;
      const draft = (payload['pull_request'] as { draft?: boolean } | undefined)?.draft === true;
      const decision = decide(parseEvent(name, payload, repository), null);
      expect(decision.kind).toBe(draft && kind === 'review' ? 'skip' : kind);
    }
  });

  test('every published payload of every event is decided without an error', () => {
    let decided = 0;
    for (const { name, examples } of published) {
      for (const payload of examples) {
        expect(decide(parseEvent(name, payload, REPOSITORY), null).kind).toBeTypeOf('string');
        decided++;
      }
    }
    expect(decided).toBeGreaterThan(200);
  });

  test('a push to the default branch takes the whole tree, any other none', () => {
    const kinds = published
      .filter(e => e.name === 'push')
      .flatMap(e => e.examples)
      .map(payload => {
        const toDefault =
          payload['ref'] === `refs/heads/${(payload['repository'] as { default_branch: string }).default_branch}`;
        return [decide(parseEvent('push', payload, REPOSITORY), null).kind, toDefault && payload['deleted'] !== true];
      });
    for (const [kind, applies] of kinds) expect(kind).toBe(applies ? 'whole-tree' : 'skip');
  });
});

describe('pull requests', () => {
  test('a draft waits until it is ready', () => {
    expect(judge('pull_request', onPull('opened', { draft: true }))).toEqual({
      kind: 'skip',
      reason: 'draft pull request (reviewed when marked ready)',
    });
  });
  test('a closed one is left alone', () => {
    expect(judge('pull_request', onPull('synchronize', { state: 'closed' })).kind).toBe('skip');
  });
  test.each([
    ['a fork', { head: { sha: 'b'.repeat(40), repo: { full_name: 'mallory/app' } } }, {}],
    ['a deleted head repository', { head: { sha: 'b'.repeat(40), repo: null } }, {}],
    ["a bot's pull request", { user: bot() }, {}],
    ['a push by a bot', {}, { sender: bot('github-actions[bot]') }],
  ])('%s gets the deterministic scanners only', (_, changes, more) => {
    expect(judge('pull_request', onPull('synchronize', changes, more))).toMatchObject({
      kind: 'review',
      restricted: true,
    });
  });
  test('an own branch is not restricted and needs no permission', () => {
    expect(judge('pull_request', onPull('opened'))).toMatchObject({
      kind: 'review',
      restricted: false,
      permissionOf: null,
      headSha: 'a'.repeat(40),
      onAction: 'opened',
    });
  });
  test('names of repositories are compared without case', () => {
    const head = { sha: 'b'.repeat(40), repo: { full_name: 'Octo/App' } };
    expect(judge('pull_request', onPull('opened', { head }))).toMatchObject({ restricted: false });
  });
});

describe('labels', () => {
  const labeled = (name: string, more: Json = {}) =>
    judge('pull_request', onPull('labeled', {}, { label: { name }, ...more }));
  test.each(['cypherfix:review', 'CypherFix:Review'])('%s starts a review by its sender', name => {
    expect(labeled(name)).toMatchObject({
      kind: 'review',
      permissionOf: 'alice',
      label: name,
      headSha: 'a'.repeat(40),
    });
  });
  test.each(['cypherfix:fix', 'cypherfix', 'review', 'cypherfix:reviewed'])('%s starts none', name => {
    expect(labeled(name).kind).toBe('skip');
  });
  test('a label by a bot starts none', () => {
    expect(labeled('cypherfix:review', { sender: bot() }).kind).toBe('skip');
  });
  test('a draft may be reviewed by label', () => {
    expect(
      judge('pull_request', onPull('labeled', { draft: true }, { label: { name: 'cypherfix:review' } })).kind,
    ).toBe('review');
  });
});

describe('comments', () => {
  test('a command on a pull request needs its sender’s permission and the head from the API', () => {
    expect(judge('issue_comment', comment('/cypherfix review full'))).toMatchObject({
      kind: 'review',
      headSha: null,
      permissionOf: 'alice',
      full: true,
      comment: { id: 55, of: 'issue' },
    });
  });
  test.each([
    ['on an issue', comment('/cypherfix review', { issue: { number: 7, state: 'open' } })],
    ['on a closed one', comment('/cypherfix review', { issue: { number: 7, state: 'closed', pull_request: {} } })],
    ['of a later version', comment('/cypherfix fix all')],
    ['that is none', comment('/cypherfix dance')],
  ])('a command %s is refused with a reason', (_, payload) => {
    const decision = judge('issue_comment', payload);
    expect(decision.kind).toBe('refuse');
    expect(decision.kind === 'refuse' && decision.reason.length).toBeGreaterThan(10);
  });
  test('any other comment is skipped without a word', () => {
    expect(judge('issue_comment', comment('looks good')).kind).toBe('skip');
  });
  test("a bot's command never starts a run", () => {
    expect(judge('issue_comment', comment('/cypherfix review', { sender: bot() })).kind).toBe('skip');
  });
  test('an edited comment starts none', () => {
    expect(judge('issue_comment', comment('/cypherfix review', { action: 'edited' })).kind).toBe('skip');
  });
  test('a reply in an inline thread is a command too', () => {
    const payload = onPull('created', {}, { comment: { id: 9, body: '/cypherfix help', in_reply_to_id: 8 } });
    expect(judge('pull_request_review_comment', payload)).toEqual({
      kind: 'help',
      number: 7,
      permissionOf: 'alice',
      comment: { id: 9, of: 'review' },
    });
  });
});

describe('events without a pull request', () => {
  const repository = { default_branch: 'main', full_name: REPOSITORY };
  test('schedule takes the whole tree at the tip', () => {
    expect(judge('schedule', { schedule: '0 3 * * *' })).toEqual({
      kind: 'whole-tree',
      trigger: 'schedule',
      headSha: null,
      permissionOf: null,
    });
  });
  test('a tag or another branch is skipped', () => {
    for (const ref of ['refs/tags/v1', 'refs/heads/dev', 'refs/heads/main2']) {
      expect(judge('push', { ref, after: 'c'.repeat(40), repository }).kind).toBe('skip');
    }
  });
  test('a dispatch with a number reviews that pull request, by someone with permission', () => {
    expect(judge('workflow_dispatch', { sender: user(), repository }, 12)).toMatchObject({
      kind: 'review',
      number: 12,
      permissionOf: 'alice',
    });
  });
  test("a fork's finished run is published from its artefact", () => {
    const run = { id: 99, event: 'pull_request', head_sha: 'd'.repeat(40), conclusion: 'success' };
    const of = (full_name: string) => ({
      action: 'completed',
      workflow_run: { ...run, head_repository: { full_name } },
    });
    expect(judge('workflow_run', of('mallory/app'))).toEqual({
      kind: 'publish-artifact',
      runId: 99,
      headSha: 'd'.repeat(40),
    });
    expect(judge('workflow_run', of(REPOSITORY)).kind).toBe('skip');
  });
  test('a merge group reports, a destroyed one does not', () => {
    const group = { head_sha: 'e'.repeat(40), base_ref: 'refs/heads/main' };
    expect(judge('merge_group', { action: 'checks_requested', merge_group: group }).kind).toBe('merge-group');
    expect(judge('merge_group', { action: 'destroyed', merge_group: group }).kind).toBe('skip');
  });
  test('pull_request_target is refused by name', () => {
    const decision = judge('pull_request_target', onPull('opened'));
    expect(decision).toMatchObject({ kind: 'skip', reason: expect.stringContaining('pull_request_target') });
  });
});

test.each([
  ['pull_request', { action: 'opened' }, 'pull_request.pull_request is not an object'],
  ['pull_request', onPull('opened', { head: {} }), 'pull_request.pull_request.head.sha is not a string'],
  [
    'issue_comment',
    { action: 'created', issue: { number: 'x' }, comment: {} },
    'issue_comment.issue.number is not a number',
  ],
])('a broken %s payload names the key', (name, payload, place) => {
  expect(() => parseEvent(name, payload, REPOSITORY)).toThrow(place);
});
