import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseCollected, toCollectStep } from '../../src/acceptance/collect-results.ts';
import { fillTarget } from '../../src/acceptance/command-steps.ts';
import { runCommand, type TreeCommand } from '../../src/acceptance/run-command.ts';
import { CypherFixError } from '../../src/core/errors.ts';
import { createMemoryTree } from '../scanners/memory-tree.ts';
import { createTempFolder } from '../workspace/temp-repo.ts';
import { type ScriptedSandbox, scriptSandbox } from './scripted.ts';

const FILES = { 'a.js': 'x', 'out/old.xml': '<forged/>', link: '-> a.js' };
const toCommand = ({ sandbox }: ScriptedSandbox, changes: Partial<TreeCommand> = {}): TreeCommand => ({
  purpose: 'acceptance',
  command: 'npm test',
  setup: null,
  image: 'node',
  timeoutMs: 60_000,
  resultGlobs: [],
  limits: { memoryMb: 1_024, cpus: 2 },
  tree: createMemoryTree(FILES),
  sandbox,
  signal: new AbortController().signal,
  ...changes,
});
const TAP = 'TAP version 13\nok 1 - AC-1 a\n1..1\n';

describe('the job', () => {
  test('holds the whole tree without links and committed results, and runs in phases', async () => {
    const scripted = scriptSandbox({ setup: {}, command: { stdout: TAP }, 'collect results': {} });
    const run = await runCommand(toCommand(scripted, { setup: 'npm ci', resultGlobs: ['out/*.xml'] }));
    const [{ job, files }] = scripted.jobs as [ScriptedSandbox['jobs'][number]];
    expect(files.map(file => file.path)).toEqual(['repo/a.js']);
    expect(job.imageClass).toBe('node');
    expect(job.phases.map(phase => phase.map(step => step.name))).toEqual([
      ['setup'],
      ['command'],
      ['collect results'],
    ]);
    expect(job.phases.flat().map(step => step.cwd)).toEqual(['/work/repo', '/work/repo', '/work']);
    expect(run).toMatchObject({ status: 'ran', exitCode: 0, results: { source: 'TAP', incomplete: null } });
    expect(run.notices).toEqual([
      'tests ran without 1 symbolic link of the tree',
      'tests ran without 1 committed test result of the tree',
    ]);
  });

  test('the command is an argument of the shell and never parsed by us', async () => {
    const scripted = scriptSandbox({ command: {} });
    await runCommand(toCommand(scripted, { command: `echo "$HOME" 'x'; exit 3` }));
    expect(scripted.jobs[0]?.job.phases[0]?.[0]?.argv).toEqual(['/bin/sh', '-c', `echo "$HOME" 'x'; exit 3`]);
  });

  test('a target is quoted, and goes where there is none', () => {
    expect(fillTarget('npm test -- {target}', null)).toBe('npm test --');
    expect(fillTarget('t {target} {target}', "a$&'b c")).toBe(`t 'a$&'\\''b c' 'a$&'\\''b c'`);
  });
});

describe('what keeps it from starting', () => {
  test('an absent class names the set-up', async () => {
    const scripted = scriptSandbox(
      new CypherFixError('missing', 'no image lock has the class "go"', { hint: 'run: npm run setup -- --class go' }),
    );
    expect(await runCommand(toCommand(scripted, { image: 'go' }))).toMatchObject({
      status: 'not-started',
      reason: 'no image lock has the class "go"; run: npm run setup -- --class go',
      sandboxRun: null,
    });
  });

  test('an interruption is none', async () => {
    const scripted = scriptSandbox(new CypherFixError('interrupted', 'interrupted'));
    await expect(runCommand(toCommand(scripted))).rejects.toMatchObject({ code: 'interrupted' });
  });

  test('a tree that has no room', async () => {
    const scripted = scriptSandbox({});
    const tree = createMemoryTree({ 'big.bin': Buffer.alloc(1024 * 1024) });
    const huge = { ...tree, entries: async () => (await tree.entries()).map(e => ({ ...e, size: 900 * 1024 * 1024 })) };
    expect(await runCommand(toCommand(scripted, { tree: huge }))).toMatchObject({
      status: 'not-started',
      reason: "the tree has 900 MiB, the sandbox's disk 512 MiB; raise sandbox.memory_mb",
    });
    expect(scripted.jobs).toEqual([]);
  });

  test.each<[string, Parameters<typeof scriptSandbox>, string]>([
    [
      'setup',
      [{ setup: { exitCode: 1, stderr: 'no network' }, command: { exitCode: 125 } }],
      'tests.setup ended with exit code 1',
    ],
    [
      'a slow setup',
      [{ setup: { exitCode: null, timedOut: true, signal: 'SIGKILL' } }],
      'tests.setup was stopped after 60 s',
    ],
    [
      'memory',
      [{}, { failure: 'out of memory: the job needed more than 1024 MiB' }],
      'out of memory: the job needed more than 1024 MiB',
    ],
    ['a shell', [{ command: { exitCode: null, spawnError: 'ENOENT' } }], 'the command did not start: ENOENT'],
  ])('%s', async (_name, script, reason) => {
    const run = await runCommand(toCommand(scriptSandbox(...script), { setup: 'npm ci' }));
    expect(run).toMatchObject({ status: 'not-started', reason });
  });
});

