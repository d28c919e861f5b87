import { readFileSync, rmSync } from 'node:fs';
import type { EarlierRuns } from '../analysis/analysis.ts';
import type { LinkedIssues } from '../analysis/linked-issues.ts';
import { withoutGraph } from '../analysis/review-graph.ts';
import { CypherFixError, EXIT, toMessage } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Report } from '../core/report.ts';
import { Request } from '../core/request.ts';
import type { VerdictOrder } from '../core/verdict.ts';
import { toGateWord } from '../findings/gate.ts';
import { type LoadedPolicy, loadPolicy } from '../policy/load-policy.ts';
import type { Policy } from '../policy/schema.ts';
import type { Recording } from '../recording/recording.ts';
import { renderSarif } from '../render/sarif.ts';
import { type RunFolder, toRunFolder } from '../runner/folder.ts';
import { type Inputs, readInputs } from '../runner/inputs.ts';
import { setOutputs } from '../runner/outputs.ts';
import { saveFile } from '../runner/save-file.ts';
import { openFetchedWorkspace } from '../workspace/workspace.ts';
import type { Triaged } from './add-triage.ts';
import { whyNoAi } from './ai-due.ts';
import type { CommandContext } from './context.ts';
import { type GraphAccess, takeActionGraphAccess } from './graph-access.ts';
import { hasCredential, type ModelAccess, takeActionAccess, toAiSetup, toSecretRegistry } from './model-access.ts';
import { openReviewGraph } from './open-review-graph.ts';
import { writeRecording } from './recording-file.ts';
import { type AnalysisPlan, runAnalysis } from './run-analysis.ts';
import { tellError } from './tell-error.ts';
import type { TreeTriage } from './triage-tree.ts';
import { withSandbox } from './with-sandbox.ts';

/**
 * Variables that could act on GitHub; they are dropped even where a job's own environment holds them. The job's identity
 * is read before, and only where its federation with a model's provider is configured.
 */
const FORBIDDEN = /^(GITHUB_TOKEN|GH_TOKEN|INPUT_.*TOKEN|ACTIONS_RUNTIME_TOKEN|ACTIONS_ID_TOKEN_REQUEST_(TOKEN|URL))$/;

/** Step 3: examines what `resolve` fetched and writes the report; has no way to GitHub. */
export const run = (_argv: readonly string[], context: CommandContext): Promise<number> =>
  tellError(context, () => analyze(context));

async function analyze(context: CommandContext): Promise<number> {
  const inputs = readInputs(context.env);
  const access = takeActionAccess(context.env, inputs);
  const graph = takeActionGraphAccess(context.env, inputs);
  for (const name of Object.keys(context.env)) if (FORBIDDEN.test(name)) delete context.env[name];
  const folder = toRunFolder(context.env);
  const request = readRequest(folder);
  // An earlier run on this machine may have left one, which would be uploaded as ours.
  rmSync(folder.recording, { force: true });
  const { report, fault } =
    request.verdict === null
      ? await examine({ inputs, access, graph, request, folder }, context)
      : { report: await record(request, request.verdict, graph, context), fault: null };
  saveFile(folder.report, `${JSON.stringify(report)}\n`);
  saveFile(folder.sarif, renderSarif(report, { serverUrl: request.serverUrl }));
  setOutputs(context.env, {
    conclusion: report.conclusion,
    gate: toGateWord(report),
    findings: String(report.findings.length),
    'report-file': folder.report,
    'sarif-file': folder.sarif,
  });
  context.log.info(`CypherFix: ${report.conclusion}, ${report.findings.length} findings`);
  // The report is published all the same.
  if (fault !== null) throw fault;
  return EXIT.passed;
}

interface Examination {
  readonly inputs: Inputs;
  readonly access: ModelAccess;
  readonly graph: GraphAccess | null;
  readonly request: Request;
  readonly folder: RunFolder;
}

async function examine(examination: Examination, context: CommandContext): Promise<Triaged> {
  const { access: models, graph, request } = examination;
  const order = request.triage;
  if (order === null || (graph === null && !order.asked))
    return { report: await scan(examination, context), fault: null };
  const [{ addTriage }, { toTellable }, { assertTriageReady }] = await Promise.all([
    import('./add-triage.ts'),
    import('./graph-fault.ts'),
    import('./triage-tree.ts'),
  ]);
  let triage: TreeTriage | undefined;
  const report = await scan(examination, context, async ({ policy }) => {
    triage = { request, order, policy, access: graph, models };
    if (!order.asked) return;
    await assertTriageReady(triage, context).catch((error: unknown) => {
      throw context.signal.aborted ? error : (toTellable(error, !request.private) ?? error);
    });
  });
  return triage === undefined ? { report, fault: null } : addTriage(triage, report, context);
}

