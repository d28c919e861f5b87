import type { Change } from '../core/change.ts';
import { redact, type SecretRegistry } from '../core/secrets.ts';
import type { Tree } from '../core/tree.ts';
import { toSafeLine } from '../core/untrusted.ts';
import type { Policy } from '../policy/schema.ts';
import { createFileReader } from '../review/file-reader.ts';
import type { Guard } from '../review/guard.ts';
import { showChange } from '../review/shown-change.ts';
import type { Sandbox, SandboxResult } from '../sandbox/sandbox.ts';
import type { AcceptanceModel } from './ask-model.ts';
import { fillTarget } from './command-steps.ts';
import { listCriteria, MAX_CRITERIA } from './criteria.ts';
import type { Criterion, CriterionSource, Evidence, JudgedCriterion, LinkedIssue } from './criterion.ts';
import { inferCriteria } from './infer-criteria.ts';
import { judgeByTests } from './judge-by-tests.ts';
import { judgeCriteria } from './judge-criteria.ts';
import { createTestLocator, isTestPath } from './locate-tests.ts';
import { type CommandRun, runCommand } from './run-command.ts';

export interface AcceptanceInput {
  /** Of this repository only, as request.json has them. */
  readonly issues: readonly LinkedIssue[];
  readonly change: Change;
  /** The head tree. */
  readonly tree: Tree;
  readonly policy: Pick<Policy, 'acceptance' | 'tests' | 'sandbox'>;
  readonly sandbox: Sandbox;
  /** Null without a key: criteria that no test decides are then unclear. */
  readonly ai: (AcceptanceModel & { readonly guard: Guard }) | null;
  /** Files that models do not see, and how many they see at most. */
  readonly isIgnored: (path: string) => boolean;
  readonly maxFiles: number;
  readonly secrets?: SecretRegistry | undefined;
  readonly signal: AbortSignal;
}

/** The report's part on acceptance. */
export interface Acceptance {
  readonly mode: 'shadow' | 'on';
  /** Numbers of the issues that were read. */
  readonly issues: readonly number[];
  readonly criteria: readonly {
    readonly issue: number;
    readonly id?: string;
    readonly text: string;
    readonly source: CriterionSource;
    readonly status: JudgedCriterion['status'];
    readonly judgedBy: JudgedCriterion['judgedBy'];
    readonly evidence: readonly Evidence[];
  }[];
  readonly command?: { readonly exitCode: number | null; readonly timedOut: boolean };
}

export interface AcceptanceResult {
  readonly acceptance: Acceptance;
  readonly notices: readonly string[];
  readonly sandboxRuns: readonly SandboxResult[];
  /** End of the command's output, at most 8 KiB, redacted; untrusted. Empty when none ran. */
  readonly outputTail: string;
}

/**
 * Whether the change does what its issues ask for. Null when the policy turns the check off or there is no issue. What fails
 * makes criteria unclear and is in the notices; rejects only when the signal aborts. The caller asks once a head.
 */
export async function checkAcceptance(input: AcceptanceInput): Promise<AcceptanceResult | null> {
  const { issues, policy } = input;
  const { mode } = policy.acceptance;
  if (mode === 'off' || issues.length === 0) return null;
  const notices: string[] = [];
  const criteria = await findCriteria(input, notices);
  const run = criteria.length === 0 ? null : await runTests(input);
  notices.push(...toRunNotices(run));
  const judged = await judgeAll(input, criteria, run, notices);
  const sandboxRun = run?.sandboxRun ?? null;
  return {
    acceptance: {
      mode,
      issues: issues.map(({ number }) => number),
      criteria: judged.map(criterion => toReported(criterion, input.secrets)),
      ...(run?.status === 'ran' ? { command: { exitCode: run.exitCode, timedOut: run.timedOut } } : {}),
    },
    notices: notices.map(notice => redact(toSafeLine(notice), input.secrets)),
    sandboxRuns: sandboxRun === null ? [] : [sandboxRun],
    outputTail: run?.outputTail ?? '',
  };
}

/** What the issues state; for those that state nothing, what a model reads out of them. */
async function findCriteria({ issues, ai, secrets, signal }: AcceptanceInput, notices: string[]): Promise<Criterion[]> {
  const stated = listCriteria(issues, secrets);
  notices.push(...stated.notices);
  const silent = issues.filter(issue => !stated.criteria.some(criterion => criterion.issue === issue.number));
  if (ai === null || silent.length === 0) return [...stated.criteria];
  const inferred = await inferCriteria(silent, ai, { guard: ai.guard, secrets, signal });
  if (inferred.status === 'ok') return [...stated.criteria, ...inferred.criteria].slice(0, MAX_CRITERIA);
  notices.push(`acceptance: no criteria were inferred: ${inferred.reason}`);
  return [...stated.criteria];
}

