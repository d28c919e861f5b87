import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox, SandboxResult, Step } from '../../src/sandbox/sandbox.ts';
import { openSandbox } from './real-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const toStep = (name: string, argv: readonly string[], env: Record<string, string> = {}): Step => {
  const caps = { timeoutMs: 60_000, maxStdoutBytes: 100_000, maxStderrBytes: 100_000 };
  return { name, argv, env, cwd: '/work/code', ...caps };
};
const lint = (name: string, env: Record<string, string>, folder = '/work/code'): Step =>
  toStep(name, ['/usr/bin/node', '/opt/eslint/lint.mjs', folder], env);

function run(...phases: Step[][]): Promise<SandboxResult> {
  const snapshot = [
    { path: 'code/a.js', content: Buffer.from('eval(a);\n') },
    { path: 'code/b.ts', content: Buffer.from('const x: string = eval(b);\nelement.innerHTML = x;\n') },
    { path: 'code/c.ts', content: Buffer.from('const = ;\n') },
  ];
  const limits = { memoryMb: 1024, cpus: 2, timeoutMs: 120_000, maxOutputBytes: 1_000_000 };
  return sandbox.run(
    { purpose: 'test', imageClass: 'scanners', snapshot, phases, limits },
    AbortSignal.timeout(120_000),
  );
}

test('a program that waited says what one says that was started for its step', async () => {
  // A step with variables of its own is started plainly.
  const { steps, failure } = await run([lint('waited', {})], [lint('plain', { OWN: '1' })]);
  expect(failure).toBeUndefined();
  for (const name of ['waited', 'plain']) {
    expect(steps.get(name), name).toMatchObject({ exitCode: 0, timedOut: false });
    expect(steps.get(name)?.stderr.toString(), name).toBe('');
  }
  const said = steps.get('waited')?.stdout.toString() ?? '';
  expect(said).toBe(steps.get('plain')?.stdout.toString());
  expect(JSON.parse(said).files.map((file: { messages: object[] }) => file.messages.length)).toEqual([1, 2, 0]);
});

test('each waits for one step only, and one that no step takes is ended', async () => {
  const list = 'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " <$f; echo; done';
  const { steps, failure } = await run([toStep('list', ['/bin/sh', '-c', `sleep 0.5; ${list}`])]);
  expect(failure).toBeUndefined();
  expect(steps.get('list')?.stdout.toString()).toContain('/opt/cypherfix/guest run');
  expect(steps.get('list')?.stdout.toString()).not.toContain('eslint.blob wait');
  const two = await run([lint('first', {}), lint('second', {})]);
  expect(two.failure).toBeUndefined();
  expect(two.steps.get('first')?.stdout.toString()).toBe(two.steps.get('second')?.stdout.toString());
});