type OnPolicy = (loaded: LoadedPolicy) => Promise<void>;

/** Examines the tree or the change; `onPolicy` may still refuse, before anything is scanned. */
const scan = (examination: Examination, context: CommandContext, onPolicy?: OnPolicy): Promise<Report> =>
  withSandbox(context, sandbox => runAnalysis(toPlan(examination, context, onPolicy), sandbox, context));

const toPlan = (
  { inputs, access, graph, request, folder }: Examination,
  context: CommandContext,
  onPolicy?: OnPolicy,
): AnalysisPlan => ({
  open: () =>
    openFetchedWorkspace({
      gitDir: folder.repository,
      headSha: request.headSha,
      baseSha: request.baseSha,
      mergeBaseSha: request.mergeBaseSha,
      wholeTree: request.task === 'whole-tree',
      signal: context.signal,
      searchPath: context.env['PATH'],
    }),
  loadPolicy: async workspace => {
    const loaded = await loadPolicy(path => workspace.readPolicyFile(path), inputs.configPath);
    await onPolicy?.(loaded);
    return loaded;
  },
  toSubject: () => toSubject(request),
  request: request.request,
  isPublic: !request.private,
  toAi: policy => toAi(request, access, policy, context.signal),
  toLinked: () => toLinked(request),
  earlier: toEarlierRuns(request),
  toGraph: policy => toGraph(request, graph, policy, context),
  secrets: toSecretRegistry(access).add(graph?.password),
  record: {
    isWanted: policy => policy.ai.record,
    keep: recording => keepRecording(folder.recording, recording, context.log),
  },
});

async function record(request: Request, order: VerdictOrder, graph: GraphAccess | null, context: CommandContext) {
  const { recordVerdict } = await import('./record-verdict.ts');
  return recordVerdict(request, order, graph, context);
}

/** Null without a key; with one the report says why no model looked where none did. */
async function toAi(request: Request, access: ModelAccess, policy: Policy, signal: AbortSignal) {
  if (!hasCredential(access, policy)) return null;
  const reason = whyNoAi(request, policy);
  if (reason !== null) return { kind: 'none' as const, reason };
  const { title = null, body = null } = request.pullRequest ?? {};
  return toAiSetup(access, policy, { title, body }, signal);
}

/** A fork, an outsider or a bot is told nothing that the repository alone does not tell. */
async function toGraph(request: Request, access: GraphAccess | null, policy: Policy, context: CommandContext) {
  if (request.restricted) return withoutGraph();
  return openReviewGraph(
    {
      policy,
      access,
      setting: 'neo4j-uri',
      toRepository: async () => request.repository,
      isPublic: !request.private,
      pullRequest: request.pullRequest?.number ?? null,
    },
    context,
  );
}

const toLinked = ({ issues, issueNotices, acceptanceHead, headSha }: Request): LinkedIssues => ({
  issues,
  notices: issueNotices,
  whyNot:
    acceptanceHead === headSha
      ? 'acceptance: an earlier run compared this commit with its issues; `/cypherfix review full` does it again'
      : null,
});

const toEarlierRuns = ({ openFindings, openFindingsUnread, spentUsd }: Request): EarlierRuns => ({
  openFindings,
  unread: openFindingsUnread,
  spentUsd,
});

function readRequest(folder: RunFolder): Request {
  try {
    return Request.parse(JSON.parse(readFileSync(folder.request, 'utf8')));
  } catch (cause) {
    throw new CypherFixError('usage', `${folder.request} is missing or not what resolve writes: ${toMessage(cause)}`, {
      hint: 'this command is a step of the action, after resolve; on your machine use: review --repo . --base main',
      cause,
    });
  }
}

const toSubject = (request: Request): Report['subject'] => ({
  repository: request.repository,
  ...(request.pullRequest === null ? {} : { pullRequest: request.pullRequest.number }),
  ...(request.baseSha === null ? {} : { baseSha: request.baseSha }),
  headSha: request.headSha,
  ...(request.mergeBaseSha === null ? {} : { mergeBaseSha: request.mergeBaseSha }),
  ...(request.task === 'whole-tree' ? { all: true } : {}),
});

/** More would make the artefact larger than `publish` takes. */
const MAX_RECORDING_BYTES = 32 * 1024 * 1024;

/** A recording that cannot be kept costs nobody the review. */
function keepRecording(path: string, recording: Recording, log: Log): void {
  try {
    writeRecording(path, recording, MAX_RECORDING_BYTES);
  } catch (error) {
    log.warn(`this run is not recorded: ${toMessage(error)}`);
  }
}
