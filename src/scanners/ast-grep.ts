import { z } from 'zod';
import { GUEST } from '../sandbox/protocol.ts';
import type { StepResult } from '../sandbox/sandbox.ts';
import { languageCanary } from './canary.ts';
import { renderForEngine } from './engine-rules.ts';
import type { Language } from './languages.ts';
import { createRuleChoice } from './rule-choice.ts';
import { LANGUAGE_MARK, type PackRule, type RulePack, toEngineDocuments } from './rule-pack.ts';
import type { LateFiles, ParsedScan, ScanContext, Scanner, ScanPlan, StepPlan, ToolFinding } from './scanner.ts';
import { FOLDER, failedScan, inJob, toJobPath } from './scanner.ts';
import { readReport, SHORT_REPORT_BYTES, shorten, stepFailure } from './step-failure.ts';

const Position = z.object({ line: z.number().int(), column: z.number().int() });
const Match = z.object({
  file: z.string(),
  ruleId: z.string(),
  message: z.string(),
  range: z.object({ start: Position, end: Position, byteOffset: z.object({ start: z.number(), end: z.number() }) }),
  replacement: z.string().nullish(),
  replacementOffsets: z.object({ start: z.number(), end: z.number() }).nullish(),
});
const DockerfileReport = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      error: z.string().optional(),
      matches: z.array(z.object({ ruleId: z.string(), startLine: z.number().int(), endLine: z.number().int() })),
    }),
  ),
  /** Rules with an expression that the guest's engine does not take. */
  refused: z.array(z.string()).optional(),
});

const ENVIRONMENT = {
  /** The engine descends a tree by recursion; its threads' default stack ends at a sum of some thousand parts. */
  RUST_MIN_STACK: String(256 * 1024 * 1024),
  /** An arena of glibc for every thread grows by a page or two a time: thousands of calls that the sandbox makes dear. */
  MALLOC_ARENA_MAX: '1',
  MALLOC_TOP_PAD_: String(32 * 1024 * 1024),
};
const CONFIG = `${FOLDER.config}/sgconfig.yml`;
const DOCKERFILE_RULES = `${FOLDER.config}/dockerfile-rules.json`;
/** The comment that carries the canary's token has another node kind in Java. */
const commentKind = (language: Language): string => (language === 'java' ? 'line_comment' : 'comment');

/** ast-grep with the rule pack, and our own reader of the pack's Dockerfile rules, which the engine has no grammar for. */
export function createAstGrep(pack: RulePack): Scanner {
  const languages = [...new Set(pack.rules.flatMap(rule => rule.languages))];
  const rules = new Map(pack.rules.map(rule => [rule.id, rule]));
  return {
    name: 'ast-grep',
    languages,
    lineStyle: 'git',
    columns: 'utf16',
    plan: context =>
      planAstGrep(
        context,
        pack,
        languages.filter(language => context.languages.has(language)),
      ),
    parse: results => parseAstGrep(results, rules),
  };
}

function planAstGrep(context: ScanContext, pack: RulePack, present: readonly Language[]): ScanPlan {
  const syntax = present.filter(language => language !== 'dockerfile');
  const steps: StepPlan[] = [];
  const files: { path: string; content: Buffer }[] = [];
  if (syntax.length > 0) {
    steps.push({ name: 'ast-grep', argv: engineArgv(syntax), env: ENVIRONMENT });
    files.push({ path: CONFIG, content: Buffer.from('ruleDirs: [rules]\nutilDirs: [utilities]\n') });
  }
  if (present.includes('dockerfile')) {
    const folder = inJob(`${FOLDER.shared}/dockerfile`);
    const rules = pack.rules.filter(rule => rule.dockerfile !== undefined);
    steps.push({
      name: 'ast-grep-dockerfile',
      argv: [GUEST, 'dockerfile', inJob(DOCKERFILE_RULES), folder],
    });
    const matchers = rules.map(({ id, dockerfile }) => ({ id, rule: dockerfile }));
    const canary = { id: context.canaryToken, rule: { instruction: 'LABEL', matches: `^${context.canaryToken}=` } };
    files.push({ path: DOCKERFILE_RULES, content: Buffer.from(JSON.stringify([...matchers, canary])) });
  }
  const canaries = present.map(language => languageCanary(context, language));
  if (syntax.length === 0) return { steps, canaries, files };
  return { steps, canaries, files, late: planRuleFiles(context, pack, syntax) };
}

/** The rules go after the files, since those decide which of them can find anything. */
function planRuleFiles(context: ScanContext, pack: RulePack, languages: readonly Language[]): LateFiles {
  const choice = createRuleChoice(pack, languages);
  return {
    see: ({ path, content }) => {
      const [folder, language] = path.split('/', 2);
      if (folder === FOLDER.shared || folder === FOLDER.blanked) choice.see(language as Language, content);
    },
    files: () => {
      const canaryRules = languages.map(language => canaryRule(context, language));
      const { rules, utilities } = renderForEngine([...choice.chosen(), ...canaryRules], languages);
      return [
        { path: `${FOLDER.config}/rules/rules.yml`, content: Buffer.from(rules) },
        { path: `${FOLDER.config}/utilities/.keep`, content: Buffer.alloc(0) },
        ...utilities.map((text, index) => ({
          path: `${FOLDER.config}/utilities/${index}.yml`,
          content: Buffer.from(text),
        })),
      ];
    },
  };
}

function engineArgv(languages: readonly Language[]): string[] {
  const folders = languages.flatMap(language => [`${FOLDER.shared}/${language}`, `${FOLDER.blanked}/${language}`]);
  // Files are named one by one on stderr, which shows those left out.
  const options = ['--json=stream', '--inspect', 'entity', '--no-ignore', 'hidden', '--no-ignore', 'vcs'];
  return ['/opt/tools/bin/ast-grep', 'scan', '-c', inJob(CONFIG), ...options, ...folders.map(inJob)];
}

