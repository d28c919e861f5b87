import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { draft, judgement, NOTHING_FOUND } from '../review/scripted-model.ts';
import { pullRequestEvent } from '../sim/events.ts';
import type { GitHub } from '../sim/github.ts';
import { type AnthropicOptions, startAnthropic } from '../sim-model/anthropic.ts';
import type { Simulator } from '../sim-model/site.ts';
import { createTempRepo, type TempRepo } from '../workspace/temp-repo.ts';
import { NODE_24, REPOSITORY, runJob } from './run-job.ts';
import { openChange, startShop } from './shop.ts';

const KEY = 'sk-ant-test';
/** No scanner of ours is to find these in our own sources. */
const TOKEN = ['ghp', '_', 'Qk3Vq9Lm2Xw8Rt5Yp7', 'Nb4Hc6Df1Gs0JaTuWe'].join('');
const PASSWORD = 'nobody-knows-this-4711';
const TOOL = `import subprocess

password = "${PASSWORD}"
token = "${TOKEN}"


def run(command):
    return subprocess.call(command, shell=True)
`;
const ACCESS = `export function mayDelete(user, admins) {
  return admins.some(name => user.startsWith(name));
}
`;
const ROLES = Object.fromEntries(
  ['security', 'correctness', 'style', 'reflection', 'judge'].map(role => [role, `# Your duty: ${role}`]),
);
const SCRIPT: NonNullable<AnthropicOptions['script']> = [
  {
    when: { role: 'security', turn: 1 },
    answer: { calls: [{ name: 'read_file', input: { path: 'src/access.js', start_line: null, end_line: null } }] },
  },
  {
    when: { role: 'security' },
    answer: {
      json: {
        ...NOTHING_FOUND,
        findings: [
          draft({
            category: 'Broken access control',
            cwe: 'CWE-863',
            path: 'src/access.js',
            quote: 'return admins.some(name => user.startsWith(name));',
            title: 'Whoever is called like an administrator may delete',
          }),
        ],
      },
    },
  },
  { when: { role: 'style' }, answer: { json: NOTHING_FOUND, pace: { firstByteAfterMs: 150 } } },
  { when: { role: 'judge' }, answer: { json: judgement(0.8) } },
];

let folder: string;
let repo: TempRepo;
let api: Simulator;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recording-'));
  repo = createTempRepo();
  repo.write('src/access.js', 'export const admins = [];\n');
  repo.write('tool.py', 'import sys\n');
  repo.commit('Begin');
  repo.write('src/access.js', ACCESS);
  repo.write('tool.py', TOOL);
  repo.commit('Let administrators delete');
  api = await startAnthropic({ roles: ROLES, script: SCRIPT });
});
afterAll(async () => {
  await api.close();
  repo.remove();
  rmSync(folder, { recursive: true });
});

const file = (name: string) => join(folder, name);
const ONLINE = () => ({
  ANTHROPIC_API_KEY: KEY,
  MODEL_BASE_URL: api.url,
  ...(process.env['CYPHERFIX_HOME'] === undefined ? {} : { CYPHERFIX_HOME: process.env['CYPHERFIX_HOME'] }),
});
/** Nothing answers: no engine, no home with one, a server that nobody listens at, no key. */
const OFFLINE = () => ({
  DOCKER_HOST: `unix://${file('no-docker.sock')}`,
  CYPHERFIX_HOME: file('no-home'),
  MODEL_BASE_URL: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
});

