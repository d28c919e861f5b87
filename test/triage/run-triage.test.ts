import { describe, expect, it } from 'vitest';
import { CypherFixError } from '../../src/core/errors.ts';
import type { ReportFinding } from '../../src/core/report.ts';
import { runTriage, type TriageOutcome, type TriageRunInput } from '../../src/triage/run-triage.ts';
import { toRefKey } from '../../src/triage/store.ts';
import { type MemoryStore, memoryStore } from './memory-store.ts';
import { shellCall } from './shell-call.ts';
import { NOW, nucleiRow, runInput } from './world.ts';

const FAST = { heartbeatEvery: 5, heartbeatLeast: 1, review: 60_000, prose: 60_000 };

async function ended(input: TriageRunInput): Promise<Extract<TriageOutcome, { status: 'ended' }>> {
  const outcome = await runTriage(input);
  if (outcome.status !== 'ended') throw new Error(outcome.reason);
  return outcome;
}

const writesOf = ({ calls }: MemoryStore) => calls.filter(call => call.startsWith('WRITE'));
const key = (id: string, label = 'Vulnerability') => toRefKey({ label, id });

const codeFinding = (fingerprint: string, rest: Partial<ReportFinding> = {}) =>
  shellCall(fingerprint, { message: 'A shell is called with a text that was put together.', ...rest });
const PRINT_A = 'a'.repeat(64);
const PRINT_B = 'b'.repeat(64);

const own = (findings: readonly ReportFinding[], examined: readonly string[] = []): TriageRunInput['own'] => ({
  repository: 'acme/shop',
  context: { public: false },
  findings,
  hasExamined: (tool, path) => examined.includes(`${tool} ${path}`),
  closedPullRequests: [],
  toId: fingerprint => `acme/shop ${fingerprint}`,
});

describe('the order of a run', () => {
  it('reads, claims, and only then writes; the list of fixes last', async () => {
    const store = memoryStore([nucleiRow('v1'), nucleiRow('v2'), nucleiRow('v3')]);
    const { result } = await ended(runInput(store));
    expect(store.calls).toEqual([
      'authorize',
      'readFacts',
      'readStored',
      'readFindings',
      'page',
      'page',
      'claim',
      'WRITE ranking',
      'WRITE remediations',
      'finish',
    ]);
    expect(result).toMatchObject({ runId: 'run-1', status: 'completed' });
    expect(result.counts).toMatchObject({ findings: 3, groups: 3, published: { updated: 3 } });
    expect(store.ends).toMatchObject([{ status: 'completed', fault: null, summary: { findings: 3, updated: 3 } }]);
  });

  it('opens and closes this repository’s findings before the ranking', async () => {
    const gone = { ...nucleiRow('x'), ...{ id: `acme/shop ${PRINT_B}` }, label: 'CodeFinding', source: 'bandit' };
    const store = memoryStore([{ ...gone, repository: 'acme/shop', path: 'src/old.py', template_id: undefined }]);
    const { result } = await ended(runInput(store, { own: own([codeFinding(PRINT_A)], ['bandit src/old.py']) }));
    expect(writesOf(store)).toEqual(['WRITE code findings', 'WRITE stale', 'WRITE ranking', 'WRITE remediations']);
    expect(result.counts).toMatchObject({ states: { open: 1, fixed: 1 }, published: { updated: 2, missing: 0 } });
    expect(store.published.map(({ seenUpdatedAt }) => seenUpdatedAt)).toEqual([null, null]);
  });

  it('leaves a finding open whose tool did not look at its file, and another repository’s findings alone', async () => {
    const row = { ...nucleiRow('x'), label: 'CodeFinding', source: 'bandit', path: 'src/old.py', stale_since: null };
    const store = memoryStore([
      { ...row, id: 'acme/shop 1', repository: 'acme/shop', path: 'src/not-examined.py' },
      { ...row, id: 'acme/other 1', repository: 'acme/other' },
    ]);
    const { result } = await ended(runInput(store, { own: own([], ['bandit src/old.py']) }));
    expect(writesOf(store)).toEqual(['WRITE ranking', 'WRITE remediations']);
    expect(result.counts.states).toMatchObject({ open: 2, fixed: 0 });
  });

  it('saves an empty list of fixes too, so that old ones close', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    await ended(runInput(store));
    expect(store.graph.remediations).toHaveLength(1);
    store.graph.rows.clear();
    const { result } = await ended(runInput(store));
    expect(store.graph.remediations).toEqual([]);
    expect(result.counts.remediations).toEqual({ written: 0, kept: 0, removed: 1 });
  });

  it('shows its phases by heartbeats', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    store.before = async call => {
      if (call === 'claim' || call === 'page') await new Promise(resolve => setTimeout(resolve, 30));
    };
    await ended(runInput(store, { times: FAST }));
    const phases = store.beats.map(({ phase }) => phase);
    expect(phases).toEqual(expect.arrayContaining(['scoring', 'publishing']));
    const progress = store.beats.map(beat => beat.progress);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });
});

