import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { draft, judgement, NOTHING_FOUND } from '../review/scripted-model.ts';
import { pullRequestEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import { type AnthropicOptions, startAnthropic } from '../sim-model/anthropic.ts';
import type { Fault } from '../sim-model/faults.ts';
import type { Simulator } from '../sim-model/site.ts';
import { createTempRepo, type TempRepo } from '../workspace/temp-repo.ts';
import { KEY, ROLES, runReview } from './local-review.ts';
import { runJob } from './run-job.ts';
import { checkOf, openChange, startShop } from './shop.ts';

const ALWAYS = Number.POSITIVE_INFINITY;
/** What no scanner minds. */
const PLAIN = 'export const add = (a, b) => a + b;\n';
/** Critical for ast-grep: js-command-request-data. */
const CRITICAL = `import { exec } from 'node:child_process';
export const list = (req, res) => exec('ls ' + req.query.dir, (_, out) => res.end(out));
`;
/** A second is enough on loopback; the limit of a job is 60. */
const PATIENCE = { CYPHERFIX_MODEL_PATIENCE_S: '1' };

/** How an answer can go wrong, and the words that the reason must hold. */
const FAULTS: readonly [string, Fault, RegExp][] = [
  ['a refusal', { kind: 'refusal' }, /refused: the model refused \(cyber\)/],
  ['an answer that is cut off', { kind: 'truncated-answer' }, /truncated: the answer was cut off at \d+ output tokens/],
  ['an answer that is no JSON', { kind: 'invalid-answer' }, /malformed: the answer is no JSON/],
  [
    'an overload that does not end',
    { kind: 'status', status: 529, retryAfter: { ms: 5 } },
    /overloaded: .*529.*\(5 tries\)/,
  ],
  ['an error in mid-stream', { kind: 'stream-error' }, /overloaded: .*overloaded_error/],
  ['a stream that hangs', { kind: 'stall', at: 'body' }, /stalled: .*no byte for 1 s/],
  ['headers that never come', { kind: 'stall', at: 'headers' }, /stalled: .*no answer within 1 s \(2 tries\)/],
];
/** The reviewers find one thing of little weight, so that reflection has work and the gate nothing of theirs. */
const SCRIPT: NonNullable<AnthropicOptions['script']> = [
  {
    when: { role: 'correctness' },
    answer: {
      json: {
        ...NOTHING_FOUND,
        findings: [draft({ path: 'lib.js', severity: 'low', quote: 'export const add = (a, b) => a + b;' })],
      },
    },
  },
  { when: { role: 'judge' }, answer: { json: judgement(0.8) } },
];

let repo: TempRepo;
let api: Simulator | null = null;
beforeAll(() => {
  repo = createTempRepo();
  repo.write('README.md', '# Shop\n');
  repo.commit('Begin');
  repo.write('lib.js', PLAIN);
  repo.commit('Add');
  repo.write('web.js', CRITICAL);
  repo.commit('List');
});
afterAll(() => repo.remove());
afterEach(async () => {
  await api?.close();
  api = null;
});

async function review(fault: Fault, head: 'main' | 'main~1') {
  api = await startAnthropic({ roles: ROLES, script: SCRIPT });
  api.faults.add({ ...fault, times: ALWAYS });
  return runReview({ repo: repo.path, base: 'main~2', head, api, env: PATIENCE });
}

describe.each(FAULTS)('%s', (_, fault, reason) => {
  const ofSecurity = { ...fault, when: { role: 'security' } };

  test('ends neutral with the reason, and the other reviewers finish', async () => {
    const { status, stderr, report } = await review(ofSecurity, 'main~1');
    expect(status, stderr).toBe(2);
    const { conclusion, gate, review: part } = report();
    expect(conclusion).toBe('neutral');
    expect(gate.reasons).toEqual([expect.stringMatching(reason)]);
    expect(gate.reasons[0]).toMatch(/^The security reviewer did not finish: /);
    expect(part?.reviewers.map(one => one.status)).toEqual(['failed', 'ok', 'ok']);
    expect(part?.score).toBe(0.8);
  });

  test('beside a critical finding of a scanner it ends as a failure that gives both reasons', async () => {
    const { status, stderr, report } = await review(ofSecurity, 'main');
    expect(status, stderr).toBe(1);
    const { conclusion, gate, findings } = report();
    expect(conclusion).toBe('failure');
    expect(findings.find(finding => finding.path === 'web.js')).toMatchObject({
      severity: 'critical',
      origin: 'scanner',
    });
    expect(gate.reasons[0]).toMatch(/critical, .*\) at web\.js:2 is introduced/);
    expect(gate.reasons.at(-1)).toMatch(reason);
  });
});