function canaryRule(context: ScanContext, language: Language): PackRule {
  const { canaryToken: id } = context;
  const document = { id, message: id, rule: { kind: commentKind(language), regex: id } };
  const engine = toEngineDocuments(document, [language]);
  const metadata = { title: id, cwe: ['CWE-0'], severity: 'info' as const, confidence: 0, advice: id };
  return { id, place: 'canary', languages: [language], message: id, metadata, engine };
}

function parseAstGrep(results: ReadonlyMap<string, StepResult>, rules: ReadonlyMap<string, PackRule>): ParsedScan {
  const parts = [
    ...(results.has('ast-grep') ? [parseEngine(results.get('ast-grep'), rules)] : []),
    ...(results.has('ast-grep-dockerfile') ? [parseDockerfile(results.get('ast-grep-dockerfile'), rules)] : []),
  ];
  if (parts.length === 0) return failedScan('the sandbox brought back no result');
  const failures = parts.flatMap(part => part.failure ?? []);
  return {
    findings: parts.flatMap(part => part.findings),
    examined: new Set(parts.flatMap(part => [...(part.examined ?? [])])),
    partial: new Map(parts.flatMap(part => [...part.partial])),
    ...(failures.length === 0 ? {} : { failure: failures.join('; ') }),
  };
}

function parseEngine(result: StepResult | undefined, rules: ReadonlyMap<string, PackRule>): ParsedScan {
  const failure = stepFailure(result, [0]);
  if (result === undefined || (failure !== undefined && !result.truncated)) return failedScan(failure ?? 'no result');
  const findings: ToolFinding[] = [];
  let rubbish: string | undefined = failure;
  for (const line of result.stdout.toString('utf8').split('\n')) {
    if (line.trim() === '') continue;
    const match = Match.safeParse(toJson(line), { jitless: result.stdout.length < SHORT_REPORT_BYTES });
    if (match.success) findings.push(toFinding(match.data, rules));
    else rubbish ??= `printed a line that is no match: ${JSON.stringify(line.slice(0, 80))}`;
  }
  const examined = new Set<string>();
  for (const line of result.stderr.toString('utf8').split('\n')) {
    const file = /^sg: entity\|file\|(.+): language=\w+,appliedRuleCount=\d+/.exec(line)?.[1];
    if (file !== undefined) examined.add(toJobPath(file));
  }
  return { findings, examined, partial: new Map(), ...(rubbish === undefined ? {} : { failure: rubbish }) };
}

function parseDockerfile(result: StepResult | undefined, rules: ReadonlyMap<string, PackRule>): ParsedScan {
  const failure = stepFailure(result, [0]);
  if (result === undefined || failure !== undefined) return failedScan(`Dockerfile rules: ${failure ?? 'no result'}`);
  const report = readReport(DockerfileReport, result.stdout);
  if ('failure' in report) return failedScan(`Dockerfile rules: ${report.failure}`);
  const findings = report.value.files.flatMap(({ file, matches }) =>
    matches.map(match => ({ ...factsOf(match.ruleId, rules.get(match.ruleId)), ...match, jobPath: toJobPath(file) })),
  );
  const partial = new Map(
    report.value.files.flatMap(({ file, error }) => (error === undefined ? [] : [[toJobPath(file), error] as const])),
  );
  const examined = new Set(report.value.files.map(({ file }) => toJobPath(file)).filter(path => !partial.has(path)));
  const { refused = [] } = report.value;
  if (refused.length === 0) return { findings, examined, partial };
  return {
    findings,
    examined,
    partial,
    failure: shorten(`Dockerfile rules that cannot be used: ${refused.join('; ')}`),
  };
}

function toFinding(match: z.infer<typeof Match>, rules: ReadonlyMap<string, PackRule>): ToolFinding {
  const [ruleId = ''] = match.ruleId.split(LANGUAGE_MARK);
  const { start, end } = match.range;
  const replacement = replacementOf(match);
  return {
    ...factsOf(ruleId, rules.get(ruleId)),
    message: match.message,
    jobPath: toJobPath(match.file),
    startLine: start.line + 1,
    // A match that ends with the line feed covers no character of the next line.
    endLine: end.column === 0 && end.line > start.line ? end.line : end.line + 1,
    startColumn: start.column + 1,
    ...(end.column === 0 ? {} : { endColumn: end.column + 1 }),
    ...(replacement === undefined ? {} : { replacement }),
  };
}

/** The rewrite of the match itself; one that reaches further than the match is left out. */
function replacementOf({ replacement, replacementOffsets, range }: z.infer<typeof Match>): string | undefined {
  const isExact =
    replacementOffsets?.start === range.byteOffset.start && replacementOffsets.end === range.byteOffset.end;
  return isExact ? (replacement ?? undefined) : undefined;
}

function factsOf(ruleId: string, rule: PackRule | undefined): Omit<ToolFinding, 'jobPath' | 'startLine' | 'endLine'> {
  if (rule === undefined) return { ruleId, title: ruleId, message: ruleId, severity: 'info', confidence: 0, cwe: [] };
  const { title, severity, confidence, cwe, advice, paths, not_paths: notPaths } = rule.metadata;
  const help = rule.note === undefined ? advice : `${advice} ${rule.note}`;
  return {
    ruleId,
    title,
    message: rule.message,
    severity,
    confidence,
    cwe,
    help,
    ...(paths === undefined ? {} : { paths }),
    ...(notPaths === undefined ? {} : { notPaths }),
  };
}

function toJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
