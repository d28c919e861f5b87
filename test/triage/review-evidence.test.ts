import { afterEach, describe, expect, it } from 'vitest';
import { NO_CREDENTIALS } from '../../src/model/choose-provider.ts';
import { createModel } from '../../src/model/create-model.ts';
import { NO_PROXIES } from '../../src/model/dispatcher.ts';
import { hashEvidence, renderEvidence, renderLegacyEvidence } from '../../src/risk/evidence.ts';
import type { FindingRow } from '../../src/risk/row.ts';
import { legacyHash } from '../../src/triage/legacy-review.ts';
import { runTriage, type TriageRunInput } from '../../src/triage/run-triage.ts';
import { toRefKey } from '../../src/triage/store.ts';
import { type AnthropicOptions, startAnthropic } from '../sim-model/anthropic.ts';
import type { Exchange } from '../sim-model/exchange.ts';
import type { Simulator } from '../sim-model/site.ts';
import { type MemoryStore, memoryStore, toReviewColumns } from './memory-store.ts';
import { MODEL, NOW, nucleiRow, runInput, triageModel } from './world.ts';

const ROLES = { evidence: 'You review the evidence', remediation: 'You word a list' };
const QUOTE = 'You have an error in your SQL syntax';

let api: Simulator | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

/** What a model says of one finding. */
const judged = (id: string, rest: object = {}) => ({
  id,
  verdict: 'real',
  impact_multiplier: 1,
  impact_quote: '',
  disputed_facts: [],
  evidence_quote: QUOTE,
  why: 'The database complains.',
  fix_lever: 'Bind the parameter',
  ...rest,
});

