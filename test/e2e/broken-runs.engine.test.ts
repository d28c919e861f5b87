import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pullRequestEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import { findSteps, type Process, watchStep } from './processes.ts';
import { type Job, listContainers, outcomes, runJob } from './run-job.ts';
import { checkOf, commentsOn, FAULTY, openChange, reviewsOn, startShop } from './shop.ts';

let github: GitHub;
beforeAll(async () => {
  github = await startShop();
});
afterAll(() => github.close());

let runId = process.pid * 1000 + 500;

async function untilContainer(id: number): Promise<void> {
  for (let tries = 0; (await listContainers(id)).length === 0; tries++) {
    if (tries > 400) throw new Error('no container of the run was seen');
    await new Promise(resolve => setTimeout(resolve, 25));
  }
}

describe('a run that is cut off', () => {
  test('cancelled while it examines: the check is closed, nothing is published, no container is left', async () => {
    const pull = openChange(github, 'cancelled', { 'app.py': FAULTY });
    const id = ++runId;
    const cancel = new AbortController();
    const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
      runId: id,
      cancel: cancel.signal,
      before: step => {
        if (step === 'analyze') void untilContainer(id).then(() => cancel.abort());
      },
    });
    expect(job.conclusion).toBe('cancelled');
    expect(outcomes(job)).toMatchObject({
      analyze: 'cancelled',
      upload: 'skipped',
      publish: 'skipped',
      cleanup: 'success',
    });
    expect(job.steps['analyze']?.result).toMatchObject({ status: 130, signal: null });
    expect(checkOf(github, pull.headSha)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    expect(reviewsOn(github, pull)).toEqual([]);
  });

  test('killed outright while it examines: the check fails and says that there is no result', async () => {
    const pull = openChange(github, 'killed', { 'app.py': FAULTY });
    const id = ++runId;
    const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
      runId: id,
      before: step => {
        if (step !== 'analyze') return;
        void untilContainer(id).then(() => {
          for (const { pid } of findSteps(id, 'analyze')) process.kill(pid, 'SIGKILL');
        });
      },
    });
    expect(outcomes(job)).toMatchObject({ analyze: 'failure', publish: 'success', cleanup: 'success' });
    expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'error', findings: '0', 'report-file': '' });
    const check = checkOf(github, pull.headSha);
    expect(check).toMatchObject({ status: 'completed', conclusion: 'failure' });
    expect(check.summary).toContain('ended without a report');
    expect(reviewsOn(github, pull)).toEqual([]);
  });

  test('resolve that fails after it opened the check: cleanup closes it', async () => {
    const pull = openChange(github, 'unreachable', { 'app.py': FAULTY });
    github.faults.add({
      match: 'git/upload-pack',
      times: Number.POSITIVE_INFINITY,
      kind: 'respond',
      status: 403,
      body: '',
    });
    const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'));
    github.faults.clear();
    expect(job.steps['resolve']?.outcome).toBe('failure');
    expect(job.outputs['gate']).toBe('error');
    expect(checkOf(github, pull.headSha).status).toBe('completed');
  });

  test('a sandbox that cannot be had: the check says why', async () => {
    const pull = openChange(github, 'no-engine', { 'app.py': FAULTY });
    const nowhere = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };
    const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
      stepEnv: { prepare: nowhere, analyze: nowhere },
    });
    expect(outcomes(job)).toMatchObject({ prepare: 'failure', analyze: 'skipped', publish: 'success' });
    expect(checkOf(github, pull.headSha).conclusion).toBe('failure');
    expect(checkOf(github, pull.headSha).summary).toContain('/nowhere/docker.sock');
    expect(job.outputs).toMatchObject({ gate: 'error', conclusion: 'failure' });
  });
});

test('a fault in the policy is named in the check, with file, line and key', async () => {
  github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': 'version: 1\nreview:\n  max_fils: 3\n' } });
  const pull = openChange(github, 'bad-policy', { 'app.py': FAULTY });
  const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'));
  github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': null } });
  const check = checkOf(github, pull.headSha);
  expect(check.conclusion).toBe('failure');
  // Untrusted text is escaped so that Markdown shows it as it is.
  for (const text of [check.summary, job.summary]) {
    expect(text?.replaceAll('&#95;', '_')).toContain('.cypherfix.yml:3: review.max_fils: unknown key');
  }
  expect(job.outputs).toMatchObject({ conclusion: 'failure', gate: 'error' });
  expect(reviewsOn(github, pull)).toEqual([]);
});

test('the policy of the change itself is not obeyed, and a finding that the base suppresses stays out', async () => {
  const suppress = (rule: string) => `version: 1\nsuppress:\n  - rule: ${rule}\n    reason: known\n`;
  github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': suppress('S307') } });
  const pull = openChange(github, 'own-policy', { 'app.py': FAULTY, '.cypherfix.yml': suppress('S602') });
  const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'));
  github.repo.commit({ branch: 'main', files: { '.cypherfix.yml': null } });
  expect(commentsOn(github, pull).map(comment => comment.line)).toEqual([6]);
  expect(job.outputs['gate']).toBe('tripped');
});

