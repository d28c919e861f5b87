import { readFile, rename, writeFile } from 'node:fs/promises';
import type { LinkedIssue } from '../acceptance/criterion.ts';
import { type LinkedIssues, NO_ISSUES } from '../analysis/run-acceptance.ts';
import { NO_EARLIER_RUNS } from '../analyze-change.ts';
import { CypherFixError, EXIT } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import { toGateExitStatus } from '../findings/gate.ts';
import { type LoadedPolicy, loadPolicy } from '../policy/load-policy.ts';
import type { Policy } from '../policy/schema.ts';
import type { Recording } from '../recording/recording.ts';
import { type LocalOptions, openLocalWorkspace, type Workspace } from '../workspace/workspace.ts';
import type { CommandContext } from './context.ts';
import { type ModelAccess, takeLocalAccess, toLocalAiSetup, toSecretRegistry } from './model-access.ts';
import { readIssueFile } from './read-issue-file.ts';
import { assertRecordable, writeRecording } from './recording-file.ts';
import { renderReport } from './render-report.ts';
import { replayAnalysis } from './replay-analysis.ts';
import { type LocalTarget, parseReviewOptions, REVIEW_HELP, type ReviewOptions } from './review-options.ts';
import { runAnalysis } from './run-analysis.ts';

/** Reviews a local change, tree or folder; prints the result and returns the gate's exit status. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const options = parseReviewOptions(argv);
  if (options === null) {
    context.stdout.write(REVIEW_HELP);
    return EXIT.passed;
  }
  const config = options.config === null ? null : await readConfig(options.config);
  const issue = options.issue === null ? null : await readIssueFile(options.issue);
  const access = takeLocalAccess(context.env);
  const open = (recording: Recording | null) =>
    openLocalWorkspace({
      ...toLocal(options.target, recording),
      signal: context.signal,
      searchPath: context.env['PATH'],
    });
  if (options.replay !== null) {
    const report = await replayAnalysis({ file: options.replay, open, config }, context);
    await print(report, options, context);
    return toGateExitStatus(report);
  }
  const { report, fault } = await review({ options, config, issue, access, open: () => open(null) }, context);
  await print(report, options, context);
  // Only now: what was paid for is on the table.
  if (fault !== null) throw fault;
  return toGateExitStatus(report);
}

interface ToReview {
  readonly options: ReviewOptions;
  readonly config: Buffer | null;
  readonly issue: LinkedIssue | null;
  readonly access: ModelAccess;
  open(): Promise<Workspace>;
}

interface Reviewed {
  readonly report: Report;
  /** Why there is no recording although one was asked for. */
  readonly fault: unknown;
}

async function review({ options, config, issue, access, open }: ToReview, context: CommandContext): Promise<Reviewed> {
  const { record } = options;
  if (record !== null) assertRecordable(record);
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
      secrets: toSecretRegistry(access),
      ...(record === null ? {} : { record: { isWanted: () => true, keep: recording => keep(record, recording) } }),
    },
    context,
  );
  return { report, fault };
}

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

async function readConfig(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new CypherFixError('usage', `--config ${path} cannot be read`, { cause });
  }
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