async function runTests(input: AcceptanceInput): Promise<CommandRun | null> {
  const { acceptance, tests, sandbox } = input.policy;
  const command = acceptance.command ?? tests.command;
  if (command === null) return null;
  return runCommand({
    purpose: 'acceptance',
    command: fillTarget(command, null),
    setup: tests.setup,
    image: tests.image,
    timeoutMs: tests.timeout_s * 1_000,
    resultGlobs: acceptance.results,
    limits: { memoryMb: sandbox.memory_mb, cpus: sandbox.cpus },
    tree: input.tree,
    sandbox: input.sandbox,
    secrets: input.secrets,
    signal: input.signal,
  });
}

function toRunNotices(run: CommandRun | null): string[] {
  if (run === null) return [];
  if (run.status === 'not-started') return [`acceptance: the tests could not start: ${run.reason}`, ...run.notices];
  const { source, results, incomplete } = run.results;
  if (source === null) return ['acceptance: the command reported no test by name', ...run.notices];
  const cut = incomplete === null ? [] : [`acceptance: ${incomplete} (${results.length} tests by ${source})`];
  return [...cut, ...run.notices];
}

/** Tests first; a model judges what carries no identifier and names no test, and all of it where no command is configured. */
async function judgeAll(
  input: AcceptanceInput,
  criteria: readonly Criterion[],
  run: CommandRun | null,
  notices: string[],
): Promise<JudgedCriterion[]> {
  const byTest = run === null ? new Map<Criterion, JudgedCriterion>() : await judgeAllByTests(input, criteria, run);
  const rest = criteria.filter(criterion => !byTest.has(criterion));
  const byModel = rest.length === 0 ? new Map() : await judgeAllByModel(input, rest, notices);
  return criteria.map(
    criterion =>
      byTest.get(criterion) ??
      byModel.get(criterion) ?? { ...criterion, status: 'unclear', judgedBy: 'none', evidence: [] },
  );
}

async function judgeAllByTests(
  { change, tree }: AcceptanceInput,
  criteria: readonly Criterion[],
  run: CommandRun,
): Promise<Map<Criterion, JudgedCriterion>> {
  const ran = run.status === 'ran';
  const evidence = {
    results: ran ? run.results.results : [],
    incomplete: ran ? run.results.incomplete : `the tests could not start: ${run.reason}`,
    locator: await createTestLocator(change, tree),
    onlyTestsChanged: change.files.every(({ path }) => isTestPath(path)),
  };
  return toMap(criteria, criterion => judgeByTests(criterion, evidence));
}

async function judgeAllByModel(
  input: AcceptanceInput,
  criteria: readonly Criterion[],
  notices: string[],
): Promise<Map<Criterion, JudgedCriterion>> {
  const { ai, change, tree, isIgnored, maxFiles, issues, signal } = input;
  if (ai === null) {
    notices.push(`acceptance: ${countOf(criteria.length)} not judged: no test decides it and no model took part`);
    return new Map();
  }
  const { guard } = ai;
  const reader = createFileReader({ tree, guard });
  const shown = await showChange({ files: change.files, isIgnored, maxFiles, reader, guard });
  const judged = await judgeCriteria({ criteria, issues, shown, guard, signal }, ai);
  if (judged.status === 'failed') {
    notices.push(`acceptance: ${countOf(criteria.length)} not judged: ${judged.reason}`);
    return new Map();
  }
  if (judged.wasCut) notices.push('acceptance: the model saw a part of the diff only');
  return toMap(criteria, (_, at) => judged.criteria[at] ?? null);
}

function toMap(
  criteria: readonly Criterion[],
  judge: (criterion: Criterion, at: number) => JudgedCriterion | null,
): Map<Criterion, JudgedCriterion> {
  return new Map(
    criteria.flatMap((criterion, at) => {
      const judged = judge(criterion, at);
      return judged === null ? [] : [[criterion, judged] as const];
    }),
  );
}

const countOf = (count: number): string => (count === 1 ? '1 criterion was' : `${count} criteria were`);

const MAX_EVIDENCE_CHARS = 300;

function toReported(criterion: JudgedCriterion, secrets?: SecretRegistry): Acceptance['criteria'][number] {
  const { codeSpans: _, evidence, ...reported } = criterion;
  const toLine = (text: string) => redact(toSafeLine(text), secrets).slice(0, MAX_EVIDENCE_CHARS);
  return { ...reported, evidence: evidence.map(item => ({ ...item, text: toLine(item.text) })) };
}
