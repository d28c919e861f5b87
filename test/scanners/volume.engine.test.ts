import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openSandbox } from '../sandbox/real-sandbox.ts';
import { scan, statusOf, toLines } from './scan.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const FILES = 5_000;

test('5,000 files: each is read by each of its scanners, and a fault in the last is found', async () => {
  const kinds = [
    ['py', 'def f(a):\n    return a + 1\n', 'exec(x)\n'],
    ['js', 'export const f = a => a + 1;\n', 'eval(x)\n'],
    ['ts', 'export const f = (a: number) => a + 1;\n', 'eval(x)\n'],
    ['yml', 'a:\n  - b\n', ''],
  ] as const;
  const files: Record<string, string> = {};
  for (let i = 0; i < FILES; i++) {
    const [extension, text, fault] = kinds[i % kinds.length] ?? kinds[0];
    files[`dir-${i % 97}/file-${i}.${extension}`] = i >= FILES - kinds.length ? text + fault : text;
  }
  const result = await scan(sandbox, files);
  expect(toLines(result.findings)).toEqual([
    'ast-grep test-eval dir-50/file-4997.js:2',
    'ast-grep test-eval dir-51/file-4998.ts:2',
    'ast-grep test-exec-py dir-49/file-4996.py:3',
    'bandit B102 dir-49/file-4996.py:3',
    'eslint security/detect-eval-with-expression dir-50/file-4997.js:2',
    'eslint security/detect-eval-with-expression dir-51/file-4998.ts:2',
    'ruff S102 dir-49/file-4996.py:3',
  ]);
  expect(Object.fromEntries(result.runs.map(run => [run.name, run.filesExamined]))).toEqual({
    gosec: 0,
    eslint: FILES / 2,
    bandit: FILES / 4,
    gitleaks: FILES,
    'ast-grep': FILES,
    ruff: FILES / 4,
  });
  expect(result.partial.size).toBe(0);
  expect(result.skipped.size).toBe(0);
});

test('lines of 10 MB, text that never ends, and deep nesting cost one file, not the scan', async () => {
  const result = await scan(sandbox, {
    'ten.js': `x="${'a'.repeat(10_000_000)}"\n`,
    'long.py': `x = "${'a'.repeat(900_000)}"\nexec(x)\n`,
    'deep.py': `x = ${'['.repeat(3_000)}${']'.repeat(3_000)}\nexec(x)\n`,
    'deep.js': `x = ${'['.repeat(20_000)}${']'.repeat(20_000)}\neval(x)\n`,
    'deep.json': '['.repeat(1_000_000),
    'bomb.yml': `a: &a [${'x, '.repeat(20)}]\n${Array.from({ length: 20 }, (_, i) => `b${i}: &b${i} [${'*a, '.repeat(20)}]`).join('\n')}\n`,
    'zeros.txt': '0'.repeat(4_000_000),
    'ok.py': 'exec(x)\n',
    'ok.js': 'eval(x)\n',
  });
  const lines = toLines(result.findings);
  expect(lines).toEqual(
    expect.arrayContaining([
      'ruff S102 ok.py:1',
      'bandit B102 ok.py:1',
      'eslint security/detect-eval-with-expression ok.js:1',
      'ast-grep test-eval ok.js:1',
    ]),
  );
  expect(lines).toContain('ruff S102 long.py:2');
  expect(result.skipped).toEqual(new Map([['ten.js', 'larger than 5 MB']]));
  expect(result.partial.get('deep.js')).toEqual([{ tool: 'eslint', reason: expect.stringContaining('stack') }]);
  for (const { name } of result.runs) expect(statusOf(result, name)).toMatch(/^(?:ok|skipped: no such files)$/);
});

test('nesting that ends a tool fails that tool and no other', async () => {
  const deep = `x = ${'[\n'.repeat(800_000)}${']\n'.repeat(800_000)}`;
  const result = await scan(sandbox, {
    'deep.py': deep,
    'deep.ts': deep,
    'deep.go': `package a\n\nvar ${deep}`,
    'ok.py': 'exec(x)\n',
    'ok.js': 'eval(x)\n',
  });
  // Whichever is hit first, the stack or the job's memory: it fails and says so, and what the others found stays.
  expect(statusOf(result, 'ruff')).toMatch(
    /^failed: (?:exit code 134|killed by SIGABRT|the sandbox job failed: out of memory)/,
  );
  expect(result.examined.get('deep.py') ?? []).not.toContain('ruff');
  for (const { name, status, message } of result.runs) if (status !== 'ok') expect(message, name).toBeTruthy();
});
