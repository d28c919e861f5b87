import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox, SandboxResult, Step } from '../../src/sandbox/sandbox.ts';
import { LINT } from '../../src/scanners/eslint.ts';
import { openSandbox, python, shell, toJob, toStep } from './real-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const lint = (name: string, env: Record<string, string>, folder = '/work/code'): Step =>
  toStep(name, [...LINT, folder], { env, cwd: '/work/code', timeoutMs: 60_000 });

function run(...phases: Step[][]): Promise<SandboxResult> {
  const snapshot = [
    { path: 'code/a.js', content: Buffer.from('eval(a);\n') },
    { path: 'code/b.ts', content: Buffer.from('const x: string = eval(b);\nelement.innerHTML = x;\n') },
    { path: 'code/c.ts', content: Buffer.from('const = ;\n') },
    // Something to do for a while.
    { path: 'code/d.js', content: Buffer.from('x(y[z]);\n'.repeat(2_000)) },
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
  expect(JSON.parse(said).files.map((file: { messages: object[] }) => file.messages.length)).toEqual([1, 2, 0, 2_000]);
});

test('it is the one that waited, and no other is started', async () => {
  const list = 'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " <$f; echo; done';
  const poll = shell('list', `for i in 1 2 3 4 5 6 7 8; do ${list}; sleep 0.05; done`);
  const { steps, failure } = await run([lint('waited', {}), poll]);
  expect(failure).toBeUndefined();
  expect(steps.get('list')?.stdout.toString()).toContain('eslint.blob wait');
  expect(steps.get('list')?.stdout.toString()).not.toContain(LINT.join(' '));
});

test('each waits for one step only, and one that no step takes is ended', async () => {
  const list = 'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " <$f; echo; done';
  const { steps, failure } = await run([shell('list', `sleep 0.5; ${list}`)]);
  expect(failure).toBeUndefined();
  expect(steps.get('list')?.stdout.toString()).toContain('/opt/cypherfix/guest run');
  expect(steps.get('list')?.stdout.toString()).not.toContain('eslint.blob wait');
  const two = await run([lint('first', {}), lint('second', {})]);
  expect(two.failure).toBeUndefined();
  expect(two.steps.get('first')?.stdout.toString()).toBe(two.steps.get('second')?.stdout.toString());
});

describe('process 1', () => {
  const SIGNAL = AbortSignal.timeout(120_000);

  test('goes on while a step holds all processes that it may start', async () => {
    const bomb = `import os, time
end = time.time() + 4
while time.time() < end:
  try:
    if os.fork() == 0:
      time.sleep(max(0, end - time.time()))
      os._exit(0)
  except OSError:
    time.sleep(0.0005)`;
    const write = 'import os, time\ntime.sleep(2.5)\nfor i in range(300): os.write(1 + i % 2, b"x" * 4000)';
    const writers = Array.from({ length: 20 }, (_, index) => python(`writer ${index}`, write));
    const job = toJob([[python('bomb', bomb), ...writers]], { memoryMb: 2048, maxOutputBytes: 64_000_000 });
    const result = await sandbox.run(job, SIGNAL);
    expect(result.failure).toBeUndefined();
    for (const { name } of writers) expect(result.steps.get(name)?.stdout.length, name).toBe(600_000);
  });

  test('ends what runs on after its first thread has ended', async () => {
    const start = `import ctypes, os, threading, time
if os.fork():
  time.sleep(1)
  os._exit(0)
os.setsid()
for fd in (0, 1, 2): os.close(fd)
def write():
  with open("/work/ticks", "a") as file:
    while True:
      file.write("t")
      file.flush()
      time.sleep(0.02)
threading.Thread(target=write, daemon=True).start()
time.sleep(0.2)
ctypes.CDLL(None).syscall(60, 0)`;
    const size = (name: string): Step => shell(name, 'sleep 0.5; stat -c %s /work/ticks');
    const result = await sandbox.run(
      toJob([[python('start', start), shell('wait', 'sleep 1')], [size('a')], [size('b')]]),
      SIGNAL,
    );
    const [a, b] = ['a', 'b'].map(name => Number(result.steps.get(name)?.stdout.toString()));
    expect(a).toBeGreaterThan(0);
    expect(b).toBe(a);
  });

  test('keeps a flood of output in little more memory than its bytes', async () => {
    const flood = toStep('flood', ['/usr/bin/head', '-c', '120000000', '/dev/zero'], { maxStdoutBytes: 130_000_000 });
    const job = toJob([[flood]], { memoryMb: 256, maxOutputBytes: 130_000_000 });
    const result = await sandbox.run(job, SIGNAL);
    expect(result).toMatchObject({ oomKilled: false });
    expect(result.failure).toBeUndefined();
    expect(result.steps.get('flood')?.stdout.length).toBe(120_000_000);
  });
});
