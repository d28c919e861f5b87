import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Analysis } from '../../src/analysis/analysis.ts';
import { rankAlone } from '../../src/analysis/rank-findings.ts';
import { withoutGraph } from '../../src/analysis/review-graph.ts';
import { createStopwatch } from '../../src/analysis/stopwatch.ts';
import { analyzeChange } from '../../src/analyze-change.ts';
import { CypherFixError } from '../../src/core/errors.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import type { OpenAiFinding } from '../../src/core/open-finding.ts';
import { parseReport, type Report } from '../../src/core/report.ts';
import { SecretRegistry } from '../../src/core/secrets.ts';
import type { Model } from '../../src/model/model.ts';
import { findPrices } from '../../src/model/prices.ts';
import { loadPolicy } from '../../src/policy/load-policy.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import { createRecorder, type Outside } from '../../src/recording/record-run.ts';
import { parseRecording, type Recording } from '../../src/recording/recording.ts';
import { createReplay } from '../../src/recording/replay-run.ts';
import type { SandboxResult, StepResult } from '../../src/sandbox/sandbox.ts';
import { toRulePack } from '../../src/scanners/parse-rules.ts';
import { openLocalWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import { raw } from '../findings/builders.ts';
import { draft, judgement, NOTHING_FOUND, type Script, scriptedModel } from '../review/scripted-model.ts';
import { createTempRepo, type TempRepo } from '../workspace/temp-repo.ts';
import { bend } from './bend.ts';

const SECRET = 'a-password-of-nobody-4711';
const KEY = 'the-key-of-this-run';
const FAULTY = `export function run(name) {\n  return execSync('ls ' + name);\n}\nconst password = '${SECRET}';\n`;
const POLICY = 'tests: { image: node, command: npm test }\nacceptance: { mode: on }\n';
const MODELS = ['claude-sonnet-5-5', 'claude-opus-5-5'];
const ISSUE = {
  number: 7,
  title: 'Runs',
  body: `- [ ] It runs\n- [ ] It says ${KEY} to nobody\n`,
  state: 'open' as const,
};

let repo: TempRepo;
beforeAll(() => {
  repo = createTempRepo();
  repo.write('src/run.ts', 'export const run = null;\n');
  repo.write('.cypherfix.yml', POLICY);
  repo.commit('Begin');
  repo.write('src/run.ts', FAULTY);
  repo.write('tool.py', `import os\npassword = "${SECRET}"\n`);
  repo.commit('Run');
});
afterAll(() => repo.remove());

const open = (): Promise<Workspace> =>
  openLocalWorkspace({ repo: repo.path, base: 'main~1', searchPath: process.env['PATH'] });
const never = new AbortController().signal;
const shuffled = () => new Promise(resolve => setTimeout(resolve, Math.floor(Math.random() * 20)));

/** Every step of a job prints something plausible; bandit quotes the password and gives it away in its own form. */
const sandbox = (): Outside['sandbox'] => ({
  async run(job): Promise<SandboxResult> {
    let bytes = 0;
    for await (const entry of job.snapshot) bytes += entry.path.startsWith('secrets/') ? entry.content.length : 0;
    await shuffled();
    const steps = new Map(job.phases.flat().map(step => [step.name, toStep(step.name, bytes)]));
    const flags = {
      exitCode: 0,
      timedOut: false,
      oomKilled: false,
      outputTruncated: false,
      durationMs: Math.random() * 100,
    };
    const tools = { bandit: '1.2.3', gitleaks: '8.0.0' };
    const identity = {
      runtime: 'cypherfix-runsc',
      runtimeVersion: '1',
      platform: 'systrap',
      imageDigest: 'sha256:1',
      tools,
    };
    return { identity, purpose: job.purpose, ...flags, steps };
  },
  close: async () => {},
});

function toStep(name: string, bytes: number): StepResult {
  const stdout = name === 'gitleaks' ? '[]' : `1..1\nok 1 - It runs\n${name} read '${SECRET}' at ${Math.random()}\n`;
  const output = { stdout: Buffer.from(stdout), stderr: Buffer.from(`scanned ~${bytes} bytes (1 KB) in 1ms`) };
  return { exitCode: 0, signal: null, timedOut: false, truncated: false, ...output, durationMs: Math.random() * 50 };
}

const found: Script = (_, turn) =>
  turn === 0
    ? { calls: [{ name: 'read_file', input: { path: 'src/run.ts', start_line: null, end_line: null } }] }
    : { answer: { ...NOTHING_FOUND, findings: [draft({ quote: "execSync('ls ' + name)" })] } };
const SCRIPTS: Record<string, Script> = {
  security: found,
  correctness: (_, turn) =>
    turn === 0
      ? { calls: [{ name: 'run_tests', input: { target: null } }] }
      : { answer: { ...NOTHING_FOUND, notes: 'Fine.' } },
  style: (_, turn) =>
    turn < 2 ? { calls: [{ name: 'list_dir', input: { path: 'src' } }] } : { answer: NOTHING_FOUND },
  acceptance: () => ({
    raw: {
      status: 'failed',
      kind: 'refused',
      reason: `not with ${KEY}`,
      usage: { inputTokens: 5, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
  }),
  judge: () => ({ answer: judgement(0.75, 'Good enough.') }),
};

function inAnyOrder(model: Model): Model {
  return {
    async call(request, signal) {
      await shuffled();
      const answer = await model.call(request, signal);
      await shuffled();
      return answer;
    },
  };
}

/** Of an earlier run: nobody speaks of it, so it is carried. Its texts hold the key. */
const OPEN: OpenAiFinding = {
  fingerprint: 'ab'.repeat(32),
  reviewer: 'style',
  path: 'src/run.ts',
  line: 2,
  category: 'naming',
  cwe: null,
  severity: 'low',
  confidence: 0.8,
  title: `Says nothing, ${KEY}`,
  quote: 'export function',
  introduced: true,
};

/** Makes every finding another, and has something to say. */
const graph = (): Outside['graph'] => ({
  ...withoutGraph(),
  rank: async findings => ({
    changed: new Map(
      findings.map(finding => [
        finding.fingerprint,
        { ...rankAlone(finding, { public: true }), tier: 'T1', score: 91.5 },
      ]),
    ),
    notices: ['The graph was asked.'],
  }),
  keep: async findings => [`${findings.length} findings were not kept.`],
});

const live = (): Outside => ({
  sandbox: sandbox(),
  stopwatch: createStopwatch(SILENT_LOG),
  secrets: new SecretRegistry().add(KEY),
  linked: { issues: [ISSUE], notices: [], whyNot: null },
  earlier: { openFindings: [OPEN], unread: null, spentUsd: 0.5 },
  graph: graph(),
  ai: {
    kind: 'review',
    model: inAnyOrder(scriptedModel(SCRIPTS)),
    prices: findPrices(MODELS, {}),
    title: `Run it, ${KEY}`,
    body: null,
  },
  now: () => new Date(),
  random: () => String(Math.random()),
});

async function insideOf(workspace: Workspace): Promise<Omit<Analysis, keyof Outside>> {
  const { change } = workspace;
  return {
    workspace,
    policy: await loadPolicy(path => workspace.readPolicyFile(path)),
    rulePack: toRulePack([]),
    subject: { ...(change.baseSha === undefined ? {} : { baseSha: change.baseSha }) },
    request: { kind: 'review', trigger: 'local' },
    isPublic: false,
    notices: [],
    log: SILENT_LOG,
    signal: never,
  };
}

async function record(outside: Outside = live()): Promise<{ report: Report; recording: Recording }> {
  const workspace = await open();
  try {
    const inside = await insideOf(workspace);
    const recorder = createRecorder(outside);
    const report = await analyzeChange({ ...inside, ...recorder.outside });
    const text = JSON.stringify(recorder.finish(inside));
    return { report, recording: parseRecording(Buffer.from(text), 'run.json') };
  } finally {
    await workspace.close();
  }
}

async function replay(recording: Recording, policy?: string): Promise<Report> {
  const workspace = await open();
  try {
    const inside = await insideOf(workspace);
    const replaying = createReplay(recording);
    const loaded =
      policy === undefined ? inside.policy : { ...inside.policy, policy: parsePolicy(Buffer.from(policy)) };
    replaying.assertSame(workspace, loaded);
    const report = await analyzeChange({ ...inside, ...replaying.toOutside(findPrices(MODELS, {}), SILENT_LOG) });
    replaying.assertFaithful();
    return report;
  } finally {
    await workspace.close();
  }
}

describe('a recorded run', { timeout: 120_000 }, () => {
  test('gives the same report again, in whatever order its parts came to their ends', async () => {
    const { report, recording } = await record();
    const { findings } = parseReport(JSON.parse(JSON.stringify(report)));
    expect(findings.map(({ tool, carried = false }) => [tool, carried])).toEqual([
      ['security', false],
      ['style', true],
    ]);
    expect(report.acceptance?.criteria.map(({ status }) => status)).toContain('unclear');
    expect(recording.sandbox.map(({ purpose }) => purpose).sort()).toEqual(['acceptance', 'run tests', 'scan']);
    expect(recording.exchanges.map(({ role, turn }) => `${role} ${turn}`)).toEqual([
      ...['acceptance 0', 'correctness 0', 'correctness 1', 'judge 0', 'reflection 0'],
      ...['security 0', 'security 1', 'style 0', 'style 1', 'style 2'],
    ]);
    for (let times = 0; times < 3; times++) {
      expect(JSON.stringify(await replay(recording))).toBe(JSON.stringify(report));
    }
  });

  test('holds no secret: no key of the run, and nothing that a scanner called one', async () => {
    const workspace = await open();
    const inside = await insideOf(workspace);
    const recorder = createRecorder(live());
    await analyzeChange({ ...inside, ...recorder.outside });
    const literal = raw({ tool: 'bandit', ruleId: 'B105', cwe: ['CWE-259'], matchedText: `password = "${SECRET}"` });
    recorder.outside.onFound([literal]);
    const text = JSON.stringify(recorder.finish(inside));
    await workspace.close();
    for (const secret of [KEY, SECRET]) expect(text).not.toContain(secret);
    expect(text).toContain("ok 1 - It runs\\nbandit read '[redacted:known-secret]'");
  });

  test('hides outputs as a whole where scanners found more than can be searched for', async () => {
    const outside = live();
    const recorder = createRecorder(outside);
    const many = Array.from({ length: 600 }, (_, n) =>
      raw({ tool: 'gitleaks', matchedText: `secret-number-${n}-of-many` }),
    );
    recorder.outside.onFound(many);
    const workspace = await open();
    const inside = await insideOf(workspace);
    const report = await analyzeChange({ ...inside, ...recorder.outside });
    const recording = parseRecording(Buffer.from(JSON.stringify(recorder.finish(inside))), 'run.json');
    await workspace.close();
    expect(JSON.stringify(recording.sandbox)).not.toContain('It runs');
    expect(JSON.stringify(await replay(recording))).toBe(JSON.stringify(report));
  });

  test('is the report of the recorded answers, not of new ones', async () => {
    const { report, recording } = await record();
    const judged = recording.exchanges.map(exchange =>
      exchange.role === 'judge' && exchange.answer.status === 'ok'
        ? { ...exchange, answer: { ...exchange.answer, text: JSON.stringify(judgement(0.61, 'Hm.')) } }
        : exchange,
    );
    const changed = await replay({ ...recording, exchanges: judged });
    expect([report.review?.score, changed.review?.score]).toEqual([0.75, 0.61]);
  });

  test('names role and turn where a changed answer leads to another question', async () => {
    const { recording } = await record();
    const exchanges = recording.exchanges.map(exchange =>
      exchange.role === 'security' && exchange.turn === 1 && exchange.answer.status === 'ok'
        ? { ...exchange, answer: { ...exchange.answer, text: exchange.answer.text.replace('shell', 'program') } }
        : exchange,
    );
    await expect(replay({ ...recording, exchanges })).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining("turn 0 of the role 'reflection'"),
    });
  });

  test('tells of a difference that the run itself takes for a failed part', async () => {
    const { recording } = await record();
    const runs = recording.sandbox.map(run =>
      run.purpose === 'run tests' ? { ...run, jobHash: '0'.repeat(64) } : run,
    );
    await expect(replay({ ...recording, sandbox: runs })).rejects.toMatchObject({ code: 'internal' });
    const without = recording.sandbox.filter(run => run.purpose !== 'acceptance');
    await expect(replay({ ...recording, sandbox: without })).rejects.toThrow("the sandbox job 'acceptance' (number 0)");
  });

  test('has the output that was recorded, and refuses one whose seal was changed', async () => {
    const { report, recording } = await record();
    const scan = recording.sandbox.find(run => run.purpose === 'scan');
    if (scan?.outcome.status !== 'ran') throw new Error('no scan');
    const other = structuredClone(recording);
    const [first] = other.sandbox.flatMap(run => (run.outcome.status === 'ran' ? [run.outcome] : []));
    if (first === undefined) throw new Error('no run');
    first.identity.tools['gitleaks'] = '9.9.9';
    const changed = await replay(other);
    expect(changed).not.toEqual(report);
    for (const step of first.steps) step.stdout = { text: '', hidden: [{ at: 0, length: 0, sealed: 'AAAA' }] };
    await expect(replay(other)).rejects.toThrow('cannot be opened');
  });

  test('belongs to its commits, its files, its policy and its version of the program', async () => {
    const { recording } = await record();
    const refused = async (changed: Partial<Recording>, message: string) =>
      expect(replay({ ...recording, ...changed })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(message),
      });
    await refused(
      { shas: { ...recording.shas, head: 'e'.repeat(40) } },
      `the recording has the head ${'e'.repeat(40)}`,
    );
    await refused({ shas: { ...recording.shas, mergeBase: null } }, 'merge base (none)');
    await refused({ changeHash: '0'.repeat(64) }, 'the files of this change');
    await refused({ tool: { name: 'cypherfix', version: '99.0.0' } }, 'recorded by cypherfix 99.0.0');
    await expect(replay(recording, 'gate: { threshold: 0.1 }\n')).rejects.toMatchObject({ code: 'usage' });
  });

  test('bent anywhere gives a report or a clear error, never a crash', async () => {
    const { recording } = await record();
    const values = fc.oneof(fc.constantFrom(0, -1, '', 'x', null, true, [], {}, '0'.repeat(64)), fc.string(), fc.nat());
    await fc.assert(
      fc.asyncProperty(fc.nat(), values, async (at, value) => {
        const bent = Buffer.from(JSON.stringify(bend(recording, at, value)));
        const error = await Promise.resolve()
          .then(() => replay(parseRecording(bent, 'bent.json')))
          .then(
            report => parseReport(JSON.parse(JSON.stringify(report))) && null,
            (reason: unknown) => reason,
          );
        if (error !== null) expect(error).toBeInstanceOf(CypherFixError);
      }),
      { numRuns: 120 },
    );
  });

  test('keeps a sandbox that could not be had', async () => {
    const outside = live();
    const missing = new CypherFixError('missing', 'the lock has no image of the class "node"', { hint: 'build it' });
    const only = {
      ...outside.sandbox,
      run: async (job: Parameters<Outside['sandbox']['run']>[0], signal: AbortSignal) => {
        if (job.purpose === 'scan') return outside.sandbox.run(job, signal);
        throw missing;
      },
    };
    const { report, recording } = await record({ ...outside, sandbox: only });
    expect(JSON.stringify(report.acceptance?.notices)).toContain('has no image');
    expect(JSON.stringify(await replay(recording))).toBe(JSON.stringify(report));
  });
});
