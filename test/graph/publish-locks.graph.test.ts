import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Graph, GraphTx } from '../../src/graph/graph.ts';
import { readGraphFailure } from '../../src/graph/graph-failure.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { loadQuery } from '../../src/graph/load-query.ts';
import { publishRanking } from '../../src/graph/publish-ranking.ts';
import { RUN_LIMITS } from '../../src/graph/run-limits.ts';
import { authorizeRun } from '../../src/graph/run-record.ts';
import { expectOf, expectWhole, readPublished } from './consistency.ts';
import { letTimePass, makeProject, openGraph, seedFindings, type TestProject } from './project.ts';
import { idOf, toRankingRows } from './ranking.ts';
import { withSteps } from './steps.ts';
import { runWhole, SIZE } from './whole-run.ts';

let graph: Graph;
beforeAll(async () => {
  graph = await openGraph();
  await initialiseGraph(graph);
});
afterAll(() => graph.close());

/** A second is long enough for work, and short enough to wait for. */
const HASTY = { ...RUN_LIMITS, authorizeMs: 1000, heartbeatMs: 1000, batchMs: 1000, saveMs: 1000 };

/** Runs `body` while another program's transaction holds what `query` changes; it then commits. */
const whileHeld = <T>(
  project: TestProject,
  query: string,
  params: Record<string, unknown>,
  body: (holder: GraphTx) => Promise<T>,
): Promise<T> =>
  graph.write(
    async holder => {
      await holder.run(`CYPHER 5 ${query}`, { ...project.tenant, ...params });
      return body(holder);
    },
    { timeoutMs: 300_000, attempts: 1 },
  );

const HOLD_FINDING = 'MATCH (n:Vulnerability {project_id: $projectId, id: $id}) SET n.held = true';

async function startProject(size = SIZE) {
  const project = makeProject(graph);
  await seedFindings(project, size);
  return project;
}

describe('a lock that is held for too long', () => {
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => readGraphFailure(error),
    );

  test('on the project: the run does not start, and nothing is written', async () => {
    const project = await startProject();
    const { runId } = await runWhole(graph, project.tenant);
    const hold = 'MATCH (p:TriageProject {project_id: $projectId}) SET p.held = true';
    const failure = await whileHeld(project, hold, {}, () => failureOf(runWhole(graph, project.tenant, HASTY)));
    expect(failure).toMatch(/^(lock|busy)$/);
    expectOf(await readPublished(project), runId);
    expect(await runWhole(graph, project.tenant)).toMatchObject({ status: 'completed' });
  });

  test.each(['run-heartbeat', 'run-claim'])('on the run’s own record, from %s on: nothing is published', async name => {
    const project = await startProject();
    const { runId } = await runWhole(graph, project.tenant);
    let failure: Promise<string> = Promise.resolve('none');
    let release = () => {};
    let isHeld = false;
    const holding = new Promise<void>(resolve => {
      release = resolve;
    });
    let holder: Promise<void> = Promise.resolve();
    const stepped = withSteps(graph, async (_, query) => {
      // The claim locks the run's record before it writes to it.
      if (isHeld || query !== loadQuery(name === 'run-claim' ? 'run-lock' : name)) return;
      isHeld = true;
      await new Promise<void>(resolve => {
        holder = whileHeld(
          project,
          `MATCH (r:TriageRun {project_id: $projectId, status: 'running'}) SET r.held = true`,
          {},
          async () => {
            resolve();
            await holding;
          },
        );
      });
    });
    failure = failureOf(runWhole(stepped, project.tenant, HASTY));
    expect(await failure).toMatch(/^(lock|busy)$/);
    release();
    await holder;
    expectOf(await readPublished(project), runId);
    await letTimePass(project);
    const second = await runWhole(graph, project.tenant);
    expectOf(await readPublished(project), second.runId);
  });

  test.each([
    ['the first batch', 0, 500, 1],
    ['the last batch', 500, 1, 500],
  ])('on a finding of %s: that batch fails whole, the other is written', async (_, index, failed, updated) => {
    const project = await startProject();
    const previous = await runWhole(graph, project.tenant);
    const first = await whileHeld(project, HOLD_FINDING, { id: idOf(index) }, () =>
      runWhole(graph, project.tenant, HASTY),
    );
    expect(first).toMatchObject({ status: 'completed_partial', counts: { updated, failed } });
    expect(first.counts?.reasons).toEqual(['another transaction held the findings for too long']);
    const published = await readPublished(project);
    expectWhole(published);
    const runs = [[first.runId], [first.runId]];
    runs[index === 0 ? 0 : 1] = [previous.runId];
    expect(published.batches).toEqual(runs);
    const second = await runWhole(graph, project.tenant);
    expectOf(await readPublished(project), second.runId);
  });

  test('on a remediation: the list stays as it was, the ranking is written', async () => {
    const project = await startProject();
    const previous = await runWhole(graph, project.tenant);
    const hold = `MATCH (m:Remediation {project_id: $projectId, group_key: 'of every run'}) SET m.held = true`;
    const first = await whileHeld(project, hold, {}, () => runWhole(graph, project.tenant, HASTY));
    expect(first).toMatchObject({ status: 'completed_partial', counts: { updated: SIZE } });
    const { batches, remediationRuns } = await readPublished(project);
    expect(batches).toEqual([[first.runId], [first.runId]]);
    expect(remediationRuns).toEqual([previous.runId]);
    const second = await runWhole(graph, project.tenant);
    expectOf(await readPublished(project), second.runId);
  });

  test('in three batches in a row: the rest fails without a try', async () => {
    const project = await startProject(2500);
    const runId = await project.startPublishing();
    let transactions = 0;
    const counting: Graph = {
      ...graph,
      write: (work, options) => {
        transactions += 1;
        return graph.write(work, options);
      },
    };
    const publish = (limits = HASTY) =>
      publishRanking(counting, project.tenant, { runId, modelVersion: 'v3' }, toRankingRows(2500), () => {}, limits);
    const hold = 'MATCH (n:Vulnerability {project_id: $projectId}) WHERE n.id IN $ids SET n.held = true';
    const inARow = await whileHeld(project, hold, { ids: [idOf(10), idOf(510), idOf(1010)] }, () => publish());
    expect(inARow).toMatchObject({ updated: 0, failed: 2500 });
    expect(transactions).toBe(3);
    transactions = 0;
    const apart = await whileHeld(project, hold, { ids: [idOf(10), idOf(510), idOf(1510)] }, () =>
      publish({ ...HASTY, batchMs: 3000 }),
    );
    expect(apart).toMatchObject({ updated: 1000, failed: 1500 });
    expect(transactions).toBe(5);
  });
});

