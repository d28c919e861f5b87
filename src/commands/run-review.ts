import { rename, writeFile } from 'node:fs/promises';
import type { LinkedIssue } from '../acceptance/criterion.ts';
import { NO_EARLIER_RUNS } from '../analysis/analysis.ts';
import { type LinkedIssues, NO_ISSUES } from '../analysis/linked-issues.ts';
import { CypherFixError } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import { type LoadedPolicy, loadPolicy } from '../policy/load-policy.ts';
import type { Policy } from '../policy/schema.ts';
import type { Recording } from '../recording/recording.ts';
import type { GvisorSandbox } from '../sandbox/create-sandbox.ts';
import { readOriginName } from '../workspace/origin.ts';
import { type LocalOptions, openLocalWorkspace, type Workspace } from '../workspace/workspace.ts';
import type { CommandContext } from './context.ts';
import { type GraphAccess, takeGraphAccess } from './graph-access.ts';
import { type ModelAccess, takeLocalAccess, toLocalAiSetup, toSecretRegistry } from './model-access.ts';
import { openReviewGraph } from './open-review-graph.ts';
import { writeRecording } from './recording-file.ts';
import { renderReport } from './render-report.ts';
import type { LocalTarget, ReviewOptions } from './review-options.ts';
import { runAnalysis } from './run-analysis.ts';

/** Reviews as the options say; prints the result and returns the gate's exit status. `sandbox` stays the caller's. */
export async function runReview(
  { options, config, issue, sandbox }: { sandbox: GvisorSandbox } & Pick<ToReview, 'options' | 'config' | 'issue'>,
  context: CommandContext,
): Promise<number> {
  const access = takeLocalAccess(context.env);
  const graph = takeGraphAccess(context.env);
  const toReview = { options, config, issue, access, graph, sandbox, open: () => open(options, null, context) };
  const { report, fault } = await review(toReview, context);
  await print(report, options, context);
  // Only now: what was paid for is on the table.
  if (fault !== null) throw fault;
  return toStatus(report);
}

/** Runs a recording again, which needs no sandbox; prints the result and returns the gate's exit status. */
export async function replayReview(
  { options, config, file }: Pick<ToReview, 'options' | 'config'> & { file: string },
  context: CommandContext,
): Promise<number> {
  takeLocalAccess(context.env);
  takeGraphAccess(context.env);
  const { replayAnalysis } = await import('./replay-analysis.ts');
  const report = await replayAnalysis(
    { file, open: (recording: Recording | null) => open(options, recording, context), config },
    context,
  );
  await print(report, options, context);
  return toStatus(report);
}

// By then the gate is loaded; before the scan it would be waited for.
const toStatus = async (report: Report): Promise<number> =>
  (await import('../findings/gate.ts')).toGateExitStatus(report);

const open = (options: ReviewOptions, recording: Recording | null, context: CommandContext): Promise<Workspace> =>
  openLocalWorkspace({
    ...toLocal(options.target, recording),
    signal: context.signal,
    searchPath: context.env['PATH'],
  });

interface ToReview {
  readonly options: ReviewOptions;
  readonly config: Buffer | null;
  readonly issue: LinkedIssue | null;
  readonly access: ModelAccess;
  readonly graph: GraphAccess | null;
  readonly sandbox: GvisorSandbox;
  open(): Promise<Workspace>;
}

interface Reviewed {
  readonly report: Report;
  /** Why there is no recording although one was asked for. */
  readonly fault: unknown;
}

async function review(toReview: ToReview, context: CommandContext): Promise<Reviewed> {
  const { options, config, issue, access, graph, sandbox, open } = toReview;
  const { record } = options;
  let fault: unknown = null;
  const keep = (path: string, recording: Recording): void => {
    try {
      writeRecording(path, recording);
    } catch (error) {
      fault = error;
    }
  };
  const report = await runAnalysis(
    {
      open,
      loadPolicy: workspace => loadLocalPolicy(workspace, options.config, config),
      toSubject: workspace => toSubject(workspace),
      request: { kind: 'review', trigger: 'local' },
      // Nothing local tells; the score model then takes the middle way.
      isPublic: false,
      toAi: async policy => (options.ai ? toLocalAiSetup(access, policy, context.signal) : null),
      toLinked: policy => toLinked(issue, policy),
      earlier: NO_EARLIER_RUNS,
      toGraph: policy => toGraph(toReview, policy, context),
      secrets: toSecretRegistry(access).add(graph?.password),
      ...(record === null ? {} : { record: { isWanted: () => true, keep: recording => keep(record, recording) } }),
    },
    sandbox,
    context,
  );
  return { report, fault };
}

