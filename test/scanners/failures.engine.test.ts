import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox, SandboxJob, Step, StepResult } from '../../src/sandbox/sandbox.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import { openSandbox } from '../sandbox/real-sandbox.ts';
import type { Files } from './memory-tree.ts';
import { RULES, scan, statusOf, toLines } from './scan.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const FILES: Files = {
  'a.py': 'exec(x)\n',
  'a.js': 'eval(x)\n',
  'a.go': 'package a\n\nimport "os"\n\nfunc f() { os.Chmod("a", 0o777) }\n',
};
const OTHERS = ['ast-grep', 'bandit', 'eslint', 'gitleaks', 'gosec', 'ruff'];

/** The real sandbox, with one step changed on the way in. */
const withStep = (name: string, change: (step: Step) => Partial<Step>): Sandbox => ({
  close: async () => {},
  run: (job: SandboxJob, signal) => {
    const phases = job.phases.map(steps =>
      steps.map(step => (step.name === name ? { ...step, ...change(step) } : step)),
    );
    return sandbox.run({ ...job, phases }, signal);
  },
});

const shell = (script: string): Partial<Step> => ({ argv: ['/bin/sh', '-c', script] });

test.each([
  ['gosec', 'a tool that is killed', () => shell('kill -9 $$'), /^failed: killed by SIGKILL/],
  [
    'eslint',
    'a tool that prints an empty result',
    () => shell('echo \'{"files":[]}\''),
    /^failed: did not find the planted fault in src\/javascript/,
  ],
  [
    'ruff',
    'a tool that says it found nothing',
    () => shell('echo "[]"'),
    /^failed: did not find the planted fault in src\/python/,
  ],
  ['bandit', 'a tool that prints rubbish', () => shell('echo hello'), /^failed: printed no JSON: "hello"/],
  ['gitleaks', 'a tool that does not exist', () => ({ argv: ['/opt/none'] }), /^failed: could not be started/],
  [
    'ast-grep',
    'a tool that hangs',
    () => ({ ...shell('sleep 60'), timeoutMs: 3_000 }),
    /^timed-out: timed out after 3 s/,
  ],
  ['gosec', 'a tool that crashes', () => shell('echo panic >&2; exit 2'), /^failed: exit code 2: panic/],
] as const)('%s: %s has failed, the others go on', async (name, _, change, status) => {
  const result = await scan(withStep(name, change), FILES);
  expect(statusOf(result, name)).toMatch(status);
  for (const other of OTHERS.filter(entry => entry !== name)) expect(statusOf(result, other), other).toBe('ok');
  expect([...result.examined.values()].flat()).not.toContain(name);
});

test('a tool that leaves some files out has not examined them', async () => {
  const result = await scan(
    withStep('eslint', step => ({ argv: [...step.argv.slice(0, 2), '/work/src/javascript/cypherfix-canary-known'] })),
    FILES,
    {
      random: () => 'known',
    },
  );
  expect(result.examined.get('a.js')).not.toContain('eslint');
  expect(statusOf(result, 'eslint')).toBe('failed: examined none of its files');
});

test('gitleaks that did not read every byte has failed', async () => {
  const files = { ...FILES, 'b.txt': 'x'.repeat(1_000) };
  const result = await scan(
    withStep('gitleaks', step => ({
      argv: step.argv.map(arg => (arg === '/work/secrets' ? '/work/secrets/cypherfix-canary-known' : arg)),
    })),
    files,
    {
      random: () => 'known',
    },
  );
  expect(statusOf(result, 'gitleaks')).toMatch(/^failed: read \d+ of \d+ bytes/);
});

