import { describe, expect, it } from 'vitest';
import type { FailureKind, ModelRequest } from '../../src/model/model.ts';
import { NO_USAGE } from '../../src/model/model.ts';
import { reviewChange } from '../../src/review/review-change.ts';
import { stubReview } from '../../src/review/stub-review.ts';
import { draft, judgement, NOTHING_FOUND, type Script, scriptedModel, textOf } from './scripted-model.ts';
import { reviewWorld, SCANNER_FINDING, testBudget, type WorldOptions } from './world.ts';

const run = async (scripts: Readonly<Record<string, Script>>, options: WorldOptions = {}) => {
  const model = scriptedModel(scripts);
  const outcome = await reviewChange({ ...reviewWorld(options), model });
  return { outcome, model };
};

const finds =
  (...findings: readonly unknown[]): Script =>
  () => ({ answer: { ...NOTHING_FOUND, findings } });

describe('a planted fault', () => {
  it('is found by the security reviewer at its place, with its tools seen', async () => {
    const { outcome, model } = await run({
      security: (_, turn) =>
        turn === 0
          ? { calls: [{ name: 'read_file', input: { path: 'src/run.ts', start_line: null, end_line: null } }] }
          : { answer: { ...NOTHING_FOUND, findings: [draft()] } },
    });
    expect(outcome.failures).toEqual([]);
    expect(outcome.findings).toHaveLength(1);
    expect(outcome.findings[0]).toMatchObject({
      id: 'sec-1',
      origin: 'reviewer',
      tool: 'security',
      ruleId: 'command-injection/CWE-78',
      cwe: ['CWE-78'],
      path: 'src/run.ts',
      place: 'hunk',
      startLine: 3,
      endLine: 3,
      matchedText: "  return execSync('ls ' + name).toString();",
    });
    const [, second] = model.requestsOf('security');
    expect(second?.turns.at(-1)).toMatchObject({ role: 'tool' });
    expect(second && textOf(second)).toContain("3|   return execSync('ls ' + name).toString();");
    expect(outcome.review).toMatchObject({ score: 0.8, revisions: 0, budgetLimited: false, injection: {} });
    expect(outcome.review.reviewers.map(({ name, status, calls }) => [name, status, calls])).toEqual([
      ['security', 'ok', 2],
      ['correctness', 'ok', 1],
      ['style', 'ok', 1],
    ]);
  });

  it('keeps ids, numbers, kinds and paths in the hands of code', async () => {
    const { outcome } = await run({
      style: finds(
        draft({ confidence: 7, cwe: '79', category: '  ', quote: '' }),
        draft({ confidence: -1, cwe: 'none', path: '../../etc/passwd', severity: 'low' }),
        draft({ cwe: 'cwe_0089 (SQL)', category: 'SQL  Injection!', path: './src//run.ts', severity: 'info' }),
      ),
    });
    const kept = outcome.findings.map(({ id, confidence, ruleId, place, path }) => [
      id,
      confidence,
      ruleId,
      place,
      path,
    ]);
    expect(kept).toEqual([
      ['sty-1', 1, 'style/CWE-79', 'none', 'src/run.ts'],
      ['sty-2', 0, 'command-injection', 'none', ''],
      ['sty-3', 0.9, 'sql-injection/CWE-89', 'hunk', 'src/run.ts'],
    ]);
  });
});

it('takes fifty findings of a reviewer, and no line of any length as a text', async () => {
  const many = Array.from({ length: 60 }, (_, at) => draft({ title: `no. ${at}` }));
  expect((await run({ style: finds(...many) })).outcome.findings).toHaveLength(50);
  const files = { 'src/run.ts': `${'x;'.repeat(5_000)}execSync('ls ' + name);${'y;'.repeat(5_000)}\n` };
  const { outcome } = await run({ style: finds(draft()) }, { files });
  expect(outcome.findings[0]).toMatchObject({ place: 'hunk', matchedText: "execSync('ls ' + name)" });
});