describe('a lock that is given up in time', () => {
  /** Publishes while a scanner's transaction holds a finding, until the publishing waits for it. */
  async function publishAgainst(project: TestProject, change: string) {
    const runId = await project.startPublishing();
    let publishing: ReturnType<typeof publishRanking> | undefined;
    await whileHeld(project, HOLD_FINDING, { id: idOf(3) }, async holder => {
      await new Promise<void>(resolve => {
        const stepped = withSteps(graph, (_, query) => {
          if (query?.includes('toStringOrNull(n.updated_at)') === true) setTimeout(resolve, 500);
        });
        publishing = publishRanking(stepped, project.tenant, { runId, modelVersion: 'v3' }, toRankingRows(10));
      });
      await holder.run(`CYPHER 5 MATCH (n:Vulnerability {project_id: $projectId, id: $id}) ${change}`, {
        ...project.tenant,
        id: idOf(3),
      });
    });
    return publishing;
  }

  test('a finding that was changed meanwhile is skipped and counted', async () => {
    const project = await startProject(10);
    const counts = await publishAgainst(project, 'SET n.updated_at = datetime()');
    expect(counts).toMatchObject({ updated: 9, skippedChanged: 1, failed: 0 });
    expect(await project.readFinding(idOf(3))).not.toHaveProperty('triage_tier');
  });

  test('a decision of meanwhile wins', async () => {
    const project = await startProject(10);
    const counts = await publishAgainst(project, `SET n.triage_status = 'likely_noise', n.triage_source = 'human'`);
    expect(counts).toMatchObject({ updated: 10, failed: 0 });
    expect(await project.readFinding(idOf(3))).toMatchObject({
      triage_state: 'false_positive',
      triage_decided_by: 'person',
    });
  });

  test('a finding that was muted meanwhile is left alone', async () => {
    const project = await startProject(10);
    expect(await publishAgainst(project, 'SET n:Muted')).toMatchObject({ updated: 9, missing: 1, failed: 0 });
    expect(await project.readFinding(idOf(3))).not.toHaveProperty('triage_tier');
  });

  test('a finding that was deleted meanwhile is missing, and the others are written', async () => {
    const project = await startProject(10);
    expect(await publishAgainst(project, 'DETACH DELETE n')).toMatchObject({ updated: 9, missing: 1, failed: 0 });
    expect(await project.run('MATCH (n:Vulnerability {project_id: $projectId}) RETURN n.id')).toHaveLength(9);
  });

  test('a scanner that locks in the opposite order: one of the two goes again, and both end', async () => {
    const project = await startProject(10);
    const runId = await project.startPublishing();
    let attempts = 0;
    let publishing: ReturnType<typeof publishRanking> | undefined;
    await graph.write(async scanner => {
      attempts += 1;
      await scanner.run(`CYPHER 5 ${HOLD_FINDING}`, { ...project.tenant, id: idOf(9) });
      if (publishing === undefined) {
        await new Promise<void>(resolve => {
          const stepped = withSteps(graph, (_, query) => {
            if (query?.includes('toStringOrNull(n.updated_at)') === true) setTimeout(resolve, 500);
          });
          publishing = publishRanking(stepped, project.tenant, { runId, modelVersion: 'v3' }, toRankingRows(10));
        });
      }
      await scanner.run(`CYPHER 5 ${HOLD_FINDING}`, { ...project.tenant, id: idOf(0) });
    });
    expect(await publishing).toMatchObject({ updated: 10, failed: 0 });
    expect(attempts).toBeLessThan(5);
    expect(await project.readFinding(idOf(0))).toMatchObject({ held: true, triage_run_id: runId });
  });
});