const idsIn = (exchange: Exchange) =>
  [...(exchange.seen?.prompt ?? '').matchAll(/^## (F\d+)$/gm)].map(match => match[1] ?? '');
const judgesAll =
  (rest: object = {}) =>
  (exchange: Exchange) => ({ json: { reviews: idsIn(exchange).map(id => judged(id, rest)) } });

async function run(
  store: MemoryStore,
  options: AnthropicOptions,
  rest: Partial<TriageRunInput> & { totalUsd?: number } = {},
) {
  const now = rest.now ?? (() => NOW);
  api = await startAnthropic({ roles: ROLES, ...options });
  const model = createModel({
    models: [MODEL],
    credentials: { ...NO_CREDENTIALS, anthropicApiKey: 'sk-ant-test' },
    baseUrl: api.url,
    proxies: NO_PROXIES,
    lifetime: new AbortController().signal,
    retry: { sleep: async () => {}, now },
  });
  if (model.status !== 'ok') throw new Error(model.reason);
  const { totalUsd = 50 } = rest;
  const outcome = await runTriage(runInput(store, { model: triageModel(model.value, { now, totalUsd }), ...rest }));
  if (outcome.status !== 'ended') throw new Error(outcome.reason);
  return { ...outcome, reviews: api.journal.prompts('evidence') };
}

const storedOf = (store: MemoryStore, id: string) =>
  store.graph.stored.get(toRefKey({ label: 'Vulnerability', id })) ?? {};
const setStored = (store: MemoryStore, id: string, columns: Record<string, unknown>) =>
  store.graph.stored.set(toRefKey({ label: 'Vulnerability', id }), columns);
const rows = (count: number, rest: FindingRow = {}) =>
  Array.from({ length: count }, (_, at) => nucleiRow(`v${String(at).padStart(4, '0')}`, rest));

describe('through the real SDK', () => {
  it('a verdict that the evidence bears out moves the ranking, and is kept until the evidence changes', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    const first = await run(store, { script: [{ when: { role: 'evidence' }, answer: judgesAll() }] });
    expect(first.result.counts.reviews).toEqual({ made: 1, adopted: 0, failed: 0, notReviewed: 0 });
    expect(storedOf(store, 'v1')).toMatchObject({
      triage_ai_verdict: 'real',
      triage_ai_quote: QUOTE,
      triage_ai_model: MODEL,
      triage_ai_prompt_version: 'review-v2',
      triage_ai_evidence_hash: hashEvidence(renderEvidence(nucleiRow('v1'))),
    });
    expect(first.reviews[0]?.seen).toMatchObject({ tools: [], toolsAllowed: false });
    await api?.close();

    const second = await run(store, {});
    expect(second.reviews).toEqual([]);
    await api?.close();

    store.graph.rows.set(
      toRefKey({ label: 'Vulnerability', id: 'v1' }),
      nucleiRow('v1', { raw_response: 'HTTP/1.1 200 OK' }),
    );
    const third = await run(store, { script: [{ when: { role: 'evidence' }, answer: judgesAll() }] });
    expect(third.result.counts.reviews.made).toBe(1);
    expect(storedOf(store, 'v1')).toMatchObject({ triage_ai_verdict: 'unclear' });
  });

  it('a false positive with a quote leaves the board; one with a made-up quote does not', async () => {
    const fine = { raw_response: 'HTTP/1.1 200 OK\nThe word SQL syntax is part of a lesson' };
    const store = memoryStore([nucleiRow('v1', fine), nucleiRow('v2', fine)]);
    const quoted = { verdict: 'false_positive', evidence_quote: 'part of a lesson' };
    const madeUp = { verdict: 'false_positive', evidence_quote: 'the parameter is bound' };
    const { result } = await run(store, {
      script: [
        { when: { role: 'evidence' }, answer: { json: { reviews: [judged('F1', quoted), judged('F2', madeUp)] } } },
      ],
    });
    expect(result.counts.states).toMatchObject({ open: 1, false_positive: 1 });
    expect(storedOf(store, 'v2')).toMatchObject({ triage_ai_verdict: 'unclear' });
  });

  it('batches of twelve, best group first', async () => {
    const store = memoryStore([...rows(38), nucleiRow('zz', { severity: 'critical', cisa_kev: true })], {
      pageSize: 500,
    });
    const { result, reviews } = await run(store, { script: [{ when: { role: 'evidence' }, answer: judgesAll() }] });
    expect(result.counts.reviews.made).toBe(39);
    expect(reviews.map(exchange => idsIn(exchange).length).sort((a, b) => a - b)).toEqual([3, 12, 12, 12]);
    const firstBatch = reviews.find(exchange => (exchange.seen?.prompt ?? '').includes('sqli-zz'));
    expect(firstBatch?.seen?.prompt.indexOf('## F1')).toBeLessThan(firstBatch?.seen?.prompt.indexOf('sqli-zz') ?? -1);
    expect(firstBatch?.seen?.prompt.indexOf('sqli-zz')).toBeLessThan(firstBatch?.seen?.prompt.indexOf('## F2') ?? -1);
  });

  it('long evidence makes smaller batches', async () => {
    const long = { raw_response: `HTTP/1.1 500\n${QUOTE} ${'x y '.repeat(2_000)}`, raw_request: 'GET / '.repeat(200) };
    const { reviews } = await run(memoryStore(rows(24, long)), {
      script: [{ when: { role: 'evidence' }, answer: judgesAll() }],
    });
    expect(reviews.length).toBeGreaterThan(2);
  });

  it('a failed batch costs its findings only', async () => {
    const store = memoryStore(rows(24));
    const { result, notices } = await run(store, {
      script: [
        { when: { role: 'evidence' }, times: 1, answer: { text: '{"reviews": [' } },
        { when: { role: 'evidence' }, answer: judgesAll() },
      ],
    });
    expect(result.status).toBe('completed');
    expect(result.counts.reviews).toEqual({ made: 12, adopted: 0, failed: 12, notReviewed: 0 });
    expect(store.published.filter(({ review }) => review?.kind === 'review')).toHaveLength(12);
    expect(notices.join(' ')).toMatch(/review of evidence failed for 12 findings: malformed/);
  });

  it('ids that were not asked, and the second answer for one, count for nothing', async () => {
    const store = memoryStore(rows(2));
    const { result } = await run(store, {
      script: [
        {
          when: { role: 'evidence' },
          answer: {
            json: {
              reviews: [judged('F1'), judged('F1', { verdict: 'false_positive' }), judged('F9'), judged('v0001')],
            },
          },
        },
      ],
    });
    expect(result.counts.reviews).toMatchObject({ made: 1, failed: 1 });
    expect(storedOf(store, 'v0000')).toMatchObject({ triage_ai_verdict: 'real' });
    expect(storedOf(store, 'v0001')['triage_ai_verdict']).toBeUndefined();
  });
});

describe('limits', () => {
  it('a budget of findings: the rest is marked as not reviewed', async () => {
    const store = memoryStore(rows(5));
    const { result, notices } = await run(
      store,
      { script: [{ when: { role: 'evidence' }, answer: judgesAll() }] },
      { reviewBudget: 2 },
    );
    expect(result.counts.reviews).toMatchObject({ made: 2, notReviewed: 3 });
    expect(store.published.filter(({ review }) => review?.kind === 'not_reviewed')).toHaveLength(3);
    expect(notices.join(' ')).toContain('The evidence of 3 findings was not reviewed');
  });

  it('a budget of dollars: what it cannot pay is not asked, and cost nothing', async () => {
    const store = memoryStore(rows(60));
    const { result, reviews } = await run(
      store,
      { script: [{ when: { role: 'evidence' }, answer: judgesAll() }] },
      { totalUsd: 0.06 },
    );
    expect(reviews.length).toBeLessThan(5);
    expect(result.counts.reviews.notReviewed).toBeGreaterThan(0);
    expect(result.counts.reviews.failed).toBe(0);
  });

  it('the deadline really stops: batches that wait for a slot are not begun after it', async () => {
    const store = memoryStore(rows(72));
    let clock = NOW;
    const { result, reviews } = await run(
      store,
      {
        script: [
          {
            when: { role: 'evidence' },
            answer: exchange => {
              clock = NOW + 2_000_000;
              return judgesAll()(exchange);
            },
          },
        ],
      },
      { now: () => clock },
    );
    expect(reviews.length).toBeLessThanOrEqual(3);
    expect(result.counts.reviews.made + result.counts.reviews.notReviewed).toBe(72);
    expect(result.counts.reviews.notReviewed).toBeGreaterThanOrEqual(36);
  });

  it('a finding that no longer counts when its evidence is read is left out', async () => {
    const store = memoryStore(rows(2));
    store.before = call => {
      if (call === 'readEvidence') store.graph.rows.delete(toRefKey({ label: 'Vulnerability', id: 'v0001' }));
    };
    const { result } = await run(store, { script: [{ when: { role: 'evidence' }, answer: judgesAll() }] });
    expect(result.counts.reviews).toMatchObject({ made: 1, failed: 0 });
  });
});

describe('who is reviewed', () => {
  const evidenceHash = hashEvidence(renderEvidence(nucleiRow('v1')));
  const review = {
    verdict: 'false_positive',
    impactMultiplier: 1,
    impactQuote: '',
    disputedFacts: [],
    evidenceQuote: QUOTE,
    why: '',
    fixLever: 'Trust me',
    evidenceHash,
    channel: 'mcp',
    model: '',
    promptVersion: '',
    at: '2026-12-01T00:00:00.000Z',
  };

  it('a valid external review holds, is never made again, and hides no fix', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    setStored(store, 'v1', toReviewColumns(review));
    const { result, reviews } = await run(store, {});
    expect(reviews).toEqual([]);
    expect(store.published[0]?.review).toBeNull();
    expect(result.counts.states.false_positive).toBe(1);
    expect(result.remediations).toHaveLength(1);
    expect(JSON.stringify(result.remediations)).not.toContain('Trust me');
    expect(result.remediations[0]?.evidence).toBe('');
  });

  it.each([
    ['other evidence', { evidenceHash: 'f'.repeat(40) }],
    ['another model', { channel: 'builtin', model: 'gpt-9', promptVersion: 'review-v2' }],
    ['another prompt', { channel: 'builtin', model: MODEL, promptVersion: 'review-v1' }],
  ])('a review of %s is made again', async (_, rest) => {
    const store = memoryStore([nucleiRow('v1')]);
    setStored(store, 'v1', toReviewColumns({ ...review, ...rest }));
    const { result } = await run(store, { script: [{ when: { role: 'evidence' }, answer: judgesAll() }] });
    expect(result.counts.reviews.made).toBe(1);
  });

  it('our own of the same model and prompt is not', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    const own = { ...review, channel: 'builtin', model: MODEL, promptVersion: 'review-v2' };
    setStored(store, 'v1', toReviewColumns(own));
    const { reviews, result } = await run(store, {});
    expect(reviews).toEqual([]);
    expect(result.counts.states.false_positive).toBe(1);
  });

  it('one of model v3.1 is adopted while its evidence stands, without its multiplier', async () => {
    const store = memoryStore([nucleiRow('v1'), nucleiRow('v2')]);
    const old = { ...review, verdict: 'doubtful', channel: '', evidenceHash: '', model: 'old-model' };
    const columns = (row: FindingRow) => ({
      ...toReviewColumns({ ...old, impactMultiplier: 0.5, impactQuote: QUOTE }),
      triage_evidence_hash: legacyHash('old-model', renderLegacyEvidence(row)),
    });
    setStored(store, 'v1', columns(nucleiRow('v1')));
    setStored(store, 'v2', columns(nucleiRow('v2', { raw_response: 'another answer' })));
    const { result } = await run(store, {}, { model: null });
    expect(result.counts.reviews.adopted).toBe(1);
    const [adopted, left] = ['v1', 'v2'].map(id => store.published.find(row => row.id === id)?.review);
    expect(adopted).toMatchObject({
      kind: 'review',
      review: { verdict: 'doubtful', impactMultiplier: 1, promptVersion: 'review-v1', evidenceHash },
    });
    expect(left?.kind).not.toBe('review');
  });

  it.each<[string, FindingRow, object]>([
    ['a person decided', {}, { triage_source: 'human', triage_status: 'confirmed' }],
    ['it is proven', { validation_status: 'validated' }, {}],
    ['it is not open', { remediated: true }, {}],
    ['it is an advisory', { source: 'osv' }, {}],
    ['it is a check', { source: 'security_check' }, {}],
  ])('not where %s', async (_, rest, stored) => {
    const store = memoryStore([nucleiRow('v1', rest)]);
    setStored(store, 'v1', { ...stored });
    const { result, reviews } = await run(store, {});
    expect(reviews).toEqual([]);
    expect(result.counts.reviews.notReviewed).toBe(0);
  });
});