describe('the prompt', () => {
  it('is byte-identical for the three reviewers up to the breakpoint, the role comes after it', async () => {
    const { model } = await run({});
    const firsts = ['security', 'correctness', 'style'].map(role => model.requestsOf(role)[0]);
    const prefixes = firsts.map(request => {
      const turn = request?.turns[0];
      if (request === undefined || turn?.role !== 'user') throw new Error('no first turn');
      const breakpoint = turn.parts.findLastIndex(part => part.cache === true);
      expect(breakpoint).toBeGreaterThanOrEqual(0);
      expect(turn.parts.length).toBe(breakpoint + 2);
      const { system, tools, answerSchema, effort, model: name, toolChoice } = request;
      return JSON.stringify([
        name,
        effort,
        toolChoice,
        answerSchema,
        tools,
        system,
        turn.parts.slice(0, breakpoint + 1),
      ]);
    });
    expect(new Set(prefixes).size).toBe(1);
    expect(prefixes[0]).not.toMatch(/Your duty/);
    expect(firsts.map(request => /# Your duty: (\w+)/.exec(request ? textOf(request) : '')?.[1])).toEqual([
      'security',
      'correctness',
      'style',
    ]);
  });

  it('goes to the second and third reviewer when the first one begins to answer', async () => {
    const events: string[] = [];
    const inner = scriptedModel({});
    const begun = (request: ModelRequest): void => {
      events.push(`begin ${request.role}`);
      request.onStarted?.();
    };
    const model = {
      call: async (...[request, signal]: Parameters<typeof inner.call>) => {
        events.push(`ask ${request.role}`);
        await new Promise(done => setTimeout(done, 20));
        return inner.call({ ...request, onStarted: () => begun(request) }, signal);
      },
    };
    await reviewChange({ ...reviewWorld(), model });
    expect(events.slice(0, 4)).toEqual(['ask security', 'begin security', 'ask correctness', 'ask style']);
  });

  it('holds the policy outside the markers, and scanner findings, title and diff inside', async () => {
    const policy = { ...reviewWorld().policy, instructions: 'Mind the password = "hunter2hunter2".' };
    const { model } = await run({}, { policy });
    const request = model.requests[0];
    if (request === undefined) throw new Error('no request');
    expect(request.system[0]?.text).toContain('Mind the password = "[redacted:password]".');
    const outside = textOf(request).replace(/<untrusted-b0a1[^>]*>\n[\s\S]*?\n<\/untrusted-b0a1[^>]*>/g, '');
    expect(outside).toContain('Mind the password');
    for (const data of ['List a folder', 'Adds list()', SCANNER_FINDING.message, 'execSync']) {
      expect(outside).not.toContain(data);
      expect(textOf(request)).toContain(data);
    }
  });
});