describe('what the processes of a step can see', () => {
  const RUNTIME = 'runtime-token-of-the-runner';
  const JOB_TOKEN = 'token-in-the-environment-of-the-job';
  let job: Job;
  const seen: Record<string, Process[]> = {};

  beforeAll(async () => {
    const pull = openChange(github, 'watched', { 'app.py': FAULTY, 'web.js': 'eval(location.hash);\n' });
    const id = ++runId;
    const watchers: Promise<void>[] = [];
    job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
      runId: id,
      env: { GITHUB_TOKEN: JOB_TOKEN, GH_TOKEN: JOB_TOKEN },
      javascriptVariables: { ACTIONS_RUNTIME_TOKEN: RUNTIME, ACTIONS_RESULTS_URL: 'http://127.0.0.1:9/' },
      before: step => {
        if (step !== 'analyze' && step !== 'prepare') return;
        watchers.push(
          watchStep(id, step).then(processes => {
            seen[step] = processes;
          }),
        );
      },
    });
    await Promise.all(watchers);
  });

  test('analyze and all that it starts hold no token', () => {
    expect(job.steps['analyze']?.outcome).toBe('success');
    const processes = seen['analyze'] ?? [];
    expect(processes.some(p => p.command.includes('dist/index.js analyze'))).toBe(true);
    expect(processes.some(p => p.command.startsWith('git ') || p.command.includes('/git '))).toBe(true);
    for (const { command, environment } of processes) {
      for (const secret of [github.token, RUNTIME, JOB_TOKEN]) expect(environment, command).not.toContain(secret);
    }
  });

  test('prepare holds the cache’s token, its set-up does not; neither holds one of GitHub', () => {
    const processes = seen['prepare'] ?? [];
    const step = processes.filter(p => p.command.includes('dist/index.js prepare'));
    const setup = processes.filter(p => p.command.includes('sandbox/setup'));
    expect(step.length).toBeGreaterThan(0);
    expect(setup.length).toBeGreaterThan(0);
    expect(step[0]?.environment).toContain(RUNTIME);
    for (const { environment } of setup) expect(environment).not.toContain(RUNTIME);
    for (const { environment } of processes) {
      for (const secret of [github.token, JOB_TOKEN]) expect(environment).not.toContain(secret);
    }
  });

  test('the runtime token is masked and is no output of the action', () => {
    expect(job.steps['runtime']?.used?.secrets).toContain(RUNTIME);
    expect(JSON.stringify(job.outputs)).not.toContain(RUNTIME);
    expect(job.log).not.toContain(RUNTIME);
  });
});

test('a hostile repository: nothing of it runs outside, and its configurations silence nothing', async () => {
  const marker = `/tmp/cypherfix-pwned-${process.pid}`;
  const run = `touch ${marker}`;
  const pull = openChange(github, 'hostile', {
    'app.py': FAULTY.replace('shell=True)', 'shell=True)  # nosec # noqa'),
    'eslint.config.js': `import { execSync } from 'node:child_process'; execSync('${run}'); export default [{ ignores: ['**'] }];\n`,
    '.bandit': '[bandit]\nskips: B602,B307\nexclude: /\n',
    'ruff.toml': 'exclude = ["*.py"]\n',
    'pyproject.toml': '[tool.bandit]\nskips = ["B602"]\n[tool.ruff]\nexclude = ["*"]\n',
    '.gitleaks.toml': '[allowlist]\npaths = [".*"]\n',
    'sgconfig.yml': 'ruleDirs: [/]\n',
    '.gitattributes': '* filter=evil diff=evil linguist-generated\n',
    '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "${run}"\n`,
    '.cypherfix.yml': 'version: 1\nscanners: { disable: [ruff, bandit] }\n',
    'web.js': `// eslint-disable\neval(location.hash);\n`,
    'package.json': `{"name":"x","scripts":{"preinstall":"${run}"},"type":"module"}\n`,
    'bomb.txt': `${'a'.repeat(2_000_000)}\n`,
    'names/$(touch pwned).py': FAULTY,
    'names/::error::x.py': 'X = 1\n',
  });
  const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), {
    inspect: runner => expect(readdirSync(runner.temp).filter(name => name.includes('pwned'))).toEqual([]),
  });
  expect(readdirSync('/tmp').filter(name => marker.endsWith(name))).toEqual([]);
  expect(job.outputs['gate']).toBe('tripped');
  const places = commentsOn(github, pull).map(comment => `${comment.path}:${comment.line}`);
  expect(places).toEqual(expect.arrayContaining(['app.py:6', 'names/$(touch pwned).py:6']));
  const report = JSON.parse(String(job.files['report.json']));
  const files: { path: string; examinedBy: string[]; skipped?: string }[] = report.ledger.files;
  expect(files.map(f => f.path)).toEqual(expect.arrayContaining(['bomb.txt', '.gitattributes', 'names/::error::x.py']));
  for (const file of files) expect(file.examinedBy.length > 0 || file.skipped, file.path).toBeTruthy();
  const commands = Object.values(job.steps).flatMap(step => step.result?.commands ?? []);
  expect(commands.filter(command => command.command === 'error')).toEqual([]);
  expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain('pwned');
}, 180_000);