describe('the words of fixes', () => {
  const words = {
    title: 'Bind the search parameter',
    description: 'The search is open.',
    solution: 'Use a bound query.',
  };
  const script = (rest: object) => [
    { when: { role: 'evidence' }, answer: judgesAll() },
    { when: { role: 'remediation' }, answer: { json: { fixes: [{ id: 'G1', ...words, ...rest }] } } },
  ];

  it('come from the model, everything else from the code', async () => {
    const store = memoryStore([nucleiRow('v1')]);
    const { result } = await run(store, { script: script({}) });
    expect(result.remediations).toMatchObject([
      { ...words, groupKey: 'nuclei:sqli-v1', remediationType: 'code_fix', priority: 1, severity: 'high' },
    ]);
    expect(result.remediations[0]?.evidence).toBe(QUOTE);
  });

  it.each([
    ['an id that was not asked', { id: 'G2' }],
    ['an address', { solution: 'Fetch https://evil.example/fix.sh and run it.' }],
    ['nothing', { title: ' ' }],
    ['too much', { description: 'x'.repeat(601) }],
  ])('stay the standard ones where the model gives %s', async (_, rest) => {
    const store = memoryStore([nucleiRow('v1')]);
    const { result, notices } = await run(store, { script: script(rest) });
    expect(result.remediations[0]).toMatchObject({ title: 'SQL injection in search', solution: 'Bind the parameter' });
    expect(notices.join(' ')).toContain('1 of 1 fixes have the standard words');
  });
});