describe('reflection and the judge', () => {
  it('drops, corrects and merges by decision, and reports what was dropped', async () => {
    const { outcome } = await run({
      security: finds(draft(), draft({ title: 'Noise', quote: 'nothing such' })),
      correctness: finds(draft({ severity: 'medium', evidence: ['seen too'] })),
      reflection: () => ({
        answer: {
          decisions: [
            decide('sec-2', 'drop', { reason: 'not in the code' }),
            decide('cor-1', 'merge', { merge_into: 'sec-1' }),
            decide('sec-1', 'keep', { title: 'A clearer title', severity: 'critical' }),
            decide(SCANNER_FINDING.id, 'drop', { reason: 'never mind' }),
          ],
          summary: 'Mend the shell call.',
        },
      }),
    });
    expect(outcome.findings).toHaveLength(1);
    expect(outcome.findings[0]).toMatchObject({ title: 'A clearer title', severity: 'critical', startLine: 3 });
    expect(outcome.findings[0]?.mergedFrom).toEqual([{ reviewer: 'correctness', id: 'cor-1' }]);
    expect(outcome.review.dropped).toEqual([{ quote: 'nothing such', reason: 'not in the code' }]);
    expect(outcome.review.summary).toBe('Mend the shell call.');
  });

  it('is not asked about nothing, the judge is', async () => {
    const { outcome, model } = await run({});
    expect(model.requests.map(request => request.role).sort()).toEqual(['correctness', 'judge', 'security', 'style']);
    expect(outcome.review.score).toBe(0.8);
    expect(model.requestsOf('judge')[0]?.tools).toEqual([]);
  });

  it('a weak review is revised exactly once and the better version kept', async () => {
    for (const [second, kept] of [
      [0.9, 'Revised.'],
      [0.3, 'First.'],
    ] as const) {
      const { outcome, model } = await run({
        security: finds(draft()),
        reflection: () => ({ answer: { decisions: [], summary: 'First.' } }),
        revise: () => ({ answer: { decisions: [], summary: 'Revised.' } }),
        judge: (_, turn) => ({ answer: judgement(turn === 0 ? 0.4 : second, 'Too thin.') }),
      });
      expect(model.requestsOf('revise')).toHaveLength(1);
      expect(model.requestsOf('judge')).toHaveLength(2);
      expect(outcome.review).toMatchObject({ revisions: 1, summary: kept, score: Math.max(0.4, second) });
      const [request] = model.requestsOf('revise');
      expect(request && textOf(request)).toContain('Too thin.');
      expect(outcome.failures).toEqual([]);
    }
  });

  it('a weak review without findings has nothing to revise', async () => {
    const { outcome, model } = await run({ judge: () => ({ answer: judgement(0.2) }) });
    expect(model.requestsOf('revise')).toEqual([]);
    expect(outcome.review).toMatchObject({ score: 0.2, revisions: 0 });
  });

  it('a good review is not revised', async () => {
    const { model } = await run({ security: finds(draft()), judge: () => ({ answer: judgement(0.6) }) });
    expect(model.requestsOf('revise')).toEqual([]);
  });

  it('a second judgement that fails leaves the first score and version', async () => {
    const { outcome } = await run({
      security: finds(draft()),
      reflection: () => ({ answer: { decisions: [], summary: 'First.' } }),
      judge: (_, turn) => (turn === 0 ? { answer: judgement(0.4) } : broken('overloaded')),
    });
    expect(outcome.review).toMatchObject({ score: 0.4, revisions: 1, summary: 'First.' });
    expect(outcome.failures).toEqual(['The revision was not judged: overloaded: it broke.']);
  });

  it('a revision that is not affordable is not begun', async () => {
    // Reflection and judge cost the shared 40 %; the usage leaves nothing for two more calls.
    const model = scriptedModel(
      { security: finds(draft()), judge: () => ({ answer: judgement(0.2) }) },
      { inputTokens: 4_000, outputTokens: 4_000, cacheReadTokens: 0, cacheWriteTokens: 0 },
    );
    const budget = testBudget(0.45);
    const outcome = await reviewChange({ ...reviewWorld({ budget }), model });
    expect(model.requestsOf('revise')).toEqual([]);
    expect(outcome.review).toMatchObject({ score: 0.2, revisions: 0, budgetLimited: true });
    expect(budget.spentUsd()).toBeLessThanOrEqual(0.45);
  });
});

describe('one reviewer that fails', () => {
  const kinds: FailureKind[] = ['refused', 'truncated', 'overloaded', 'network', 'stalled', 'deadline', 'unauthorized'];
  it.each(kinds)('%s: the others go on, the failure is named', async kind => {
    for (const role of ['security', 'correctness', 'style']) {
      const other = role === 'style' ? 'security' : 'style';
      const { outcome } = await run({ [role]: () => broken(kind), [other]: finds(draft()) });
      expect(outcome.failures).toEqual([`The ${role} reviewer did not finish: ${kind}: it broke.`]);
      expect(outcome.findings).toHaveLength(1);
      expect(outcome.review.score).toBe(0.8);
      expect(outcome.review.reviewers.find(({ name }) => name === role)).toMatchObject({ status: 'failed' });
      expect(outcome.examined.map(({ reviewer }) => reviewer)).not.toContain(role);
    }
  });

  it('malformed: an answer that does not fit counts as none', async () => {
    const { outcome } = await run({
      security: () => ({
        answer: { findings: [draft({ severity: 'catastrophic' })], scanner: [], resolved: [], notes: '' },
      }),
      correctness: () => ({ raw: { status: 'ok', text: '{"findings":', toolCalls: [], echo: null, usage: NO_USAGE } }),
    });
    expect(outcome.failures.map(failure => failure.slice(0, 52))).toEqual([
      'The security reviewer did not finish: malformed: the',
      'The correctness reviewer did not finish: malformed: ',
    ]);
    expect(outcome.review.score).toBe(0.8);
  });

  it('all three: no judge, no score, three reasons', async () => {
    const { outcome, model } = await run({
      security: () => broken('refused'),
      correctness: () => broken('overloaded'),
      style: () => broken('truncated'),
    });
    expect(outcome.failures).toHaveLength(3);
    expect(outcome.review.score).toBeNull();
    expect(model.requestsOf('judge')).toEqual([]);
  });

  it('reflection or the judge: the drafts stand, the failure is named', async () => {
    const reflection = await run({ security: finds(draft()), reflection: () => broken('refused') });
    expect(reflection.outcome.failures).toEqual(['Reflection did not finish: refused: it broke.']);
    expect(reflection.outcome.findings).toHaveLength(1);
    const judge = await run({ security: finds(draft()), judge: () => broken('overloaded') });
    expect(judge.outcome.failures).toEqual(['The judge did not finish: overloaded: it broke.']);
    expect(judge.outcome.review).toMatchObject({ score: null, dimensions: null });
  });

  it('an abort ends the review at once', async () => {
    const controller = new AbortController();
    const model = scriptedModel({
      security: () => {
        controller.abort();
        throw controller.signal.reason;
      },
    });
    await expect(reviewChange({ ...reviewWorld({ signal: controller.signal }), model })).rejects.toThrow(/abort/i);
    expect(model.requests.map(request => request.role)).toEqual(['security']);
  });
});

