import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { run } from '../../src/commands/triage.ts';
import { toTriageStore } from '../../src/commands/triage-store.ts';
import { parseReport, type Report, type ReportFinding } from '../../src/core/report.ts';
import { toCodeFindingId, upsertCodeFindings } from '../../src/graph/code-findings.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { initialiseGraph } from '../../src/graph/initialise-graph.ts';
import { connectGraph } from '../../src/graph/neo4j.ts';
import { toCodeFindingRow } from '../../src/risk/code-finding.ts';
import { runTriage } from '../../src/triage/run-triage.ts';
import { toTriageReport } from '../../src/triage/triage-report.ts';
import { EMPTY_COUNTS } from '../../src/triage/triage-result.ts';
import { seedShop } from '../graph/seed/seed-shop.ts';
import { startAnthropic } from '../sim-model/anthropic.ts';
/** Of this file alone. */
import { shellCall } from '../triage/shell-call.ts';
import { runInput } from '../triage/world.ts';
import { runCommand } from './run-command.ts';

const TENANT = { userId: 'triage-command-test', projectId: 'shop' };

let graph: Graph;
let folder: string;
let config: string;
beforeAll(async () => {
  graph = await connectGraph({ ...inject('neo4j'), database: '' });
  await initialiseGraph(graph);
  await seedShop(graph, TENANT);
  folder = mkdtempSync(join(tmpdir(), 'cypherfix-triage-'));
  config = join(folder, '.cypherfix.yml');
  writeFileSync(config, `triage: { project: ${TENANT.projectId}, user: ${TENANT.userId} }\n`);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await graph.close();
});

async function triage(...argv: readonly string[]) {
  const { uri, user, password } = inject('neo4j');
  const env = { NEO4J_USER: user, NEO4J_PASSWORD: password };
  const result = await runCommand(run, ['--neo4j', uri, '--config', config, '--format', 'json', ...argv], { env });
  return { ...result, report: result.stdout.startsWith('{') ? parseReport(JSON.parse(result.stdout)) : null };
}

const read = (query: string, params: Record<string, unknown> = {}) =>
  graph.read(`CYPHER 5 ${query}`, { ...TENANT, ...params });

const finding = (letter: string, rest: Partial<ReportFinding> = {}) =>
  shellCall(letter.repeat(64), { path: `src/${letter}.py`, ...rest });

function writeReport(findings: readonly ReportFinding[], examined: readonly string[]): string {
  const lists = { complete: true, groups: [], remediations: [], changes: [] };
  const { triage: _, ...report }: Report = toTriageReport({
    result: { runId: null, status: 'completed', counts: EMPTY_COUNTS, ...lists },
    truncated: {},
    notices: [],
    findings,
    subject: { all: true },
    request: { kind: 'review', trigger: 'local' },
    now: new Date(0),
  });
  const files = examined.map(path => ({ path, status: 'modified', examinedBy: ['bandit'] }));
  const path = join(folder, 'report.json');
  writeFileSync(path, JSON.stringify({ ...report, ledger: { files, complete: true } }));
  return path;
}

