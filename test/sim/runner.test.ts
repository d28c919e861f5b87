import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pullRequestEvent } from './events.ts';
import { runStep } from './run-step.ts';
import { type Runner, runnerEnvironment } from './runner.ts';
import { parseCommandFile, parseWorkflowCommands } from './runner-files.ts';
import { type Scene, startWithPull } from './start-with-pull.ts';

let scene: Scene;
let runner: Runner;
let folder: string;
beforeEach(async () => {
  scene = await startWithPull();
  folder = mkdtempSync(join(tmpdir(), 'runner-test-'));
  const event = pullRequestEvent(scene.github, scene.pull.number, 'opened');
  const inputs = { 'github-token': scene.github.token, mode: 'auto' };
  runner = runnerEnvironment(scene.github, event, { inputs, idToken: true, env: { EXTRA: 'yes', CI: undefined } });
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await runner.dispose();
  await scene.github.close();
});

/** A program that stands where `dist/index.js` will. */
function program(body: string): string {
  const path = join(folder, 'program.mjs');
  writeFileSync(path, `import { appendFileSync } from 'node:fs';\nconst { env } = process;\n${body}\n`);
  return path;
}

describe('runnerEnvironment', () => {
  it('describes the run as a hosted runner does, and lets nothing else through', () => {
    const { github, pull } = scene;
    expect(runner.env).toMatchObject({
      GITHUB_API_URL: github.url,
      GITHUB_GRAPHQL_URL: `${github.url}/graphql`,
      GITHUB_SERVER_URL: github.url,
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_SHA: pull.mergeSha,
      GITHUB_REF: `refs/pull/${pull.number}/merge`,
      GITHUB_HEAD_REF: 'feature',
      'INPUT_GITHUB-TOKEN': github.token,
      INPUT_MODE: 'auto',
      EXTRA: 'yes',
    });
    expect(runner.env).not.toHaveProperty('CI');
    expect(runner.env).not.toHaveProperty('VITEST');
    expect(runner.env).not.toHaveProperty('ACTIONS_RUNTIME_TOKEN');
    expect(runner.env['ACTIONS_ID_TOKEN_REQUEST_URL']).toContain('/_oidc/token?');
    const payload = JSON.parse(readFileSync(runner.eventPath, 'utf8'));
    expect(payload.pull_request.head.sha).toBe(pull.headSha);
  });
});

describe('runStep', () => {
  it('collects what the step wrote, in files of its own', async () => {
    const entry = program(`
      appendFileSync(env.GITHUB_OUTPUT, 'run=true\\nreason<<END\\ntwo\\nlines\\nEND\\n');
      appendFileSync(env.GITHUB_ENV, 'A=1\\n');
      appendFileSync(env.GITHUB_STEP_SUMMARY, '# Hello ' + process.argv[2]);
      console.log('::warning file=a.js,line=3::careful%0Athere');
      console.error('noise');
      process.exitCode = 3;`);
    const result = await runStep('resolve', runner.env, { entry });
    expect(result).toMatchObject({
      status: 3,
      outputs: { run: 'true', reason: 'two\nlines' },
      exported: { A: '1' },
      summary: '# Hello resolve',
      summaryDropped: false,
      stderr: 'noise\n',
      commands: [{ command: 'warning', properties: { file: 'a.js', line: '3' }, message: 'careful\nthere' }],
    });
    expect((await runStep('publish', runner.env, { entry })).summary).toBe('# Hello publish');
  });

  it('runs it in the workspace and can reach the site', async () => {
    const entry = program(`
      const answer = await fetch(env.GITHUB_API_URL + '/repos/' + env.GITHUB_REPOSITORY, {
        headers: { authorization: 'Bearer ' + env['INPUT_GITHUB-TOKEN'] } });
      console.log(process.cwd(), (await answer.json()).full_name);`);
    const { stdout } = await runStep('resolve', runner.env, { entry });
    expect(stdout).toBe(`${runner.workspace} acme/shop\n`);
  });

  it('cancels with SIGINT, and kills what does not end', async () => {
    const entry = program(`process.on('SIGINT', () => { console.log('cancelled'); process.exit(9); });
      console.log('ready'); setInterval(() => {}, 1000);`);
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 500);
    expect(await runStep('analyze', runner.env, { entry, cancel: cancel.signal })).toMatchObject({
      status: 9,
      stdout: 'ready\ncancelled\n',
    });
    const stuck = program('setInterval(() => {}, 1000);');
    expect(await runStep('analyze', runner.env, { entry: stuck, timeoutMs: 300 })).toMatchObject({
      status: null,
      signal: 'SIGKILL',
      timedOut: true,
    });
  });

  it('says when the runner would drop the summary', async () => {
    const entry = program(`appendFileSync(env.GITHUB_STEP_SUMMARY, 'x'.repeat(1024 * 1024 + 1));`);
    expect((await runStep('publish', runner.env, { entry })).summaryDropped).toBe(true);
  });
});

describe('command files and commands', () => {
  it.each([
    ['a=b=c\n', { a: 'b=c' }],
    ['a<<D\n\nx\nD\nb=\n', { a: '\nx', b: '' }],
    ['a<<D\nD\n', { a: '' }],
    ['a=x<<y\n', { a: 'x<<y' }],
  ])('reads %j', (text, values) => {
    expect(parseCommandFile(text)).toEqual(values);
  });

  it.each(['nonsense\n', 'a<<D\nx\n', '=x\n'])('refuses %j as the runner does', text => {
    expect(() => parseCommandFile(text)).toThrow(/Invalid/);
  });

  it('does not obey lines while commands are stopped', () => {
    const text =
      '::add-mask::s\n::stop-commands::t0k\n::error::no\n::t0k::\n::error file=a%3Ab,title=x%2Cy::100%25\nx ::error::no\n';
    expect(parseWorkflowCommands(text)).toEqual([
      { command: 'add-mask', properties: {}, message: 's' },
      { command: 'error', properties: { file: 'a:b', title: 'x,y' }, message: '100%' },
    ]);
  });
});