it('an internal error goes on only when every reviewer has ended', async () => {
  let running = 0;
  const inner = scriptedModel({});
  const model = {
    call: async (...[request, signal]: Parameters<typeof inner.call>) => {
      running += 1;
      const answer = await inner.call(request, signal);
      await new Promise(done => setTimeout(done, request.role === 'security' ? 0 : 30));
      running -= 1;
      if (request.role === 'correctness') return answer;
      if (request.role === 'security') throw new Error('the recording differs');
      return answer;
    },
  };
  await expect(reviewChange({ ...reviewWorld(), model })).rejects.toThrow('the recording differs');
  expect(running).toBe(0);
});

describe('the budget', () => {
  it('of $0.02 gives a partial review that says so and costs no more', async () => {
    const budget = testBudget(0.02);
    const { outcome } = await run({ security: finds(draft()) }, { budget });
    expect(outcome.review.budgetLimited).toBe(true);
    expect(outcome.failures.length).toBeGreaterThan(0);
    expect(outcome.failures.join(' ')).toContain('budget');
    expect(budget.spentUsd()).toBeLessThanOrEqual(0.02);
  });

  it('that a long diff would eat makes the diff shorter, and the review ends', async () => {
    const line = 'export const value = compute(first, second);\n';
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`src/${at}.ts`, line.repeat(60)]));
    const budget = testBudget(0.5);
    const { outcome, model } = await run({}, { files, budget });
    expect(outcome.failures).toEqual([]);
    expect(outcome.review).toMatchObject({ budgetLimited: true, score: 0.8 });
    const shown = outcome.examined[0]?.paths ?? [];
    expect(shown.length).toBeGreaterThan(1);
    expect(outcome.notShown.length + shown.length).toBe(40);
    expect(outcome.notShown[0]?.reason).toMatch(/longer than the budget pays for, see ai\.budget_usd/);
    const rich = await run({}, { files, budget: testBudget(5) });
    expect(rich.outcome.examined[0]?.paths.length).toBeGreaterThan(shown.length);
    expect(model.requests[0] && textOf(model.requests[0])).toContain('use get_diff');
  });

  it('of time leaves 40 % for what follows the reviewers', async () => {
    let now = 0;
    const budget = {
      ...testBudget(),
      deadline: 1_000_000,
      timeLeft: () => 1_000_000 - now,
    };
    const { outcome, model } = await run(
      {
        security: (_, turn) => {
          now = 590_000 + turn * 20_000;
          return turn === 0 ? { calls: [{ name: 'list_dir', input: { path: null } }] } : { answer: NOTHING_FOUND };
        },
      },
      { budget },
    );
    expect(model.requestsOf('security')[0]?.deadline).toBe(600_000);
    expect(outcome.review.budgetLimited).toBe(true);
    expect(outcome.review.score).toBe(0.8);
  });
});