describe('a run that may not go on', () => {
  it('is refused while another one is live, and has read nothing', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    store.authorization = { status: 'refused', reason: 'run r0 is still at work', runId: 'r0' };
    expect(await runTriage(runInput(store))).toEqual(store.authorization);
    expect(store.calls).toEqual(['authorize']);
  });

  const BEFORE_CLAIM = ['authorize', 'readFacts', 'readStored', 'readFindings', 'page'];
  it.each(BEFORE_CLAIM)('stopped during %s, it writes nothing and ends as stopped', async step => {
    const store = memoryStore([nucleiRow('v1')]);
    const controller = new AbortController();
    store.before = call => {
      if (call === step) controller.abort();
    };
    const { result } = await ended(runInput(store, { signal: controller.signal }));
    expect(result.status).toBe('stopped');
    expect(writesOf(store)).toEqual([]);
    expect(store.ends).toMatchObject([{ status: 'stopped', fault: 'stopped' }]);
  });

  it('stopped while a read hangs, it ends at once', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    const controller = new AbortController();
    store.before = call => {
      if (call !== 'readFacts') return undefined;
      setTimeout(() => controller.abort(), 5);
      return new Promise(() => {});
    };
    const { result } = await ended(runInput(store, { signal: controller.signal }));
    expect(result.status).toBe('stopped');
  });

  it.each(['claim', 'WRITE ranking', 'WRITE remediations'])(
    'stopped during %s, it publishes to the end',
    async step => {
      const store = memoryStore([nucleiRow('v1')]);
      const controller = new AbortController();
      store.before = call => {
        if (call === step) controller.abort();
      };
      const { result } = await ended(runInput(store, { signal: controller.signal }));
      expect(result.status).toBe('completed');
      expect(writesOf(store)).toEqual(['WRITE ranking', 'WRITE remediations']);
    },
  );

  it('refused at the claim, it writes nothing', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    store.claim = async () => ({ status: 'refused', reason: 'run run-1 was ended meanwhile: failed (agent_lost)' });
    await expect(runTriage(runInput(store))).rejects.toMatchObject({ code: 'missing' });
    expect(writesOf(store)).toEqual([]);
    expect(store.ends).toMatchObject([{ status: 'failed', fault: 'publish_refused' }]);
  });

  it.each([
    ['two heartbeats in a row fail', () => Promise.reject(new Error('no route'))],
    ['somebody else ended it', () => Promise.resolve('abort' as const)],
  ])('given up when %s', async (_, beat) => {
    const store = memoryStore([nucleiRow('v1')]);
    store.heartbeat = beat;
    store.before = call => (call === 'readFacts' ? new Promise(() => {}) : undefined);
    const failure = await runTriage(runInput(store, { times: FAST })).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CypherFixError);
    expect((failure as CypherFixError).exitStatus).toBe(69);
    expect(store.ends).toMatchObject([{ status: 'failed', fault: 'agent_lost' }]);
    expect(writesOf(store)).toEqual([]);
  });

  it('goes on after one heartbeat failed', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    let beats = 0;
    store.heartbeat = async () => {
      if (beats++ === 0) throw new Error('for once');
      return 'go-on';
    };
    store.before = call => (call === 'readFacts' ? new Promise(resolve => setTimeout(resolve, 60)) : undefined);
    expect((await ended(runInput(store, { times: FAST }))).result.status).toBe('completed');
    expect(beats).toBeGreaterThan(1);
  });

  it('tells what is wrong when the graph breaks before the claim, and finishes', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    store.claim = () => Promise.reject(new CypherFixError('missing', 'the connection to Neo4j was lost'));
    await expect(runTriage(runInput(store))).rejects.toThrow('the connection to Neo4j was lost');
    expect(store.ends).toMatchObject([{ status: 'failed', fault: 'internal_error' }]);
  });

  it('a finish that fails hides nothing', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    store.finish = () => Promise.reject(new Error('gone'));
    const { result, notices } = await ended(runInput(store));
    expect(result.status).toBe('completed');
    expect(notices).toContain('The end of the run could not be written: gone.');
  });
});