describe('beside a run that publishes', () => {
  /** Calls `act` while the first batch is written and not committed. */
  async function amidstBatch(project: TestProject, act: (runId: string) => Promise<void>) {
    let acted = false;
    let runId = '';
    const stepped = withSteps(graph, async (_, query) => {
      if (query === loadQuery('publish-write-findings')) acted = true;
      if (!acted || query !== null || runId !== '') return;
      const [run] = await graph.read(
        `CYPHER 5 MATCH (r:TriageRun {project_id: $projectId, status: 'publishing'}) RETURN r.id AS id`,
        {
          ...project.tenant,
        },
      );
      runId = String(run?.['id']);
      await act(runId);
    });
    return runWhole(stepped, project.tenant);
  }

  test('a second run is refused', async () => {
    const project = await startProject();
    const result = await amidstBatch(project, async runId => {
      const second = await authorizeRun(graph, project.tenant, {
        trigger: 'push',
        automatic: true,
        modelVersion: 'v3',
      });
      expect(second).toMatchObject({ status: 'refused', why: 'live', runId });
    });
    expect(result).toMatchObject({ status: 'completed' });
  });

  test('a review is not: it reads what was there before, and writes what is its own', async () => {
    const project = await startProject();
    await runWhole(graph, project.tenant);
    const [previous] = await project.run(
      'MATCH (n:Vulnerability {project_id: $projectId}) RETURN n.triage_run_id AS id LIMIT 1',
    );
    const result = await amidstBatch(project, async runId => {
      const started = performance.now();
      const seen = await graph.read(
        'CYPHER 5 MATCH (n:Vulnerability {project_id: $projectId}) RETURN DISTINCT n.triage_run_id AS id',
        { ...project.tenant },
      );
      expect(seen).toEqual([previous]);
      expect(seen).not.toEqual([{ id: runId }]);
      await graph.write(
        tx =>
          tx.run(
            `CYPHER 5 MERGE (n:CodeFinding {user_id: $userId, project_id: $projectId, repository: 'o/r', fingerprint: 'f', scope: 'pr/7'})
             SET n.name = 'of the review'`,
            { ...project.tenant },
          ),
        { attempts: 1 },
      );
      // Both came back although the batch's locks are held until this function ends.
      expect(performance.now() - started).toBeLessThan(60_000);
    });
    expect(result).toMatchObject({ status: 'completed' });
  });

  test('a run that was taken for lost writes no more, and the next is not disturbed by it', async () => {
    const project = await startProject();
    let fences = 0;
    let next = '';
    const stepped = withSteps(graph, async (_, query) => {
      if (query !== loadQuery('run-fence')) return;
      fences += 1;
      if (fences !== 2) return;
      await letTimePass(project);
      const start = await authorizeRun(graph, project.tenant, {
        trigger: 'local',
        automatic: false,
        modelVersion: 'v3',
      });
      if (start.status === 'granted') next = start.runId;
    });
    const first = await runWhole(stepped, project.tenant);
    expect(next).not.toBe('');
    expect(first).toMatchObject({ status: 'completed_partial', counts: { updated: 500, failed: 1 } });
    const published = await readPublished(project);
    expect(published.batches).toEqual([[first.runId], ['']]);
    expect(published.groupKeys).toEqual([]);
    const runs = await project.run(
      'MATCH (r:TriageRun {project_id: $projectId}) RETURN r.id AS id, r.status AS status',
    );
    expect(runs).toHaveLength(2);
    expect(runs).toContainEqual({ id: first.runId, status: 'failed' });
    expect(runs).toContainEqual({ id: next, status: 'running' });
  });
});