describe('what came back', () => {
  const readRun = async (step: Parameters<typeof scriptSandbox>[0] & object, changes: Partial<TreeCommand> = {}) => {
    const run = await runCommand(toCommand(scriptSandbox(step), changes));
    if (run.status !== 'ran') throw new Error(run.reason);
    return run;
  };

  test.each<[string, object, string | null]>([
    ['a failing test explains a failing run', { exitCode: 1, stdout: '1..1\nnot ok 1 - a\n' }, null],
    [
      'without one it is not explained',
      { exitCode: 2, stdout: TAP },
      'the command ended with exit code 2 though no test is reported as failed',
    ],
    [
      'a stopped run',
      { exitCode: null, signal: 'SIGKILL', timedOut: true, stdout: TAP },
      'the command was stopped after 60 s',
    ],
    ['a killed run', { exitCode: null, signal: 'SIGSEGV', stdout: TAP }, 'the command was ended by SIGSEGV'],
    ['cut output', { truncated: true, stdout: TAP }, 'the output of the command was cut'],
  ])('%s', async (_name, step, incomplete) => {
    expect((await readRun({ command: step })).results.incomplete).toBe(incomplete);
  });

  test('only the end of the output is kept, without secrets and control characters', async () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const { outputTail } = await readRun({
      command: { stdout: 'é'.repeat(20_000), stderr: `\x1b[31mtoken ${secret}` },
    });
    expect(Buffer.byteLength(outputTail)).toBeLessThanOrEqual(8_192);
    expect(outputTail).toMatch(/^…é/);
    expect(outputTail).toMatch(/\ntoken ghp_\[redacted:github-token\]$/);
  });

  test('result files that could not be read make it incomplete', async () => {
    const steps = { command: { stdout: TAP }, 'collect results': { exitCode: 1 } };
    const { results } = await readRun(steps, { resultGlobs: ['*.xml'] });
    expect(results).toMatchObject({ source: 'TAP', incomplete: 'the result files could not be read' });
  });
});

describe('the program that collects result files', () => {
  let folder = '';
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs it as the sandbox would, on a folder of this machine. */
  function collect(globs: readonly string[], files: Readonly<Record<string, string>>): Buffer {
    folder = createTempFolder();
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(folder, path));
      else writeFileSync(join(folder, path), text);
    }
    const [, ...argv] = toCollectStep('collect', globs).argv;
    const last = JSON.parse(argv.at(-1) ?? '') as object;
    return execFileSync(process.execPath, [...argv.slice(0, -1), JSON.stringify({ ...last, root: folder })], {
      maxBuffer: 64 * 1024 * 1024,
    });
  }

  test('prints the files that match, follows no link and leaves packages alone', () => {
    const globs = ['build/**/TEST-*.xml', 'junit.xml'];
    const output = collect(globs, {
      'junit.xml': '<a>é</a>\n',
      'build/x/y/TEST-1.xml': '<b/>',
      'build/x/OTHER.xml': '<no/>',
      'build/node_modules/TEST-2.xml': '<no/>',
      'build/TEST-3.xml': '-> /etc/hostname',
      'other/TEST-4.xml': '<no/>',
    });
    expect(parseCollected(output, globs)).toEqual({ texts: ['<b/>', '<a>é</a>\n'], incomplete: null });
  });

  test('leaves out what is too large', () => {
    const output = collect(['*.xml'], { 'a.xml': 'x'.repeat(5_000_000), 'b.xml': '<b/>' });
    expect(parseCollected(output, ['*.xml'])).toEqual({
      texts: ['<b/>'],
      incomplete: 'a result file was left out: it has 5000000 bytes',
    });
  });

  test.each([
    ['no header', 'hello'],
    ['a header of another kind', '{"path":1}\n'],
    ['a size that lies', '{"path":"a.xml","size":10}\nabc'],
    ['a size beyond the cap', '{"path":"a.xml","size":99999999999}\n'],
  ])('hostile output: %s', (_name, text) => {
    const { texts, incomplete } = parseCollected(Buffer.from(text), ['*.xml']);
    expect(texts).toEqual([]);
    expect(incomplete).toMatch(/^the result files /);
  });
});
