import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from './commands/context.ts';
import { CypherFixError, EXIT, toExitStatus, toMessage } from './core/errors.ts';
import { TOOL } from './core/version.ts';
import { createLog } from './runner/log.ts';

/** Commands by name; each is a chunk of its own, loaded only when called. */
const COMMANDS: Record<string, { readonly help: string; readonly load: () => Promise<{ run: Command }> }> = {
  review: {
    help: 'review a local change or tree and print the report',
    load: () => import('./commands/review.ts'),
  },
  triage: {
    help: 'rank findings of a file or of the graph, and say what to fix first',
    load: () => import('./commands/triage.ts'),
  },
  doctor: { help: 'check what this machine has and say how to mend it', load: () => import('./commands/doctor.ts') },
  schema: {
    help: 'print the JSON Schema of .cypherfix.yml, or of the report with --report',
    load: () => import('./commands/schema.ts'),
  },
  resolve: { help: 'step 1 of the action: decide what to do', load: () => import('./commands/resolve.ts') },
  prepare: { help: 'step 2 of the action: make the sandbox ready', load: () => import('./commands/prepare.ts') },
  analyze: { help: 'step 3 of the action: examine the change', load: () => import('./commands/analyze.ts') },
  publish: { help: 'step 4 of the action: publish the report', load: () => import('./commands/publish.ts') },
  cleanup: { help: 'step 5 of the action: leave nothing behind', load: () => import('./commands/cleanup.ts') },
};

const controller = new AbortController();

/** Everything is written by then; what is still open has no one who waits for it. */
const LINGER_MS = 1_000;

/** The bundle lies in dist/, the sources in src/: both one folder below the action's root. */
const actionPath = resolve(dirname(fileURLToPath(import.meta.url)), '..');

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(renderHelp());
    return name === undefined ? EXIT.usage : EXIT.passed;
  }
  if (name === '--version') {
    process.stdout.write(`${TOOL.version}\n`);
    return EXIT.passed;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    throw new CypherFixError('usage', `unknown command '${name}'`, { hint: 'see --help for the commands' });
  }
  const { run } = await command.load();
  return run(rest, {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: controller.signal,
    actionPath,
    log: createLog(process.stderr, process.env),
  });
}

function renderHelp(): string {
  const rows = Object.entries(COMMANDS).map(([name, { help }]) => `  ${name.padEnd(9)} ${help}`);
  return [
    `${TOOL.name} ${TOOL.version}: reviews a change with scanners inside a gVisor sandbox`,
    '',
    'usage: node dist/index.js <command> [options]   (<command> --help lists the options)',
    '',
    ...rows,
    '',
    'exit status: 0 gate passed, 1 gate tripped, 2 incomplete, 64 usage, 69 something is missing, 70 internal, 130 interrupted',
    '',
  ].join('\n');
}

function report(error: unknown): number {
  const log = createLog(process.stderr, process.env);
  if (controller.signal.aborted) {
    log.error('interrupted');
    return EXIT.interrupted;
  }
  log.error(error instanceof CypherFixError ? error.message : `internal error: ${toMessage(error)}`);
  if (error instanceof CypherFixError && error.hint !== undefined) log.info(`  → ${error.hint}`);
  if (!(error instanceof CypherFixError) && error instanceof Error && process.env['CYPHERFIX_DEBUG'] === '1') {
    log.info(error.stack ?? '');
  }
  return toExitStatus(error);
}

/** The runner sends SIGINT, then SIGTERM 7.5 s later; a second signal ends the process at once. */
function onSignal(): void {
  if (controller.signal.aborted) process.exit(EXIT.interrupted);
  controller.abort();
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// A reader that goes away (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.passed);
});

process.exitCode = await main(process.argv.slice(2)).catch(report);
// A driver that gave a silent server up may leave its socket open, for which the process would wait for ever.
setTimeout(() => process.exit(), LINGER_MS).unref();