describe('what cannot be written', () => {
  it.each([
    ['WRITE code findings', 'publish_failed'],
    ['WRITE ranking', 'publish_failed'],
    ['WRITE remediations', 'save_failed'],
  ])('%s: the rest is written, the run is partial', async (step, fault) => {
    const store = memoryStore([nucleiRow('v1')]);
    store.before = call => {
      if (call === step) throw new Error('held');
    };
    const { result, notices } = await ended(runInput(store, { own: own([codeFinding(PRINT_A)]) }));
    expect(result.status).toBe('completed_partial');
    expect(store.ends).toMatchObject([{ status: 'completed_partial', fault }]);
    expect(writesOf(store)).toEqual(['WRITE code findings', 'WRITE ranking', 'WRITE remediations']);
    expect(notices.join(' ')).toContain('held');
  });

  it('after three failed batches in a row the rest of the first batches is not tried', async () => {
    const store = memoryStore();
    store.before = call => {
      if (call === 'WRITE code findings') throw new Error('held');
    };
    const many = Array.from({ length: 3_000 }, (_, at) => codeFinding(at.toString(16).padStart(64, '0')));
    const { result, notices } = await ended(runInput(store, { own: own(many) }));
    expect(writesOf(store).filter(call => call === 'WRITE code findings')).toHaveLength(3);
    expect(result.status).toBe('completed_partial');
    expect(notices.join(' ')).toContain('3000 of 3000 findings of this repository were not written');
  });

  it('skips and counts a finding that changed meanwhile', async () => {
    const store = memoryStore([nucleiRow('v1'), nucleiRow('v2')]);
    store.before = call => {
      if (call === 'claim') store.graph.rows.set(key('v2'), nucleiRow('v2', { seen_updated_at: 'later' }));
    };
    const { result } = await ended(runInput(store));
    expect(result.status).toBe('completed');
    expect(result.counts.published).toMatchObject({ updated: 1, skippedChanged: 1 });
  });
});

describe('what cannot be read', () => {
  it('facts: the ranking does without them and says so', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    store.readFacts = () => Promise.reject(new Error('slow'));
    const { result, notices } = await ended(runInput(store));
    expect(result.counts.findings).toBe(1);
    expect(notices.join(' ')).toContain('The facts of the project cannot be read (slow)');
  });

  it('findings of one label: the others are ranked, none is called gone, no fix of theirs is removed', async () => {
    const store = memoryStore([nucleiRow('v1'), { ...nucleiRow('s1'), label: 'Secret' }]);
    await ended(runInput(store));
    const complete: boolean[] = [];
    const save = store.saveRemediations;
    store.saveRemediations = (runId, items, options) => {
      complete.push(options.complete);
      return save(runId, items, options);
    };
    store.readFindings = async function* () {
      yield { label: 'Vulnerability', rows: [nucleiRow('v1')] };
      yield { label: 'Secret', failed: 'timed out' };
    };
    const { result, notices } = await ended(runInput(store));
    expect(result.changes).toEqual([]);
    expect(complete).toEqual([false]);
    expect(notices.join(' ')).toContain('Findings Secret cannot be read');
  });

  it('stored layers: nothing is reviewed and no change is told', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    // biome-ignore lint/correctness/useYield: it fails before its first page
    store.readStored = async function* () {
      throw new Error('slow');
    };
    const { result, notices } = await ended(runInput(store));
    expect(result.changes).toEqual([]);
    expect(store.published[0]?.review).toBeNull();
    expect(notices.join(' ')).toContain('no evidence is reviewed');
  });
});

