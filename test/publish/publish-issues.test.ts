import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TriageRemediation, TriageResult } from '../../src/core/triage.ts';
import { MAX_ISSUE_WRITES, publishWantedIssues } from '../../src/publish/publish-issues.ts';
import { renderRemediationIssue } from '../../src/render/remediation-issue.ts';
import { EMPTY_COUNTS } from '../../src/triage/triage-result.ts';
import { startWorld, type World } from '../github/on-simulator.ts';
import { toRemediation } from '../graph/remediation.ts';
import { buildReport, buildRequest } from './build-report.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
  world.sim.settings.private = true;
  policy('t2');
});
afterEach(() => world.sim.close());

const policy = (issues: string) =>
  world.sim.repo.commit({
    branch: 'main',
    files: { '.cypherfix.yml': `version: 1\ntriage: { project: p, user: u, issues: ${issues} }\n` },
  });
const item = (groupKey: string, changes: Partial<TriageRemediation> = {}) =>
  toRemediation(groupKey, { targetRepo: 'Octo/Repo', ...changes });
const issues = () => world.sim.state.issues;
const writes = () => world.sim.journal.writes().length;

/** Publishes a triage with these fixes. */
async function publish(
  remediations: readonly TriageRemediation[],
  options: {
    complete?: boolean;
    private?: boolean;
    trustedBots?: string[];
    truncated?: Record<string, number>;
    reportPath?: string;
    headSha?: string;
  } = {},
) {
  const headSha = options.headSha ?? world.sim.repo.sha('main') ?? '';
  const triage: TriageResult = {
    runId: 'run',
    status: 'completed',
    counts: EMPTY_COUNTS,
    complete: options.complete ?? true,
    groups: [],
    remediations: [...remediations],
    changes: [],
  };
  const report = { ...buildReport({ headSha, findings: [] }), triage, truncated: options.truncated ?? {} };
  const request = buildRequest(headSha, {
    private: options.private ?? true,
    pullRequest: null,
    triage: { asked: true, automatic: false, trigger: 'dispatch', closedPullRequests: [], notices: [] },
  });
  const { told, notes } = await publishWantedIssues(world.gh, request, report, {
    configPath: '.cypherfix.yml',
    reportPath: options.reportPath ?? null,
    trustedBots: options.trustedBots ?? [],
  });
  return { told, notes };
}

describe('the life of an issue', () => {
  test('opened with label and marker, left alone, updated, closed when gone, opened again', async () => {
    expect(await publish([item('a'), item('b', { tier: 'T3' })])).toEqual({
      told: 'Issues of fixes: 1 opened.',
      notes: [],
    });
    const { key } = renderRemediationIssue(item('a'), 'p');
    expect(issues()).toMatchObject([{ title: 'Upgrade a', labels: ['cypherfix:remediation'], state: 'open' }]);
    expect(issues()[0]?.body).toContain(`<!-- cypherfix:v1 remediation ${key} -->`);

    const before = writes();
    expect(await publish([item('a')])).toEqual({ told: '', notes: [] });
    expect(writes()).toBe(before);

    // A tier below the limit still follows: the issue is there.
    expect((await publish([item('a', { tier: 'T3' })])).told).toBe('Issues of fixes: 1 updated.');
    expect(issues()[0]?.body).toContain('**T3 ');

    expect((await publish([])).told).toBe('Issues of fixes: 1 closed.');
    expect(issues()).toMatchObject([{ state: 'closed', stateReason: 'completed' }]);
    expect((await publish([])).told).toBe('');

    expect((await publish([item('a')])).told).toBe('Issues of fixes: 1 opened again.');
    expect(issues()).toMatchObject([{ state: 'open' }]);
    expect(issues()[0]?.body).not.toContain('remediation-gone');
    expect(issues()).toHaveLength(1);
  });

  test('people’s words around our part, their title and labels stay', async () => {
    await publish([item('a')]);
    const [issue] = issues();
    Object.assign(issue ?? {}, {
      title: 'Payments: upgrade a',
      body: `Owner: Anna\r\n\r\n${issue?.body}\r\n\r\nAfter the freeze.`,
      labels: ['cypherfix:remediation', 'team-a'],
    });
    await publish([item('a', { liveMemberCount: 7 })]);
    expect(issue).toMatchObject({ title: 'Payments: upgrade a', labels: ['cypherfix:remediation', 'team-a'] });
    expect(issue?.body).toMatch(/^Owner: Anna\n[\s\S]*7 open findings[\s\S]*After the freeze\.$/);
    await publish([]);
    expect(issue?.body).toMatch(/^Owner: Anna\n[\s\S]*After the freeze\.$/);
  });

  test('what a person closed stays closed while findings are left, and opens when it comes back', async () => {
    await publish([item('a')]);
    Object.assign(issues()[0] ?? {}, { state: 'closed' });
    expect((await publish([item('a')])).told).toBe(
      'Issues of fixes: as they were. 1 that a person closed stay closed.',
    );
    expect((await publish([])).told).toBe('Issues of fixes: 1 marked as gone.');
    expect((await publish([item('a')])).told).toBe('Issues of fixes: 1 opened again.');
  });

  test('what a person opened again stays open', async () => {
    await publish([item('a')]);
    await publish([]);
    Object.assign(issues()[0] ?? {}, { state: 'open' });
    expect((await publish([])).told).toBe('');
    expect(issues()).toMatchObject([{ state: 'open' }]);
  });

  test.each([
    ['not everything could be read', { complete: false }],
    ['the list was cut', { truncated: { 'triage remediations': 1 } }],
  ])('none is closed where %s', async (_, options) => {
    await publish([item('a')]);
    expect((await publish([], options)).told).toBe('');
    expect(issues()).toMatchObject([{ state: 'open' }]);
  });

  test('a fix of another repository’s code is not opened here', async () => {
    await publish([item('a', { targetRepo: 'octo/other' })]);
    expect(issues()).toEqual([]);
  });

  test('a marker in somebody else’s issue is text; a trusted bot’s counts', async () => {
    const { section } = renderRemediationIssue(item('a'), 'p');
    for (const author of ['mallory', 'fixer[bot]']) {
      world.sim.openIssue({ author, body: section, labels: ['cypherfix:remediation'] });
    }
    expect((await publish([item('a')], { trustedBots: ['fixer[bot]'] })).told).toBe('');
    expect((await publish([item('a')])).told).toBe('Issues of fixes: 1 opened.');
    await publish([], { trustedBots: ['fixer[bot]'] });
    expect(issues().map(({ author, state }) => [author.login, state])).toEqual([
      ['mallory', 'open'],
      ['fixer[bot]', 'closed'],
      ['github-actions[bot]', 'open'],
    ]);
  });
});

