import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLiveGraph, GRAPH_TIMES, type LiveGraph } from '../../src/analysis/live-graph.ts';
import { rankAlone } from '../../src/analysis/rank-findings.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import { toCodeFindingId } from '../../src/graph/code-findings.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { GraphError, type GraphFailure } from '../../src/graph/graph-failure.ts';
import { buildFinding } from '../publish/build-report.ts';
import { fakeGraph } from './fake-graph.ts';

const REPOSITORY = 'acme/shop';
const FINDING = buildFinding('a', {
  fingerprint: 'a'.repeat(64),
  tool: 'bandit',
  ruleId: 'B602',
  severity: 'high',
  confidence: 0.8,
  cwe: ['CWE-78'],
  path: 'app.py',
  tools: ['bandit'],
});
const HOST = 'https://shop.example';
const LIVE_SHOP = {
  'facts-live-hosts': [{ host: HOST, names: [] }],
  'code-find-repository': [{ node: '4:x:1', host: HOST }],
};
const verdict = (status: string) => [{ fingerprint: FINDING.fingerprint, status, by: 'lee' }];

let logged: string[];
beforeEach(() => {
  logged = [];
});

const live = (connect: LiveGraph['connect'], rest: Partial<LiveGraph> = {}) =>
  createLiveGraph({
    connect,
    tenant: { userId: 'u', projectId: 'p' },
    repository: REPOSITORY,
    isPublic: false,
    pullRequest: 7,
    limitsTiers: false,
    log: { ...SILENT_LOG, info: text => void logged.push(text) },
    signal: new AbortController().signal,
    ...rest,
  });
const rankBy = async (graph: Graph, rest: Partial<LiveGraph> = {}) => {
  const { changed, notices } = await live(async () => graph, rest).rank([FINDING]);
  return { risk: changed.get(FINDING.fingerprint), notices };
};
const alone = (isPublic = false) => rankAlone(FINDING, { public: isPublic });

describe('a rank', () => {
  test('is that of the finding alone where the graph knows nothing, which is told', async () => {
    const { risk, notices } = await rankBy(fakeGraph());
    expect(risk).toBeUndefined();
    expect(notices).toEqual([expect.stringContaining('knows nothing of the project')]);
  });

  test('follows the facts around the host that serves the repository', async () => {
    const { risk, notices } = await rankBy(fakeGraph(LIVE_SHOP));
    expect(alone()).toMatchObject({ tier: 'T2', R: { value: 0.8 } });
    expect(risk).toMatchObject({ R: { value: 1, evidence: 'a live endpoint on this host' } });
    expect(risk?.score).toBeGreaterThan(alone().score);
    expect(notices).toEqual([]);
  });

  test.each([
    ['likely_noise', { tier: 'T4', score: 0, state: 'false_positive' }],
    ['confirmed', { state: 'open', C: { value: 1 } }],
  ])('follows a verdict: %s', async (status, expected) => {
    const ranked = await rankBy(fakeGraph({ 'code-verdicts': verdict(status) }));
    expect(ranked.risk).toMatchObject(expected);
  });

  test('follows what people said of other findings of the same rule', async () => {
    const rows = [{ detector: 'code:bandit:b602', real: 0, fp: 12 }];
    const { risk } = await rankBy(fakeGraph({ 'facts-detector-labels': rows }));
    expect([alone().tier, risk?.tier]).toEqual(['T2', 'T4']);
    expect(risk?.C.evidence).toContain('you judged 0 of 12 of these real');
  });

  test.each(['default', 'pr/7'] as const)('is the highest where somebody proved the node of scope %s', async scope => {
    const id = toCodeFindingId({ repository: REPOSITORY, scope }, FINDING.fingerprint);
    const rows = [{ chain_id: 'c', finding_type: 'exploit_success', cve_ids: [], finding_ids: [id], hosts: [] }];
    expect((await rankBy(fakeGraph({ 'facts-proof': rows }))).risk?.tier).toBe('T1');
  });

  test('of a public repository shows tier and score alone', async () => {
    const { risk, notices } = await rankBy(fakeGraph({ ...LIVE_SHOP, 'code-verdicts': verdict('likely_noise') }), {
      isPublic: true,
    });
    expect(risk).toEqual({ ...alone(true), tier: 'T4', score: 0 });
    expect(notices).toEqual([expect.stringContaining('on a public repository the factors are shown without it')]);
  });

  test('does without a fact set that cannot be read, and names it without the server’s words', async () => {
    const error = Object.assign(new Error('of secret-host.example'), { code: 'Neo.ClientError.Statement.TypeError' });
    const graph = () => fakeGraph({ ...LIVE_SHOP, 'facts-gone-hosts': error });
    expect((await rankBy(graph(), { isPublic: true })).notices[0]).toBe(
      'Some facts of the attack-surface graph could not be read and count as not known: gone-hosts.',
    );
    expect(logged).toEqual([]);
    await rankBy(graph());
    expect(logged.join()).toContain('secret-host');
  });
});