describe('what a run tells', () => {
  it('a first run: all is new; a second one: nothing has changed', async () => {
    const store = memoryStore([nucleiRow('v1'), nucleiRow('v2', { severity: 'low' })]);
    expect((await ended(runInput(store))).result.changes.map(({ kind, id }) => [kind, id])).toEqual([
      ['new', 'v1'],
      ['new', 'v2'],
    ]);
    expect((await ended(runInput(store))).result.changes).toEqual([]);
  });

  it('a tier that moved, a finding that was fixed, one that is gone', async () => {
    const store = memoryStore([nucleiRow('v1'), nucleiRow('v2'), nucleiRow('v3')]);
    await ended(runInput(store));
    store.graph.rows.set(key('v1'), nucleiRow('v1', { cisa_kev: true, severity: 'critical' }));
    store.graph.rows.set(key('v2'), nucleiRow('v2', { remediated: true }));
    const v3 = { ...store.graph.stored.get(key('v3')), label: 'Vulnerability', id: 'v3' };
    store.graph.rows.delete(key('v3'));
    const readStored = store.readStored;
    store.readStored = async function* () {
      yield* readStored();
      yield [v3];
    };
    const { changes } = (await ended(runInput(store))).result;
    expect(changes.map(({ kind, id, before, after }) => [kind, id, before?.tier, after?.tier])).toEqual([
      ['tier', 'v1', 'T2', 'T1'],
      ['state', 'v2', 'T2', 'T4'],
      ['gone', 'v3', 'T2', undefined],
    ]);
  });

  it('a person’s verdict holds, also one that came while the run was under way', async () => {
    const store = memoryStore([nucleiRow('v1'), nucleiRow('v2')]);
    const noise = { triage_source: 'human', triage_status: 'likely_noise' };
    store.graph.stored.set(key('v1'), noise);
    store.before = call => {
      if (call === 'claim') store.graph.stored.set(key('v2'), noise);
    };
    const { result } = await ended(runInput(store));
    expect(result.counts.states).toMatchObject({ open: 1, false_positive: 1 });
    expect(store.graph.stored.get(key('v2'))).toMatchObject({ triage_state: 'false_positive', triage_tier: 'T4' });
  });

  it('without a model nothing is reviewed, and the run says so', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    const { result, notices } = await ended(runInput(store));
    expect(result.counts.reviews).toEqual({ made: 0, adopted: 0, failed: 0, notReviewed: 1 });
    expect(store.published[0]?.review).toEqual({ kind: 'not_reviewed' });
    expect(notices).toContain('No evidence was reviewed: no model is at hand, so the review budget of this run is 0.');
  });

  it('an empty project: zeros, and no fault', async () => {
    const { result } = await ended(runInput(memoryStore()));
    expect(result).toMatchObject({ status: 'completed', groups: [], remediations: [], changes: [] });
    expect(result.counts.findings).toBe(0);
  });

  it('cuts its lists and counts what it left out', async () => {
    const store = memoryStore([nucleiRow('v1'), nucleiRow('v2'), nucleiRow('v3')]);
    const limits = { groups: 1, members: 5, remediations: 2, changes: 0 };
    const { result, truncated } = await ended(runInput(store, { limits, now: () => NOW }));
    expect([result.groups.length, result.remediations.length, result.changes.length]).toEqual([1, 2, 0]);
    expect(truncated).toEqual({ 'triage groups': 2, 'triage remediations': 1, 'triage changes': 3 });
    expect(store.graph.remediations).toHaveLength(3);
  });
});