describe('where nothing may be written', () => {
  test('a public repository is refused, also one that became public meanwhile', async () => {
    const refused = { told: '', notes: [expect.stringContaining('no effect on a public repository')] };
    expect(await publish([item('a')], { private: false })).toEqual(refused);
    world.sim.settings.private = false;
    expect(await publish([item('a')])).toEqual(refused);
    expect(issues()).toEqual([]);
  });

  test('a report that was handed over writes none, and its commit decides nothing', async () => {
    const { notes } = await publish([item('a')], { reportPath: 'report' });
    expect(notes).toEqual([expect.stringContaining('only the run that made the triage')]);
    policy('off');
    const files = { '.cypherfix.yml': 'version: 1\ntriage: { project: p, user: u, issues: t3 }\n' };
    const headSha = world.sim.repo.commit({ branch: 'feature', files });
    expect(await publish([item('a')], { headSha })).toEqual({ told: '', notes: [] });
    expect(issues()).toEqual([]);
  });

  test('off asks GitHub for no issues', async () => {
    policy('off');
    expect(await publish([item('a')])).toEqual({ told: '', notes: [] });
    expect(world.sim.journal.of('graphql/repository')).toEqual([]);
  });

  test.each([
    ['to read', { contents: 'read', metadata: 'read' }],
    ['to write', { contents: 'read', metadata: 'read', issues: 'read' }],
  ] as const)('without the permission %s a note names it', async (_, permissions) => {
    world.sim.workflowToken.permissions = permissions;
    const { notes } = await publish([item('a'), item('b')]);
    expect(notes).toEqual([expect.stringContaining('`issues: write`')]);
    expect(issues()).toEqual([]);
  });
});

test('one run writes a limited number, the most important first, and the next goes on', async () => {
  const many = Array.from({ length: MAX_ISSUE_WRITES + 2 }, (_, at) => item(`g${at}`));
  const { told } = await publish(many);
  expect(told).toBe(`Issues of fixes: ${MAX_ISSUE_WRITES} opened, 2 more left to the next run.`);
  expect(issues()[0]?.title).toBe('Upgrade g0');
  expect((await publish(many)).told).toBe('Issues of fixes: 2 opened.');
});

test('an answer that was lost doubles nothing', async () => {
  world.sim.faults.add({ match: 'issues/create', kind: 'commit-then-502' });
  expect((await publish([item('a')])).told).toBe('Issues of fixes: 1 opened.');
  expect(issues()).toHaveLength(1);
});