describe('keeping', () => {
  test('writes the open findings with their ranks, and removes the others where all was examined', async () => {
    const graph = fakeGraph({ 'code-upsert': [], 'code-remove-others': [], 'code-find-repository': [{ node: 'r' }] });
    const shop = live(async () => graph);
    await shop.rank([FINDING]);
    const muted = buildFinding('a', { fingerprint: 'b'.repeat(64), suppressed: { reason: 'known' } });
    expect(await shop.keep([FINDING, muted], true)).toEqual([]);
    const written = Object.fromEntries(graph.written);
    expect(written['code-remove-others']).toMatchObject({ scope: 'pr/7', keep: [FINDING.fingerprint] });
    expect(written['code-upsert']).toMatchObject({ scope: 'pr/7', rows: [{ fingerprint: FINDING.fingerprint }] });
    graph.written.length = 0;
    await shop.keep([FINDING], false);
    expect(graph.written.map(([name]) => name)).not.toContain('code-remove-others');
  });

  test('writes nothing where the run is of no pull request, or nothing could be read', async () => {
    const graph = fakeGraph({ 'code-verdicts': new Error('lost') });
    const [tree, broken] = [live(async () => fakeGraph(), { pullRequest: null }), live(async () => graph)];
    await tree.rank([FINDING]);
    await broken.rank([FINDING]);
    expect([await tree.keep([FINDING], true), await broken.keep([FINDING], true)]).toEqual([[], []]);
    expect(graph.written).toEqual([]);
  });

  test('waits for the constraints, which are a person’s to make', async () => {
    const graph = fakeGraph({ 'schema-list': [] });
    const shop = live(async () => graph);
    await shop.rank([FINDING]);
    expect(await shop.keep([FINDING], true)).toEqual([expect.stringContaining('`triage --init` makes them')]);
    expect(graph.written).toEqual([]);
    const blind = live(async () => fakeGraph({ 'schema-list': new Error('not allowed') }));
    await blind.rank([FINDING]);
    expect(await blind.keep([FINDING], true)).toEqual([]);
  });

  test('that fails is told and costs nothing else', async () => {
    const busy = Object.assign(new Error('x'), { code: 'Neo.TransientError.Transaction.LockAcquisitionTimeout' });
    const shop = live(async () => fakeGraph({ 'code-find-repository': [{ node: 'r' }], 'code-upsert': busy }));
    await shop.rank([FINDING]);
    expect(await shop.keep([FINDING], true)).toEqual([
      'The findings were not kept in the attack-surface graph: another transaction held what was needed. A verdict may not find them there.',
    ]);
  });
});

describe('a fault', () => {
  test.each<[GraphFailure, string]>([
    ['unreachable', 'cannot be reached'],
    ['unauthorized', 'refused the user or the password'],
    ['old-server', 'older than Neo4j 5.26'],
    ['other', 'could not be used'],
  ])('of the connection (%s) leaves the ranks alone and names no server', async (failure, reason) => {
    const error = new GraphError(failure, 'Neo4j at graph.example:7687 is not there', { hint: 'look' });
    const shop = live(() => Promise.reject(error), { limitsTiers: true });
    const { changed, notices } = await shop.rank([FINDING]);
    expect(changed.size).toBe(0);
    expect(notices).toEqual([expect.stringContaining(reason)]);
    expect(notices[0]).toContain('gate.max_tier goes by these ranks');
    expect(notices[0]).not.toContain('example');
    expect(logged).toEqual(['the graph: Neo4j at graph.example:7687 is not there → look']);
    expect(await shop.keep([FINDING], true)).toEqual([]);
    await shop.close();
    await live(() => Promise.reject(error), { isPublic: true }).rank([FINDING]);
    expect(logged[1]).toMatch(/^the graph: .* → look$/);
    expect(logged[1]).not.toContain('example');
  });

  test('of the reading of verdicts leaves the ranks alone too', async () => {
    const error = Object.assign(new Error('of shop.example'), { code: 'Neo.ClientError.Transaction.Terminated' });
    const { risk, notices } = await rankBy(fakeGraph({ ...LIVE_SHOP, 'code-verdicts': error }), { isPublic: true });
    expect([risk, notices.length]).toEqual([undefined, 1]);
    expect(logged).toEqual(['the graph: the server did not answer in time (Neo.ClientError.Transaction.Terminated)']);
  });
});

describe('a server that says nothing', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each<[string, LiveGraph['connect']]>([
    ['from the start', () => new Promise(() => {})],
    ['after the connection', async () => fakeGraph({ 'facts-gone-hosts': 'never' })],
    ['after the facts', async () => fakeGraph({ 'code-verdicts': 'never' })],
    [
      'when the findings are to be kept',
      async () => fakeGraph({ 'code-find-repository': [{ node: 'r' }], 'code-upsert': 'never' }),
    ],
  ])('%s, costs ten seconds at most in all', async (_, connect) => {
    const from = Date.now();
    const shop = live(connect);
    shop.begin();
    const ended = (async () => {
      const { notices } = await shop.rank([FINDING]);
      const kept = await shop.keep([FINDING], true);
      await shop.close();
      return [...notices, ...kept].join(' ');
    })();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ended).toContain('did not answer in time');
    expect(Date.now() - from).toBe(10_000);
    expect(GRAPH_TIMES.total + GRAPH_TIMES.close).toBeLessThanOrEqual(10_000);
  });

  test('is let go when the run is interrupted', async () => {
    const controller = new AbortController();
    const shop = live(() => new Promise(() => {}), { signal: controller.signal });
    const ranking = shop.rank([FINDING]);
    controller.abort();
    await expect(ranking).rejects.toMatchObject({ code: 'interrupted' });
  });
});

test('a connection is closed at the end', async () => {
  const graph = fakeGraph();
  const shop = live(async () => graph);
  await shop.rank([]);
  await shop.close();
  expect(graph.isClosed).toBe(true);
});