describe('a rule that the engine refuses', () => {
  const bad = {
    name: 'bad.yml',
    text: 'id: bad-kind\nlanguage: JavaScript\nmessage: m\nrule: { kind: nosuch }\nmetadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: A }\n',
  };

  test('is set aside with the reason, and all others run', async () => {
    const result = await scan(sandbox, FILES, { rulePack: toRulePack([...RULES, bad]) });
    expect(statusOf(result, 'ast-grep')).toBe('ok');
    expect(toLines(result.findings)).toEqual(
      expect.arrayContaining(['ast-grep test-eval a.js:1', 'ast-grep test-exec-py a.py:1', 'ruff S102 a.py:1']),
    );
    expect(result.notices).toEqual([
      'rule set aside: bad-kind (bad.yml): ' +
        'Rule contains invalid kind matcher.; Invalid Kind; Kind `nosuch` is invalid.',
    ]);
    expect(result.sandboxRuns.map(run => run.purpose)).toEqual(['scan', 'scan again']);
    const again = await scan(sandbox, FILES, { rulePack: result.rulePack });
    expect(again.sandboxRuns).toHaveLength(1);
  });
});

test('a rule whose shared utility the engine refuses is set aside, the rules without it stay', async () => {
  const bad = {
    name: 'bad.yml',
    text: 'shared: broken\nutils: { broken: { kind: nosuch } }\n---\nid: uses-broken\nlanguage: JavaScript\nmessage: m\nrule: { matches: broken }\nmetadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: A }\n',
  };
  const result = await scan(sandbox, FILES, { rulePack: toRulePack([...RULES, bad]) });
  expect(statusOf(result, 'ast-grep')).toBe('ok');
  expect(toLines(result.findings)).toContain('ast-grep test-eval a.js:1');
  expect(result.notices).toEqual([expect.stringContaining('rule set aside: uses-broken (bad.yml (rule 2))')]);
});

describe('nothing to do', () => {
  test('deletions alone start no sandbox', async () => {
    const result = await scan(sandbox, {}, { files: [{ path: 'a.py', kind: 'text', status: 'deleted' }] });
    expect(result.sandboxRuns).toEqual([]);
    expect(result.skipped).toEqual(new Map([['a.py', 'deleted']]));
    for (const name of OTHERS) expect(statusOf(result, name)).toBe('skipped: no such files');
  });

  test('empty files are left out by us, not by the tools', async () => {
    const alone = await scan(sandbox, { 'p/__init__.py': '', 'a.js': '', 'b.ts': '', 'c.go': '' });
    expect([...alone.skipped.values()]).toEqual(['empty', 'empty', 'empty', 'empty']);
    expect(alone.partial).toEqual(new Map());
    for (const name of OTHERS) expect(statusOf(alone, name)).toBe('skipped: only empty files');
    const blank = { 'a.py': '\n', 'b.js': ' ', 'c.ts': '\t\n' };
    const result = await scan(sandbox, { ...blank, 'p/__init__.py': '' });
    expect(result.partial).toEqual(new Map());
    expect([...result.examined.keys()].sort()).toEqual(Object.keys(blank));
    expect(result.examined.get('a.py')).toEqual(result.taken.get('a.py'));
    expect(result.examined.get('b.js')).toEqual(result.taken.get('b.js'));
  });

  test('scanners without files, or disabled ones, are not started', async () => {
    const result = await scan(sandbox, { 'a.py': 'exec(x)\n' }, { disabledScanners: ['ruff'] });
    expect([...(result.sandboxRuns[0]?.steps.keys() ?? [])].sort()).toEqual(['ast-grep', 'bandit', 'gitleaks']);
    expect(statusOf(result, 'ruff')).toBe('skipped: disabled by the policy');
    expect(statusOf(result, 'gosec')).toBe('skipped: no such files');
  });
});

test('a sandbox that loses its job makes every started scanner a failed one', async () => {
  const lost: Sandbox = {
    close: async () => {},
    run: async (job, signal) => ({
      ...(await sandbox.run({ ...job, phases: [] }, signal)),
      failure: 'out of memory',
      steps: new Map<string, StepResult>(),
    }),
  };
  const result = await scan(lost, FILES);
  for (const name of OTHERS) expect(statusOf(result, name)).toBe('failed: the sandbox job failed: out of memory');
  expect(result.examined.size).toBe(0);
});