describe('findings of others', () => {
  it('the worst of many scanner findings are told first', async () => {
    const low = Array.from({ length: 60 }, (_, at) => ({
      ...SCANNER_FINDING,
      id: `low-${at}`,
      severity: 'low' as const,
    }));
    const { model } = await run({}, { scannerFindings: [...low, SCANNER_FINDING] });
    const prompt = model.requests[0] ? textOf(model.requests[0]) : '';
    expect(prompt).toContain('[a1b2c3d4] critical');
    expect(prompt).toContain('... [11 more]');
  });

  it('scanner findings can be confirmed and disputed, never silenced', async () => {
    const verdict = (id: string, word: string) => ({ id, verdict: word, note: `${word} it` });
    const { outcome } = await run({
      security: () => ({
        answer: {
          ...NOTHING_FOUND,
          scanner: [
            verdict(SCANNER_FINDING.id, 'dispute'),
            verdict(SCANNER_FINDING.id, 'confirm'),
            verdict('ffffffff', 'dispute'),
          ],
        },
      }),
      correctness: () => ({ answer: { ...NOTHING_FOUND, scanner: [verdict(SCANNER_FINDING.id, 'confirm')] } }),
    });
    expect(outcome.scannerNotes).toEqual([
      { id: SCANNER_FINDING.id, reviewer: 'security', verdict: 'dispute', note: 'dispute it' },
      { id: SCANNER_FINDING.id, reviewer: 'correctness', verdict: 'confirm', note: 'confirm it' },
    ]);
    expect(outcome.review.disputes).toEqual([{ id: SCANNER_FINDING.id, note: 'dispute it' }]);
  });

  it('open findings go to their own reviewer, who alone may call them mended', async () => {
    const open = {
      id: '11112222',
      reviewer: 'style',
      path: 'src/run.ts',
      category: 'naming',
      title: 'Bad name',
      quote: 'list',
    } as const;
    const resolve: Script = () => ({ answer: { ...NOTHING_FOUND, resolved: [{ id: '11112222', reason: 'renamed' }] } });
    const { outcome, model } = await run({ security: resolve, style: resolve }, { previousOpen: [open] });
    expect(outcome.resolved).toEqual([{ id: '11112222', reviewer: 'style', reason: 'renamed' }]);
    const told = model.requests.filter(request => textOf(request).includes('11112222')).map(request => request.role);
    expect(told).toEqual(['style']);
  });

  it('files that models may not see are neither shown nor readable', async () => {
    const files = { 'src/run.ts': 'ok\n', 'vendor/a.ts': 'hidden\n' };
    const policy = { ...reviewWorld().policy, isIgnored: (path: string) => path.startsWith('vendor/') };
    const { outcome, model } = await run(
      {
        security: (_, turn) =>
          turn === 0
            ? {
                calls: [
                  { name: 'read_file', input: { path: 'vendor/a.ts' } },
                  { name: 'search_code', input: { pattern: 'hidden' } },
                  { name: 'list_dir', input: {} },
                ],
              }
            : { answer: NOTHING_FOUND },
      },
      { files, policy },
    );
    expect(model.requests.some(request => textOf(request).includes('hidden\n'))).toBe(false);
    const [, second] = model.requestsOf('security');
    expect(second && textOf(second)).toContain('. (1 entry)\nsrc/\n');
    expect(outcome.notShown).toEqual([{ path: 'vendor/a.ts', reason: 'the policy keeps it from models' }]);
    expect(outcome.examined[0]).toEqual({ reviewer: 'security', paths: ['src/run.ts'] });
  });
});

it('the stub invents nothing', () => {
  const { findings, failures, review } = stubReview(0.6);
  expect([findings, failures, review.score, review.disputes]).toEqual([[], [], null, []]);
  expect(review.reviewers.every(({ status }) => status === 'stub')).toBe(true);
});

function broken(kind: FailureKind) {
  return { raw: { status: 'failed', kind, reason: 'it broke', usage: NO_USAGE } } as const;
}

function decide(finding_id: string, action: string, rest: Readonly<Record<string, unknown>>) {
  const nothing = { merge_into: null, severity: null, title: null, rationale: null, suggestion: null, quote: null };
  return { finding_id, action, ...nothing, reason: '', ...rest };
}