describe('what follows the reviewers', () => {
  test.each([
    ['reflection', { kind: 'stall', at: 'body' }, /^Reflection did not finish: stalled/, 0.8],
    ['judge', { kind: 'refusal' }, /^The judge did not finish: refused/, null],
    ['judge', { kind: 'stream-error' }, /^The judge did not finish: overloaded/, null],
  ] as const)('%s fails by %j: neutral, and what was found stays', async (role, fault, reason, score) => {
    const { status, stderr, report } = await review({ ...fault, when: { role } }, 'main~1');
    expect(status, stderr).toBe(2);
    expect(report()).toMatchObject({ conclusion: 'neutral', review: { score } });
    expect(report().gate.reasons).toEqual([expect.stringMatching(reason)]);
    expect(report().findings.map(({ tool }) => tool)).toEqual(['correctness']);
  });

  test('what a broken stream showed is paid for', async () => {
    const { report } = await review({ kind: 'stream-error', when: { role: 'judge' } }, 'main~1');
    const judge = report().cost.byRole.find(row => row.role === 'judge');
    expect(judge?.inputTokens).toBeGreaterThan(0);
    expect(judge?.usd).toBeGreaterThan(0);
  });
});

describe('in the action', () => {
  let github: GitHub;
  beforeAll(async () => {
    github = await startShop({ files: { 'README.md': '# Shop\n' } });
  });
  afterAll(() => github.close());

  async function job(branch: string, files: Record<string, string>, faults: readonly Fault[]) {
    const models = await startAnthropic({ roles: ROLES, script: SCRIPT });
    try {
      for (const fault of faults) models.faults.add({ ...fault, times: ALWAYS });
      const pull = openChange(github, branch, files);
      const inputs = { 'anthropic-api-key': KEY, 'model-base-url': models.url };
      const done = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), { inputs });
      return { ...done, check: checkOf(github, pull.headSha) };
    } finally {
      await models.close();
    }
  }
  const broken = FAULTS.filter(([, fault]) => fault.kind !== 'stall');

  test.each(broken)('%s concludes neutral, with the reason in the check', async (_, fault, reason) => {
    const faults = [{ ...fault, when: { role: 'style' } }];
    const { outputs, check } = await job(`fault-${fault.kind}`, { 'lib.js': PLAIN }, faults);
    expect(outputs).toMatchObject({ conclusion: 'neutral', gate: 'incomplete' });
    expect(check).toMatchObject({ status: 'completed', conclusion: 'neutral' });
    expect(check.summary?.replaceAll('&#95;', '_').replaceAll('\\', '')).toMatch(reason);
  });

  test('a stream that hangs for the whole minute of a job: neutral, failure beside a critical finding', async () => {
    const hang: Fault = { kind: 'stall', at: 'body', when: { role: 'style' } };
    // Side by side, since each of them waits.
    const [alone, beside] = await Promise.all([
      job('hang', { 'lib.js': PLAIN }, [hang]),
      job('hang-beside', { 'lib.js': PLAIN, 'web.js': CRITICAL }, [hang, { kind: 'refusal', when: { role: 'judge' } }]),
    ]);
    expect(alone.outputs).toMatchObject({ conclusion: 'neutral', gate: 'incomplete' });
    expect(alone.check.conclusion).toBe('neutral');
    expect(beside.outputs).toMatchObject({ conclusion: 'failure', gate: 'tripped' });
    expect(beside.check.conclusion).toBe('failure');
    for (const { check, summary } of [alone, beside]) {
      expect(check.summary).toContain('no byte for 60 s');
      expect(summary).toContain('no byte for 60 s');
    }
    expect(beside.summary).toContain('the model refused');
  });
});