describe('triage --neo4j against a real server', () => {
  it('--init says what is there', async () => {
    const { status, stdout } = await triage('--init');
    expect(status).toBe(0);
    expect(stdout).toContain('there  the constraint on TriageRun (id)');
  });

  it('ranks the project, writes layers and fixes, and records the run', async () => {
    const { status, report } = await triage();
    expect(status).toBe(0);
    const { triage: result } = report ?? {};
    expect(result?.status).toBe('completed');
    expect(result?.counts.findings).toBeGreaterThan(15);
    expect(result?.counts.published).toMatchObject({
      updated: result?.counts.findings,
      missing: 0,
      failed: 0,
      skippedChanged: 0,
    });
    const tiers = await read(
      'MATCH (f {user_id: $userId, project_id: $projectId}) WHERE f.triage_run_id = $runId AND f.triage_tier IS NOT NULL RETURN f.id AS id, f.triage_tier AS tier, labels(f) AS labels',
      { runId: result?.runId },
    );
    expect(tiers).toHaveLength(result?.counts.findings ?? -1);
    expect(tiers.some(({ labels }) => (labels as string[]).includes('Muted'))).toBe(false);
    expect(tiers.find(({ id }) => id === 'v-known')).toMatchObject({ tier: 'T1' });
    const [runNode] = await read('MATCH (r:TriageRun {id: $runId}) RETURN r.status AS status', {
      runId: result?.runId,
    });
    expect(runNode).toEqual({ status: 'completed' });
    const fixes = await read(
      'MATCH (r:Remediation {user_id: $userId, project_id: $projectId}) RETURN r.group_key AS key',
    );
    expect(fixes.map(({ key }) => key).sort()).toEqual(result?.remediations.map(({ groupKey }) => groupKey).sort());
    expect(fixes.length).toBeGreaterThan(3);
  });

  it('a second run finds nothing changed, and writes the same', async () => {
    const { status, report } = await triage();
    expect(status).toBe(0);
    expect(report?.triage?.changes).toEqual([]);
    expect(report?.triage?.counts.published.updated).toBe(report?.triage?.counts.findings);
  });

  it('opens this repository’s findings, and closes them once their tool no longer reports them', async () => {
    const both = writeReport([finding('a'), finding('b')], ['src/a.py', 'src/b.py']);
    const first = await triage('--findings', both, '--repository', 'acme/tools');
    expect(first.status).toBe(0);
    expect(first.report?.triage?.changes.map(({ kind, label }) => [kind, label])).toEqual([
      ['new', 'CodeFinding'],
      ['new', 'CodeFinding'],
    ]);
    expect(first.report?.subject).toMatchObject({ repository: 'acme/tools', all: true });

    const second = await triage(
      '--findings',
      writeReport([finding('a')], ['src/a.py', 'src/b.py']),
      '--repository',
      'acme/tools',
    );
    expect(
      second.report?.triage?.changes.map(({ kind, before, after }) => [kind, before?.state, after?.state]),
    ).toEqual([['state', 'open', 'fixed']]);
    const stale = await read(
      'MATCH (f:CodeFinding {user_id: $userId, project_id: $projectId, repository: "acme/tools"}) RETURN f.path AS path, f.stale_since IS NOT NULL AS stale ORDER BY path',
    );
    expect(stale).toEqual([
      { path: 'src/a.py', stale: false },
      { path: 'src/b.py', stale: true },
    ]);
  });

  it('what a pull request brought is neither ranked nor called gone', async () => {
    const scope = { repository: 'acme/tools', scope: 'pr/7' } as const;
    const { fingerprint } = finding('c');
    const row = toCodeFindingRow(finding('c'), { public: false });
    const layers = { triage_tier: 'T3', triage_priority_score: 30, triage_state: 'open', triage_run_id: 'review' };
    const item = { id: toCodeFindingId(scope, fingerprint), fingerprint, row, layers };
    await graph.write(tx => upsertCodeFindings(tx, TENANT, scope, [item]));
    const { report } = await triage();
    expect(report?.triage?.changes).toEqual([]);
    expect(JSON.stringify(report)).not.toContain('src/c.py');
  });

  it('a person’s verdict is kept and ranked', async () => {
    await graph.write(tx =>
      tx.run(
        "CYPHER 5 MATCH (f:Vulnerability {user_id: $userId, project_id: $projectId, id: 'v-known'}) SET f.triage_status = 'likely_noise', f.triage_source = 'human'",
        TENANT,
      ),
    );
    const { report } = await triage();
    expect(report?.triage?.changes).toMatchObject([
      { id: 'v-known', kind: 'state', after: { state: 'false_positive' } },
    ]);
    const [stored] = await read(
      "MATCH (f:Vulnerability {user_id: $userId, project_id: $projectId, id: 'v-known'}) RETURN f.triage_status AS status, f.triage_state AS state",
    );
    expect(stored).toEqual({ status: 'likely_noise', state: 'false_positive' });
  });

  it('while a run is at work a second start is refused, names it, and touches nothing', async () => {
    const store = toTriageStore(graph, TENANT);
    let refused: Awaited<ReturnType<typeof triage>> | undefined;
    const slow = {
      ...store,
      readFacts: async () => {
        refused = await triage();
        return store.readFacts();
      },
    };
    const outcome = await runTriage(runInput(slow, { now: Date.now }));
    expect(outcome.status === 'ended' && outcome.result.status).toBe('completed');
    expect(refused?.status).toBe(69);
    expect(refused?.message).toContain(outcome.status === 'ended' ? outcome.result.runId : 'no run');
  });

  it('stopped before the claim, it leaves the ranking as it was and the way free', async () => {
    const before = await read(
      'MATCH (f:Vulnerability {user_id: $userId, project_id: $projectId}) RETURN f.id AS id, f.triage_run_id AS run ORDER BY id',
    );
    const controller = new AbortController();
    const store = toTriageStore(graph, TENANT);
    const stopping = {
      ...store,
      readFacts: async () => {
        controller.abort();
        return store.readFacts();
      },
    };
    const outcome = await runTriage(runInput(stopping, { now: Date.now, signal: controller.signal }));
    expect(outcome.status === 'ended' && outcome.result.status).toBe('stopped');
    const after = await read(
      'MATCH (f:Vulnerability {user_id: $userId, project_id: $projectId}) RETURN f.id AS id, f.triage_run_id AS run ORDER BY id',
    );
    expect(after).toEqual(before);
    expect((await triage()).status).toBe(0);
  });

  it('--ai: reviews are written with their evidence, and not made again', async () => {
    const review = (id: string) => ({
      id,
      verdict: 'unclear',
      impact_multiplier: 1,
      impact_quote: '',
      disputed_facts: [],
      evidence_quote: '',
      why: 'Little is shown.',
      fix_lever: '',
    });
    const idsIn = (prompt: string) => [...prompt.matchAll(/^## (F\d+)$/gm)].map(match => match[1] ?? '');
    const api = await startAnthropic({
      roles: { evidence: 'You review the evidence', remediation: 'You word a list' },
      script: [
        {
          when: { role: 'evidence' },
          answer: ({ seen }) => ({ json: { reviews: idsIn(seen?.prompt ?? '').map(review) } }),
        },
      ],
    });
    try {
      const { uri, user, password } = inject('neo4j');
      const start = () => {
        const env = {
          NEO4J_USER: user,
          NEO4J_PASSWORD: password,
          ANTHROPIC_API_KEY: 'sk-ant-test',
          MODEL_BASE_URL: api.url,
        };
        return runCommand(run, ['--neo4j', uri, '--config', config, '--format', 'json', '--ai'], { env });
      };
      const first = await start();
      expect(first.status).toBe(0);
      const report = parseReport(JSON.parse(first.stdout));
      const { made = 0 } = report.triage?.counts.reviews ?? {};
      expect(made).toBeGreaterThan(5);
      expect(report.triage?.counts.published.reviewsWritten).toBe(made);
      expect(report.cost.byRole.map(({ role }) => role)).toEqual(['evidence', 'remediation']);
      const stored = await read(
        'MATCH (f {user_id: $userId, project_id: $projectId, triage_ai_verdict: "unclear"}) RETURN f.triage_ai_evidence_hash AS hash, f.triage_evidence_hash AS base',
      );
      expect(stored).toHaveLength(made);
      for (const { hash, base } of stored) expect(hash).toBe(base);
      const calls = api.journal.prompts('evidence').length;
      expect((await start()).status).toBe(0);
      expect(api.journal.prompts('evidence')).toHaveLength(calls);
    } finally {
      await api.close();
    }
  });

  it('interrupted before it began, it has opened no run', async () => {
    const { uri, user, password } = inject('neo4j');
    const controller = new AbortController();
    controller.abort();
    const count = 'MATCH (r:TriageRun {user_id: $userId, project_id: $projectId}) RETURN count(r) AS runs';
    const before = await read(count);
    const env = { NEO4J_USER: user, NEO4J_PASSWORD: password };
    const task = runCommand(run, ['--neo4j', uri, '--config', config], { env, signal: controller.signal });
    await task.catch(() => {});
    expect(await read(count)).toEqual(before);
  });

  it('the wrong password is told without it', async () => {
    const { uri } = inject('neo4j');
    const env = { NEO4J_USER: 'neo4j', NEO4J_PASSWORD: 'wrong-password' };
    const { status, message } = await runCommand(run, ['--neo4j', uri, '--config', config], { env });
    expect(status).toBe(69);
    expect(message).not.toContain('wrong-password');
  });

  it('an empty project is no fault', async () => {
    const empty = join(folder, 'empty.yml');
    writeFileSync(empty, `triage: { project: nothing-here, user: ${TENANT.userId} }\n`);
    const { uri, user, password } = inject('neo4j');
    const env = { NEO4J_USER: user, NEO4J_PASSWORD: password };
    const { status, stdout } = await runCommand(run, ['--neo4j', uri, '--config', empty], { env });
    expect(status).toBe(0);
    expect(stdout).toContain('Triage: 0 findings in 0 groups · nothing is open');
  });
});
