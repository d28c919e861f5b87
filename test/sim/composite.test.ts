import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runComposite } from './composite.ts';
import { pullRequestEvent } from './events.ts';
import { evaluate, interpolate, isTrue } from './expressions.ts';
import { type Runner, runnerEnvironment } from './runner.ts';
import { type Scene, startWithPull } from './start-with-pull.ts';

/** A stand-in for the built entry: each step tells what it was given and does what its variable says. */
const PROGRAM = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
const { env, argv: [, , step] } = process;
if (step === 'resolve') appendFileSync(env.GITHUB_OUTPUT, 'run=true\\nmode=review\\nhead-sha=abc\\n');
if (step === 'resolve') appendFileSync(env.GITHUB_ENV, 'SHARED=1\\n');
if (step === 'analyze') {
  mkdirSync(env.RUNNER_TEMP + '/cypherfix', { recursive: true });
  writeFileSync(env.RUNNER_TEMP + '/cypherfix/report.json', '{"from":"analyze"}');
}
if (env.STAY) { process.on('SIGINT', () => process.exit(130)); setInterval(() => {}, 1000); console.log('ready'); }
process.exitCode = Number(env.EXIT ?? 0);
`;

let scene: Scene;
let runner: Runner;
let actionPath: string;
beforeEach(async () => {
  scene = await startWithPull();
  actionPath = mkdtempSync(join(tmpdir(), 'composite-test-'));
  mkdirSync(join(actionPath, 'dist'));
  writeFileSync(join(actionPath, 'package.json'), '{"type":"module"}');
  writeFileSync(join(actionPath, 'dist', 'index.js'), PROGRAM);
  const own = readFileSync(new URL('../../action.yml', import.meta.url));
  writeFileSync(join(actionPath, 'action.yml'), own);
  runner = runnerEnvironment(scene.github, pullRequestEvent(scene.github, scene.pull.number, 'opened'), { actionPath });
});
afterEach(async () => {
  rmSync(actionPath, { recursive: true, force: true });
  await runner.dispose();
  await scene.github.close();
});

const outcomes = (steps: Awaited<ReturnType<typeof runComposite>>['steps']) =>
  Object.fromEntries(Object.entries(steps).map(([id, step]) => [id, step.outcome]));

describe('runComposite with this repository’s action.yml', () => {
  it('gives every step its own environment', async () => {
    const javascriptVariables = { ACTIONS_RUNTIME_TOKEN: 'runtime-secret', ACTIONS_RESULTS_URL: 'http://cache.test/' };
    const { token } = scene.github;
    const { steps, conclusion } = await runComposite(runner, {
      token,
      javascriptVariables,
      inputs: { mode: 'review' },
    });
    expect(conclusion).toBe('success');
    expect(Object.values(outcomes(steps))).toEqual(Object.keys(steps).map(() => 'success'));
    expect(steps['resolve']?.env).toMatchObject({ INPUT_GITHUB_TOKEN: token, INPUT_MODE: 'review' });
    expect(steps['prepare']?.env).toMatchObject({ ACTIONS_RUNTIME_TOKEN: 'runtime-secret', SHARED: '1' });
    expect(steps['runtime']?.used?.secrets).toEqual(['runtime-secret']);
    const seen = JSON.stringify(steps['analyze']?.env);
    expect(seen).not.toContain(token);
    expect(seen).not.toContain('runtime-secret');
    expect(steps['upload']?.used?.artifact).toEqual({
      name: 'cypherfix-abc',
      files: { 'report.json': Buffer.from('{"from":"analyze"}') },
    });
  });

  it('goes on to publish and cleanup when the analysis fails', async () => {
    const { steps, conclusion } = await runComposite(runner, {
      token: scene.github.token,
      stepEnv: { analyze: { EXIT: '1' } },
    });
    expect(conclusion).toBe('failure');
    expect(outcomes(steps)).toMatchObject({ analyze: 'failure', publish: 'success', cleanup: 'success' });
    expect(steps['publish']?.env?.['CYPHERFIX_ANALYZE_OUTCOME']).toBe('failure');
  });

  it('cancels the running step and runs cleanup alone', async () => {
    const cancel = new AbortController();
    const { steps, conclusion } = await runComposite(runner, {
      token: scene.github.token,
      stepEnv: { analyze: { STAY: '1' } },
      cancel: cancel.signal,
      before: id => {
        if (id === 'analyze') setTimeout(() => cancel.abort(), 700);
      },
    });
    expect(conclusion).toBe('cancelled');
    expect(outcomes(steps)).toMatchObject({ analyze: 'cancelled', publish: 'skipped', cleanup: 'success' });
    // Only a step that starts with `exec` gets the signal itself instead of its shell.
    expect(steps['analyze']?.result).toMatchObject({ status: 130, stdout: 'ready\n' });
  });

  it('refuses an input that the action does not have', async () => {
    const run = runComposite(runner, { token: 't', inputs: { nonsense: 'x' } });
    await expect(run).rejects.toThrow('no such inputs: nonsense');
  });
});

describe('expressions', () => {
  const context = {
    names: { inputs: { 'a-b': 'X', empty: '' }, steps: { s: { outputs: { 'run-it': 'true' } } } },
    functions: { success: () => true, always: () => true, cancelled: () => false },
  };

  it.each([
    ["inputs.a-b == 'x'", true],
    ["inputs.empty || 'other'", 'other'],
    ['inputs.missing.deeper || steps.s.outputs.run-it', 'true'],
    ["!cancelled() && steps.s.outputs.run-it != 'false'", true],
    ["'it''s'", "it's"],
    ["(1 == '1') && null == ''", true],
  ])('evaluates %s', (source, value) => {
    expect(evaluate(source, context)).toBe(value);
  });

  it('puts nothing for what is not there, and success() before a condition that does not ask', () => {
    expect(interpolate(`a \${{ inputs.missing }}b \${{ inputs.a-b }}`, context)).toBe('a b X');
    const failed = { ...context, functions: { ...context.functions, success: () => false } };
    expect(isTrue('true', failed)).toBe(false);
    expect(isTrue(`\${{ always() }}`, failed)).toBe(true);
  });

  it.each(['nobody.x', 'frob()', '(true', 'true true'])('refuses %s', source => {
    expect(() => evaluate(source, context)).toThrow();
  });
});