async function review(env: Record<string, string>, path: string, ...options: string[]) {
  const argv = [`${REPOSITORY}/dist/index.js`, 'review', '--repo', path, ...options];
  const child = spawn(`${NODE_24}/node`, argv, { env: { PATH: process.env['PATH'] ?? '', ...env } });
  const closed = new Promise<number | null>(resolve => child.on('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { status, stdout, stderr };
}

const onChange = (env: Record<string, string>, ...options: string[]) =>
  review(env, repo.path, '--base', 'main~1', '--format', 'json', ...options);

describe('a review with models, recorded', () => {
  let recorded: Awaited<ReturnType<typeof review>>;
  beforeAll(async () => {
    recorded = await onChange(ONLINE(), '--ai', '--record', file('run.json'));
  });

  test('is the review, and a file for its owner alone that holds no secret', () => {
    expect(recorded.status, recorded.stderr).toBe(1);
    expect(statSync(file('run.json')).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file('run.json'), 'utf8');
    for (const secret of [KEY, TOKEN, TOKEN.slice(4), PASSWORD]) expect(kept.includes(secret), secret).toBe(false);
    const recording = JSON.parse(kept);
    expect(recording.exchanges.map((one: { role: string; turn: number }) => `${one.role} ${one.turn}`)).toEqual([
      ...['correctness 0', 'judge 0', 'reflection 0', 'security 0', 'security 1', 'style 0'],
    ]);
    expect(recording.shas).toEqual({
      base: repo.git('rev-parse', 'main~1'),
      mergeBase: repo.git('rev-parse', 'main~1'),
      head: repo.git('rev-parse', 'main'),
    });
    expect(readdirSync(folder)).toEqual(['run.json']);
  });

  test('gives the same bytes again without sandbox, network and key', async () => {
    const asked = api.journal.prompts().length;
    const again = await onChange(OFFLINE(), '--replay', file('run.json'));
    expect(again.status, again.stderr).toBe(1);
    expect(again.stdout).toBe(recorded.stdout);
    expect(api.journal.prompts()).toHaveLength(asked);
    const unnamed = await review(OFFLINE(), repo.path, '--format', 'json', '--replay', file('run.json'));
    expect([unnamed.status, unnamed.stdout]).toEqual([1, recorded.stdout]);
    for (const format of ['text', 'markdown', 'sarif', 'html']) {
      const shown = await review(
        OFFLINE(),
        repo.path,
        '--base',
        'main~1',
        '--format',
        format,
        '--replay',
        file('run.json'),
      );
      expect([format, shown.status]).toEqual([format, 1]);
    }
  });

  test('gives another report where an answer was changed, and 70 with role and turn where a question then differs', async () => {
    const recording = JSON.parse(readFileSync(file('run.json'), 'utf8'));
    const answerOf = (role: string) =>
      recording.exchanges.findLast((one: { role: string }) => one.role === role).answer;
    answerOf('judge').text = JSON.stringify(judgement(0.9));
    writeFileSync(file('judged.json'), JSON.stringify(recording));
    const judged = await onChange(OFFLINE(), '--replay', file('judged.json'));
    expect(JSON.parse(judged.stdout).review.score).toBe(0.9);
    answerOf('security').text = JSON.stringify(NOTHING_FOUND);
    writeFileSync(file('quiet.json'), JSON.stringify(recording));
    const quiet = await onChange(OFFLINE(), '--replay', file('quiet.json'));
    expect([quiet.status, quiet.stdout]).toEqual([70, '']);
    expect(quiet.stderr).toMatch(/turn 0 of the role '(judge|reflection)'/);
  });

  test('is refused on another change, cut off, or with what does not go with it', async () => {
    const cut = readFileSync(file('run.json'), 'utf8').slice(0, -100);
    writeFileSync(file('cut.json'), cut);
    const other = await review(
      OFFLINE(),
      repo.path,
      '--base',
      'main~1',
      '--head',
      'main~1',
      '--replay',
      file('run.json'),
    );
    expect([other.status, other.stdout]).toEqual([64, '']);
    expect(other.stderr).toContain('the recording has the head');
    const broken = await onChange(OFFLINE(), '--replay', file('cut.json'));
    expect([broken.status, broken.stdout]).toEqual([64, '']);
    expect(broken.stderr).toContain('no whole JSON text');
    for (const options of [['--ai'], ['--record', file('x.json')]]) {
      const both = await onChange(OFFLINE(), '--replay', file('run.json'), ...options);
      expect([both.status, both.stdout]).toEqual([64, '']);
    }
  });

  test('leaves nothing behind when it is interrupted', async () => {
    api.faults.add({ kind: 'stall', at: 'headers', times: Number.POSITIVE_INFINITY });
    const asked = api.journal.prompts().length;
    const argv = [`${REPOSITORY}/dist/index.js`, 'review', '--repo', repo.path, '--base', 'main~1', '--ai'];
    const child = spawn(`${NODE_24}/node`, [...argv, '--record', file('never.json')], {
      env: { PATH: process.env['PATH'] ?? '', ...ONLINE() },
      stdio: 'ignore',
    });
    const closed = new Promise<number | null>(resolve => child.on('close', resolve));
    while (api.journal.prompts().length === asked) await new Promise(resolve => setTimeout(resolve, 25));
    child.kill('SIGINT');
    expect(await closed).toBe(130);
    api.faults.clear();
    expect(readdirSync(folder).filter(name => name.includes('never'))).toEqual([]);
  });
});

test('scanners alone, a whole tree and a work tree are recorded too', async () => {
  repo.write('tool.py', `${TOOL}\neval(run)\n`);
  for (const [name, ...options] of [
    ['commits', '--base', 'main~1'],
    ['tree', '--all'],
    ['work', '--base', 'main~1', '--working-tree'],
  ] as const) {
    const first = await review(ONLINE(), repo.path, ...options, '--format', 'json', '--record', file(`${name}.json`));
    const again = await review(OFFLINE(), repo.path, ...options, '--format', 'json', '--replay', file(`${name}.json`));
    expect(again.status, first.stderr + again.stderr).toBe(first.status);
    expect(again.stdout, name).toBe(first.stdout);
    const unnamed = await review(OFFLINE(), repo.path, '--format', 'json', '--replay', file(`${name}.json`));
    expect(unnamed.stdout, name + unnamed.stderr).toBe(first.stdout);
    expect(first.stdout).toContain('"scanners"');
  }
  repo.write('tool.py', `${TOOL}\nexec(run)\n`);
  const changed = await review(
    OFFLINE(),
    repo.path,
    '--base',
    'main~1',
    '--working-tree',
    '--replay',
    file('work.json'),
  );
  expect([changed.status, changed.stderr]).toEqual([64, expect.stringContaining('the files of this change')]);
});

test('a run with a policy of its own needs that policy again', async () => {
  writeFileSync(file('policy.yml'), 'gate: { fail_on: [] }\n');
  const options = ['--config', file('policy.yml')];
  const first = await onChange(ONLINE(), ...options, '--record', file('own.json'));
  const again = await onChange(OFFLINE(), ...options, '--replay', file('own.json'));
  expect([again.status, again.stdout]).toEqual([first.status, first.stdout]);
  const without = await onChange(OFFLINE(), '--replay', file('own.json'));
  expect([without.status, without.stderr]).toEqual([64, expect.stringContaining('which must be given again')]);
  writeFileSync(file('policy.yml'), 'gate: { fail_on: [low] }\n');
  const other = await onChange(OFFLINE(), ...options, '--replay', file('own.json'));
  expect([other.status, other.stderr]).toEqual([64, expect.stringContaining('the policy is not the one')]);
});

describe('in the action', () => {
  let github: GitHub;
  beforeAll(async () => {
    github = await startShop({ files: { '.cypherfix.yml': 'ai: { record: true }\n' } });
  });
  afterAll(() => github.close());

  test('the policy asks for a recording, which goes with the artefact and gives its report again', async () => {
    const pull = openChange(github, 'access', { 'src/access.js': ACCESS }, { title: 'Access', body: `Not ${TOKEN}` });
    const inputs = { 'anthropic-api-key': KEY, 'model-base-url': api.url };
    const job = await runJob(github, pullRequestEvent(github, pull.number, 'opened'), { inputs });
    expect(job.outputs).toMatchObject({ gate: 'tripped', score: '0.800' });
    const kept = String(job.files['recording.json']);
    for (const secret of [KEY, TOKEN, github.token]) expect(kept.includes(secret)).toBe(false);
    writeFileSync(file('action.json'), kept);
    const { base, head } = JSON.parse(kept).shas;
    const options = ['--base', base, '--head', head, '--format', 'json', '--replay', file('action.json')];
    const again = await review(OFFLINE(), github.repo.directory, ...options);
    expect(again.status, again.stderr).toBe(1);
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(String(job.files['report.json'])));
  });

  test('without it nothing of a conversation is in the artefact', async () => {
    const plain = await startShop();
    const pull = openChange(plain, 'access', { 'src/access.js': ACCESS });
    const inputs = { 'anthropic-api-key': KEY, 'model-base-url': api.url };
    const job = await runJob(plain, pullRequestEvent(plain, pull.number, 'opened'), { inputs });
    await plain.close();
    expect(job.outputs).toMatchObject({ gate: 'tripped' });
    expect(Object.keys(job.files)).not.toContain('recording.json');
    for (const content of Object.values(job.files)) expect(String(content)).not.toContain('# Your duty');
  });
});
