import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { CypherFixError, EXIT, toMessage } from '../core/errors.ts';
import { type Check, examineSandbox } from '../sandbox/examine.ts';
import type { CommandContext } from './context.ts';
import { takeGraphAccess } from './graph-access.ts';
import { toSandboxOptions } from './sandbox-options.ts';

const HELP = `usage: doctor [--format text|json]

Checks Node, git, the Docker Engine, its gVisor runtime, the sandbox images, and runs one job in the sandbox; and Neo4j
where NEO4J_URI (with NEO4J_USER, NEO4J_PASSWORD, NEO4J_DATABASE) names one. One line a check: ok, warn or fail, and after
an arrow what mends it.

  --format FORMAT  text (default) or json: {"ok", "checks": [{"status", "what", "fix"?}]}
  --help           this text

exit status: 0 all that is needed is there, 64 usage, 69 something is missing
`;

const OLDEST_NODE: Version = [20, 19];
/** The first git whose `merge-tree` and `--end-of-options` are as we use them. */
const OLDEST_GIT: Version = [2, 30];

type Version = readonly [major: number, minor: number];

/** Prints what this machine has and lacks; resolves with 69 when a check failed. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const options = parseOptions(argv);
  if (options.help) {
    context.stdout.write(HELP);
    return EXIT.passed;
  }
  const graph = takeGraphAccess(context.env);
  const checks = [
    checkNode(process.versions.node),
    await checkGit(),
    ...(await examineSandbox(toSandboxOptions(context))),
    ...(graph === null ? [] : [await (await import('./check-graph.ts')).checkGraph(graph, context.signal)]),
  ];
  context.stdout.write(options.format === 'json' ? renderJson(checks) : renderText(checks));
  return isGood(checks) ? EXIT.passed : EXIT.missing;
}

export function renderText(checks: readonly Check[]): string {
  return checks
    .map(({ status, what, fix }) => `${status.padEnd(4)}  ${what}${fix === undefined ? '' : `  → ${fix}`}\n`)
    .join('');
}

export function checkNode(version: string): Check {
  return isAtLeast(version, OLDEST_NODE)
    ? { status: 'ok', what: `Node ${version}` }
    : { status: 'fail', what: `Node ${version} is too old`, fix: `install Node ${OLDEST_NODE.join('.')} or later` };
}

export function toGitCheck(output: string): Check {
  const version = /^git version (\d+\.\d+\S*)/.exec(output)?.[1];
  if (version === undefined) return { status: 'fail', what: 'git does not tell its version', fix: 'install git' };
  return isAtLeast(version, OLDEST_GIT)
    ? { status: 'ok', what: `git ${version}` }
    : { status: 'fail', what: `git ${version} is too old`, fix: `install git ${OLDEST_GIT.join('.')} or later` };
}

async function checkGit(): Promise<Check> {
  try {
    return toGitCheck((await promisify(execFile)('git', ['--version'], { timeout: 5000 })).stdout);
  } catch (error) {
    return { status: 'fail', what: `git cannot be run: ${toMessage(error)}`, fix: 'install git' };
  }
}

function renderJson(checks: readonly Check[]): string {
  return `${JSON.stringify({ ok: isGood(checks), checks }, null, 2)}\n`;
}

function isGood(checks: readonly Check[]): boolean {
  return checks.every(check => check.status !== 'fail');
}

function isAtLeast(version: string, [major, minor]: Version): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function parseOptions(argv: readonly string[]): { help: boolean; format: 'text' | 'json' } {
  let values: { help?: boolean; format?: string };
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: { help: { type: 'boolean' }, format: { type: 'string' } },
      strict: true,
    }));
  } catch (error) {
    throw new CypherFixError('usage', `doctor: ${toMessage(error)}`, { hint: 'doctor --help' });
  }
  const format = values.format ?? 'text';
  if (format !== 'text' && format !== 'json') {
    throw new CypherFixError('usage', `doctor: --format is text or json, not '${format}'`, { hint: 'doctor --help' });
  }
  return { help: values.help === true, format };
}
