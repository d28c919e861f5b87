import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CypherFixError } from '../core/errors.ts';
import { parseReport, type Report } from '../core/report.ts';
import { readRepositoryHost } from '../graph/code-findings.ts';
import type { Graph } from '../graph/graph.ts';
import { describeItem, initialiseGraph, listMissingSchema } from '../graph/initialise-graph.ts';
import { connectGraph } from '../graph/neo4j.ts';
import type { Tenant } from '../graph/tenant.ts';
import { type LoadedPolicy, loadPolicy } from '../policy/load-policy.ts';
import { MAX_POLICY_BYTES, POLICY_FILE } from '../policy/policy-file.ts';
import type { OwnFindings } from '../triage/own-findings.ts';
import { toOwnFindings } from '../triage/own-report.ts';
import { runTriage } from '../triage/run-triage.ts';
import { toTriageReport } from '../triage/triage-report.ts';
import { checkFile, readNamedFile } from './check-file.ts';
import type { CommandContext } from './context.ts';
import { takeGraphAccess } from './graph-access.ts';
import { takeLocalAccess } from './model-access.ts';
import { toTriageModel } from './triage-model-setup.ts';
import type { TriageTask } from './triage-options.ts';
import { toDefaultBranchId, toTriageStore } from './triage-store.ts';

type Target = Pick<Extract<TriageTask, { kind: 'graph' | 'init' }>, 'uri' | 'database'>;

/** Makes the graph's constraints and indexes; says in text which. */
export async function initialise(target: Target, context: CommandContext): Promise<string> {
  return withGraph(target, context, async graph => {
    const { created, present } = await initialiseGraph(graph);
    const lines = [
      ...created.map(item => `made   ${describeItem(item)}`),
      ...present.map(item => `there  ${describeItem(item)}`),
    ];
    return `${lines.join('\n')}\n`;
  });
}

/** One run against the graph, started by a person. Throws CypherFixError('missing') where another run is at work. */
export async function triageGraph(
  task: Extract<TriageTask, { kind: 'graph' }>,
  config: string | null,
  context: CommandContext,
): Promise<Report> {
  const { policy, notices, folder } = await readPolicy(config);
  const { project, user } = policy.triage;
  if (project === null || user === null) {
    throw new CypherFixError(
      'missing',
      'triage.project and triage.user are not set: whose findings are to be ranked?',
      {
        hint: `set both in ${config ?? POLICY_FILE}`,
      },
    );
  }
  const tenant: Tenant = { userId: user, projectId: project };
  const code = task.findings === null ? null : await readOwnReport(task.findings, task.repository);
  const access = takeLocalAccess(context.env);
  const now = () => Date.now();
  const setup = task.ai
    ? await toTriageModel(access, policy, { asked: true, lifetime: context.signal, now })
    : ({ status: 'none' } as const);
  const model = setup.status === 'ok' ? setup.model : null;

  return withGraph(task, context, async graph => {
    const missing = await listMissingSchema(graph);
    if (missing.length > 0) {
      throw new CypherFixError('missing', `the graph lacks ${missing.map(describeItem).slice(0, 3).join(', ')}`, {
        hint: 'run triage --neo4j URI --init once',
      });
    }
    const { intel_file: intelFile, review_budget: reviewBudget } = policy.triage;
    const outcome = await runTriage({
      store: toTriageStore(graph, tenant),
      start: { trigger: 'local', automatic: false },
      own: code === null ? null : await toOwn(graph, tenant, code),
      target: { repository: code?.repository ?? '', branch: 'main' },
      intelFolder: intelFile === null ? null : join(folder, intelFile),
      model,
      reviewBudget,
      log: context.log,
      now,
      random: () => randomBytes(8).toString('hex'),
      signal: context.signal,
    });
    if (outcome.status === 'refused') {
      throw new CypherFixError('missing', `the triage did not start: ${outcome.reason}`, {
        hint: 'wait until it has ended; a run that has fallen silent is given up after ten minutes',
      });
    }
    const { headSha } = code?.report.subject ?? {};
    return toTriageReport({
      ...outcome,
      notices: [...notices, ...outcome.notices],
      subject: {
        ...(code === null ? {} : { repository: code.repository, all: true }),
        ...(headSha === undefined ? {} : { headSha }),
      },
      request: { kind: 'triage', trigger: 'local' },
      findings: code?.report.findings ?? [],
      ...(model === null ? {} : { cost: model.budget.toCost() }),
      now: new Date(now()),
    });
  });
}

async function withGraph<T>(target: Target, context: CommandContext, work: (graph: Graph) => Promise<T>): Promise<T> {
  context.env['NEO4J_URI'] = target.uri;
  if (target.database !== '') context.env['NEO4J_DATABASE'] = target.database;
  const access = takeGraphAccess(context.env);
  if (access === null) throw new CypherFixError('usage', '--neo4j: expected an address such as neo4j+s://host:7687');
  const graph = await connectGraph({ ...access, signal: context.signal });
  try {
    return await work(graph);
  } finally {
    await graph.close();
  }
}

/** The policy, and the folder that its paths are relative to. */
async function readPolicy(config: string | null): Promise<LoadedPolicy & { readonly folder: string }> {
  const read = async (path: string): Promise<Buffer | null> => {
    if (config !== null) return readNamedFile('--config', path, MAX_POLICY_BYTES);
    return existsSync(path) ? readNamedFile('the policy', path, MAX_POLICY_BYTES) : null;
  };
  return { ...(await loadPolicy(read, config ?? POLICY_FILE)), folder: dirname(config ?? POLICY_FILE) };
}

interface OwnReport {
  readonly report: Report;
  readonly repository: string;
}

const MAX_REPORT_BYTES = 64 * 1024 * 1024;

async function readOwnReport(path: string, named: string | null): Promise<OwnReport> {
  await checkFile('--findings', path, MAX_REPORT_BYTES);
  const refuse = (what: string) => new CypherFixError('usage', `--findings ${path}: ${what}`);
  let report: Report;
  try {
    report = parseReport(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw new CypherFixError(
      'usage',
      `--findings ${path}: with --neo4j it must be a report (review --all --format json)`,
      {
        cause,
      },
    );
  }
  const repository = report.subject.repository ?? named;
  if (repository === null) throw refuse('it names no repository; say which with --repository owner/name');
  if (named !== null && named.toLowerCase() !== repository.toLowerCase()) throw refuse(`it is of ${repository}`);
  if (report.subject.all !== true || report.subject.pullRequest !== undefined) {
    throw refuse('it must be of the whole tree of the default branch (review --all)');
  }
  return { report, repository };
}

async function toOwn(graph: Graph, tenant: Tenant, { report, repository }: OwnReport): Promise<OwnFindings> {
  const host = await readRepositoryHost(graph, tenant, repository);
  return toOwnFindings(report, {
    repository,
    context: { repository, public: false, ...(host === null ? {} : { host }) },
    closedPullRequests: [],
    toId: toDefaultBranchId(repository),
  });
}