/** The facts of the project that the policy names; a local review writes nothing into the graph. */
const toGraph = ({ options: { target }, graph }: ToReview, policy: Policy, context: CommandContext) =>
  openReviewGraph(
    {
      policy,
      access: graph,
      setting: 'NEO4J_URI',
      toRepository: async () =>
        target.kind === 'folder'
          ? null
          : readOriginName(target.repo, { signal: context.signal, searchPath: context.env['PATH'] }),
      isPublic: false,
      pullRequest: null,
    },
    context,
  );

function toLocal(target: LocalTarget, recording: Recording | null): LocalOptions {
  switch (target.kind) {
    case 'commits':
      return { repo: target.repo, base: target.base, head: target.head };
    case 'working-tree':
      return { repo: target.repo, base: target.base, workingTree: true };
    case 'all':
      return { repo: target.repo, head: target.head, base: target.base ?? undefined, all: true };
    case 'folder':
      return { dir: target.dir };
    case 'recorded':
      return { repo: target.repo, ...toRecorded(recording) };
  }
}

function toRecorded(recording: Recording | null): LocalOptions {
  const { base = null, head = null } = recording?.shas ?? {};
  const isWhole = recording?.subject.all === true;
  if (head === null && (isWhole || base === null)) {
    throw new CypherFixError('usage', 'review: the recording is of a folder; name it with --dir DIR --all');
  }
  return {
    ...(base === null ? {} : { base }),
    ...(head === null ? { workingTree: true } : { head }),
    ...(isWhole ? { all: true } : {}),
  };
}

function toLinked(issue: LinkedIssue | null, { acceptance }: Policy): LinkedIssues {
  if (issue === null) return NO_ISSUES;
  if (acceptance.mode !== 'off') return { issues: [issue], notices: [], whyNot: null };
  throw new CypherFixError('usage', '--issue: acceptance.mode of the policy is off', {
    hint: 'set acceptance.mode to shadow or on, or give another policy with --config',
  });
}

const loadLocalPolicy = (workspace: Workspace, name: string | null, bytes: Buffer | null): Promise<LoadedPolicy> =>
  name === null ? loadPolicy(path => workspace.readPolicyFile(path)) : loadPolicy(async () => bytes, name);

function toSubject({ change }: Workspace): Report['subject'] {
  return {
    ...(change.baseSha === undefined ? {} : { baseSha: change.baseSha }),
    ...(change.headSha === undefined ? {} : { headSha: change.headSha }),
    ...(change.mergeBaseSha === undefined ? {} : { mergeBaseSha: change.mergeBaseSha }),
    ...(change.wholeTree ? { all: true } : {}),
  };
}

async function print(report: Report, { format, output }: ReviewOptions, context: CommandContext): Promise<void> {
  const terminal = context.stdout as { isTTY?: boolean; columns?: number };
  const text = await renderReport(report, format, {
    color: output === null && terminal.isTTY === true && !context.env['NO_COLOR'],
    width: output === null ? (terminal.columns ?? 100) : 100,
  });
  if (output === null) {
    await new Promise<void>((resolve, reject) => {
      context.stdout.write(text, error => (error ? reject(error) : resolve()));
    });
    return;
  }
  try {
    // Whoever reads the file sees the old result or the whole new one.
    await writeFile(`${output}.partial`, text);
    await rename(`${output}.partial`, output);
  } catch (cause) {
    throw new CypherFixError('usage', `--output ${output} cannot be written`, { cause });
  }
}
