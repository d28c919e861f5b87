import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { openGraph, type TestProject } from '../graph/project.ts';
import type { GitHub } from '../sim/github.ts';
import { reportOf, startRanked, triage } from './ranked.ts';
import { outcomes } from './run-job.ts';
import { checkOf, FAULTY } from './shop.ts';

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph?.close());

/** A finding of the graph whose every word would be noticed. */
const addHidden = (project: TestProject) =>
  project.run(
    `CREATE (:Vulnerability {user_id: $userId, project_id: $projectId, source: 'nuclei', severity: 'critical',
       id: 'hidden-id', name: 'HIDDENNAME injection', matched_at: 'https://hidden-host.example/login', host: 'hidden-host.example',
       description: 'HIDDENTEXT', template_id: 'HIDDENTEMPLATE', updated_at: datetime('2026-01-01T00:00:00Z')})`,
  );
const HIDDEN = /hidden[-\w]*/gi;

describe('a public repository', () => {
  let github: GitHub;
  let project: TestProject;
  beforeAll(async () => {
    ({ github, project } = await startRanked(graph, { private: false, more: ', issues: t3' }));
    await addHidden(project);
  });
  afterAll(() => github?.close());

  test('counts by tier and its own findings are shown, and nothing else of the graph', async () => {
    const job = await triage(github);
    expect(outcomes(job)).toMatchObject({ analyze: 'success', publish: 'success' });
    const { triage: shown, notices } = reportOf(job);
    expect(shown?.status).toBe('completed');
    const { T1 = 0, T2 = 0, T3 = 0, T4 = 0 } = shown?.counts.tiers ?? {};
    const own = shown?.groups.flatMap(({ members }) => members) ?? [];
    expect(own.map(({ path, host }) => [path, host])).toContainEqual(['old.py', '']);
    expect(T1 + T2 + T3 + T4).toBe(own.length + 1);
    expect(shown?.remediations).toEqual([]);
    expect(notices).toContainEqual(expect.stringContaining('This repository is public'));
    expect(job.summary).toContain('no effect on a public repository');
    expect(github.state.issues).toEqual([]);
    const check = checkOf(github, github.repo.sha('main') ?? '');
    const files = Object.values(job.files).map(String);
    for (const text of [job.summary, job.log, JSON.stringify(check), JSON.stringify(job.outputs), ...files]) {
      expect(text.match(HIDDEN)).toBeNull();
    }
    // It was ranked all the same.
    expect(await project.readFinding('hidden-id')).toMatchObject({ triage_tier: expect.any(String) });
  });

  test('where the graph cannot be reached, neither summary nor log names the server', async () => {
    const job = await triage(github, { inputs: { 'neo4j-uri': 'bolt://127.0.0.1:1' } });
    expect(job.steps['analyze']?.result?.status).toBe(69);
    expect(job.summary).toContain('the graph cannot be reached');
    expect(job.summary + job.log).not.toMatch(/127\.0\.0\.1:1\b/);
  });
});

test('issues of fixes: opened, left alone by the next run, closed when mended, opened again', async () => {
  const { github, project } = await startRanked(graph, { more: ', issues: t3' });
  try {
    await addHidden(project);
    const first = await triage(github);
    const fixes = reportOf(first).triage?.remediations ?? [];
    const wanted = fixes.filter(({ tier }) => tier !== 'T4').map(({ title }) => title);
    expect(wanted.length).toBeGreaterThan(1);
    expect(first.summary).toContain(`Issues of fixes: ${wanted.length} opened.`);
    const { issues } = github.state;
    expect(issues.map(({ title }) => title).sort()).toEqual([...wanted].sort());
    expect(issues.every(({ labels }) => labels.includes('cypherfix:remediation'))).toBe(true);
    expect(issues.map(({ body }) => body).join('\n')).not.toContain(project.tenant.projectId);

    const bodies = issues.map(({ body }) => body);
    const second = await triage(github);
    expect(second.summary).not.toContain('Issues of fixes');
    expect(issues.map(({ body }) => body)).toEqual(bodies);

    github.repo.commit({ branch: 'main', files: { 'old.py': null } });
    await triage(github);
    const isOpen = (text: string) => issues.find(({ title }) => title.includes(text))?.state;
    expect(issues.filter(({ state }) => state === 'closed').length).toBe(wanted.length - 1);
    expect(isOpen('HIDDENNAME')).toBe('open');

    github.repo.commit({ branch: 'main', files: { 'old.py': FAULTY } });
    const back = await triage(github);
    expect(back.summary).toContain(`Issues of fixes: ${wanted.length - 1} opened again.`);
    expect(issues).toHaveLength(wanted.length);
    expect(issues.every(({ state }) => state === 'open')).toBe(true);
  } finally {
    await github.close();
  }
});

test('without the permission for issues the run says so and succeeds', async () => {
  const { github } = await startRanked(graph, { more: ', issues: t3' });
  try {
    github.workflowToken.permissions = { contents: 'read', checks: 'write', metadata: 'read' };
    const job = await triage(github);
    expect(outcomes(job)).toMatchObject({ publish: 'success' });
    expect(job.summary).toMatch(/needs the permission .*issues: write/);
    // Which pull requests are closed could not be read either.
    expect(reportOf(job).notices).toContainEqual(expect.stringContaining('closed pull requests left'));
  } finally {
    await github.close();
  }
});
