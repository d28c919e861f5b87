import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox, SnapshotEntry } from '../../src/sandbox/sandbox.ts';
import { bandit } from '../../src/scanners/bandit.ts';
import { openSandbox, toJob, toStep } from '../sandbox/real-sandbox.ts';
import { deepSources, encodedSources } from './odd-python-sources.ts';
import { generatedSources } from './python-sources.ts';

/**
 * In the image a visitor of ours runs bandit's tests (sandbox/python). Any option beside those of our scanner takes
 * bandit's own visitor, tester and command line, so both can be compared in the image that the product uses.
 */
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const PYTHON = { languages: new Set(['python'] as const), canaryFolder: 'canary', canaryToken: 'token' };

/** All but the lists of forbidden calls and imports, and B613, which is for the whole file. */
const EVERY_TEST =
  'B101 B102 B103 B104 B105 B106 B107 B108 B110 B112 B113 B201 B202 B324 B501 B502 B503 B504 B505 B506 B507 B508 B509 B601 ' +
  'B602 B603 B604 B605 B606 B607 B608 B609 B610 B611 B612 B614 B615 B701 B702 B703 B704';

interface Report {
  readonly errors: readonly { filename: string; reason: string }[];
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly results: readonly { filename: string; test_id: string }[];
}

async function reportsOf(targets: readonly string[], files: readonly SnapshotEntry[]): Promise<[Report, Report]> {
  const plan = bandit.plan(PYTHON);
  const argv = (plan.steps[0]?.argv ?? []).flatMap(word =>
    word === '/work/src/python' ? targets : word === '/work/plain/python' ? [] : [word],
  );
  const limits = { maxStdoutBytes: 20_000_000, maxStderrBytes: 2_000_000, timeoutMs: 120_000 };
  const job = toJob(
    [[toStep('ours', argv, limits), toStep('own', [...argv, '--severity-level', 'all'], limits)]],
    { memoryMb: 2048, timeoutMs: 150_000, maxOutputBytes: 60_000_000 },
    [...files, ...plan.files],
  );
  const { steps } = await sandbox.run(job, new AbortController().signal);
  const reportOf = (name: string): Report => {
    const step = steps.get(name);
    expect(step?.exitCode, step?.stderr.toString().slice(-2000)).toBe(0);
    // Where a message shows an object, it shows its address.
    const text = (step?.stdout.toString() ?? '').replaceAll(/ object at 0x[0-9a-f]+/g, '');
    const { generated_at: _, ...report } = JSON.parse(text);
    return report;
  };
  return [reportOf('ours'), reportOf('own')];
}

const toEntries = (sources: Readonly<Record<string, string | Buffer>>): SnapshotEntry[] =>
  Object.entries(sources).map(([name, content]) => ({ path: `src/python/${name}`, content: Buffer.from(content) }));

const testsOf = (report: Report): string[] => [...new Set(report.results.map(({ test_id }) => test_id))].sort();

describe('our visitor and bandit itself report the same', () => {
  test('on calls, strings and imports that its tests are about, in all places of the language', async () => {
    const [ours, own] = await reportsOf(['/work/src/python'], toEntries(generatedSources()));
    expect(ours).toEqual(own);
    expect(ours.errors).toEqual([]);
    const listed = (id: string): boolean => /^B[34]/.test(id) && id !== 'B324';
    expect(testsOf(ours).filter(id => !listed(id))).toEqual(EVERY_TEST.split(' '));
    expect(testsOf(ours).filter(listed).length).toBeGreaterThan(20);
  });

  test('on encodings, line ends and text that runs backwards', async () => {
    const [ours, own] = await reportsOf(['/work/src/python'], toEntries(encodedSources()));
    expect(ours).toEqual(own);
    expect(testsOf(ours)).toContain('B613');
    expect(ours.errors.length).toBeGreaterThan(3);
  });

  test('on some of the standard library', async () => {
    const folders = ['asyncio', 'ctypes', 'email', 'http', 'logging', 'multiprocessing', 'urllib', 'xml', 'xmlrpc'];
    const [ours, own] = await reportsOf(
      folders.map(folder => `/usr/lib/python3.13/${folder}`),
      [],
    );
    expect(ours).toEqual(own);
    expect(ours.results.length).toBeGreaterThan(100);
    expect(Object.keys(ours.metrics).length).toBeGreaterThan(100);
  });
});

test('trees too deep for bandit: nothing of what it finds is lost, and what it leaves out in silence is said', async () => {
  const [ours, own] = await reportsOf(['/work/src/python'], toEntries(deepSources()));
  const found = new Set(ours.results.map(result => JSON.stringify(result)));
  expect(own.results.filter(result => !found.has(JSON.stringify(result)))).toEqual([]);
  const unread = (report: Report): string[] => report.errors.map(({ filename }) => filename.replace(/.*\//, '')).sort();
  expect(unread(own)).toEqual(['attributes-1500.py', 'calls-1500.py', 'text-1500.py']);
  // In text-700.py the test for SQL runs out of stack on most of the strings; bandit itself only logs that.
  expect(unread(ours)).toEqual(['attributes-1500.py', 'calls-1500.py', 'text-1500.py', 'text-700.py']);
});

test('a lone surrogate in a message does not end the run', async () => {
  const source = 'import pickle\npassword = "\\ud800x"\n';
  const { steps } = await sandbox.run(
    toJob([[toStep('bandit', bandit.plan(PYTHON).steps[0]?.argv ?? [])]], {}, [
      ...toEntries({ 'a.py': source }),
      { path: 'plain/python/b.py', content: Buffer.from('exec(1)\n') },
      ...bandit.plan(PYTHON).files,
    ]),
    new AbortController().signal,
  );
  const { findings } = bandit.parse(steps);
  expect(findings.map(({ ruleId, jobPath }) => `${ruleId} ${jobPath}`)).toEqual([
    'B102 plain/python/b.py',
    'B403 src/python/a.py',
    'B105 src/python/a.py',
  ]);
});
