import { parseArguments, refuseUsage } from './parse-arguments.ts';

export const FORMATS = ['text', 'json', 'markdown', 'sarif', 'html'] as const;
export type Format = (typeof FORMATS)[number];

/** Which files a local review takes. */
export type LocalTarget =
  | { readonly kind: 'commits'; readonly repo: string; readonly base: string; readonly head: string }
  | { readonly kind: 'working-tree'; readonly repo: string; readonly base: string }
  | { readonly kind: 'all'; readonly repo: string; readonly head: string; readonly base: string | null }
  | { readonly kind: 'folder'; readonly dir: string }
  /** What the recording of --replay is of. */
  | { readonly kind: 'recorded'; readonly repo: string };

export interface ReviewOptions {
  readonly target: LocalTarget;
  readonly format: Format;
  /** File for the result; null is standard output. */
  readonly output: string | null;
  /** Policy file instead of the one at the base. */
  readonly config: string | null;
  /** Whether models look at the change too. */
  readonly ai: boolean;
  /** File with the issue that the change is to settle. */
  readonly issue: string | null;
  /** File that the run is recorded in. */
  readonly record: string | null;
  /** Recording that takes the place of sandbox, models, clock and chance. */
  readonly replay: string | null;
}

export const REVIEW_HELP = `usage: review --repo DIR --base REF [--head REF] [options]
       review --repo DIR --base REF --working-tree [options]
       review --repo DIR --all [--head REF] [options]
       review --dir DIR --all [options]
       review --repo DIR --replay FILE [options]

Reviews a change of a local repository with the scanners in the sandbox; nothing is sent anywhere
unless --ai or NEO4J_URI asks for it.

  --repo DIR       the repository (default: the current folder)
  --base REF       what the change is compared with: a branch, a tag or a commit; also where .cypherfix.yml is read
  --head REF       the change's last commit (default: HEAD)
  --working-tree   take what is not committed yet, new files included
  --all            every tracked file instead of a change
  --dir DIR        a plain folder that is no repository; needs --all
  --format FORMAT  ${FORMATS.join(', ')} (default: text)
  --output FILE    write the result there instead of standard output
  --config FILE    read the policy from this file instead of the base
  --ai             let models review the change as well: the diff, and files they ask for, go to their provider; secrets
                   are masked. Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, or AWS_* for bedrock/…;
                   MODEL_BASE_URL for a server of your own; CYPHERFIX_MODEL_PATIENCE_S for less than the 60 s that a
                   silent server is waited for
  --issue FILE     compare the change with an issue: markdown whose first line is a heading, or JSON with number, title
                   and body; the tests of the policy (tests.command, acceptance.command) run in the sandbox, with --ai a
                   model judges what no test decides
  --record FILE    write down all that this run took from outside the repository: what the scanners printed, what models
                   were asked (a hash) and answered, times; secrets are masked
  --replay FILE    the same review again from such a file, on the same repository: no sandbox, no network, no key;
                   without --base it is of the commits that were recorded
  --help           this text

With NEO4J_URI (NEO4J_USER, NEO4J_PASSWORD, NEO4J_DATABASE) in the environment, and triage.project and triage.user in the
policy, findings are ranked by what the attack-surface graph knows, too; the remote origin tells which repository this is.
Nothing is written there.

exit status: 0 gate passed, 1 gate tripped, 2 something required could not be examined, 64 usage,
69 something is missing on this machine (see doctor), 70 internal error, 130 interrupted
`;

/** Parses the arguments; null asks for the help. Throws CypherFixError('usage') that says what does not go together. */
export function parseReviewOptions(argv: readonly string[]): ReviewOptions | null {
  const values = parseArguments('review', argv, OPTIONS);
  if (values.help === true) return null;
  const target = toTarget(values);
  if (values.ai === true && (target.kind === 'all' || target.kind === 'folder')) {
    throw refuse('--ai and --all do not go together: models review a change');
  }
  if (values.issue !== undefined && (target.kind === 'all' || target.kind === 'folder')) {
    throw refuse('--issue and --all do not go together: an issue is compared with a change');
  }
  const { output = null, config = null, issue = null, record = null, replay = null } = values;
  if (replay !== null && values.ai === true)
    throw refuse('--replay and --ai do not go together: the recording answers');
  if (replay !== null && issue !== null) throw refuse('--replay and --issue do not go together: the issue is recorded');
  if (replay !== null && record !== null) throw refuse('--replay and --record do not go together');
  if (record !== null && record === output) throw refuse('--record and --output name the same file');
  const format = toFormat(values.format ?? 'text');
  return { target, format, output, config, ai: values.ai === true, issue, record, replay };
}

const OPTIONS = {
  repo: { type: 'string' },
  base: { type: 'string' },
  head: { type: 'string' },
  dir: { type: 'string' },
  format: { type: 'string' },
  output: { type: 'string' },
  config: { type: 'string' },
  'working-tree': { type: 'boolean' },
  all: { type: 'boolean' },
  ai: { type: 'boolean' },
  issue: { type: 'string' },
  record: { type: 'string' },
  replay: { type: 'string' },
  help: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArguments<typeof OPTIONS>>;

function toTarget(values: Values): LocalTarget {
  if (values.dir !== undefined) return toFolder(values, values.dir);
  const repo = values.repo ?? '.';
  if (values.all === true) {
    if (values['working-tree'] === true) throw refuse('--all and --working-tree do not go together');
    return { kind: 'all', repo, head: values.head ?? 'HEAD', base: values.base ?? null };
  }
  const namesChange = values.base !== undefined || values.head !== undefined || values['working-tree'] === true;
  if (values.replay !== undefined && !namesChange) return { kind: 'recorded', repo };
  if (values.base === undefined) throw refuse('--base is missing: what is the change compared with?');
  if (values['working-tree'] !== true) return { kind: 'commits', repo, base: values.base, head: values.head ?? 'HEAD' };
  if (values.head !== undefined) throw refuse('--head and --working-tree do not go together');
  return { kind: 'working-tree', repo, base: values.base };
}

function toFolder(values: Values, dir: string): LocalTarget {
  if (values.all !== true) throw refuse('--dir needs --all: a plain folder has nothing to compare with');
  for (const name of ['repo', 'base', 'head', 'working-tree'] as const) {
    if (values[name] !== undefined) throw refuse(`--dir and --${name} do not go together`);
  }
  return { kind: 'folder', dir };
}

function toFormat(value: string): Format {
  const format = FORMATS.find(f => f === value.toLowerCase());
  if (format === undefined) throw refuse(`--format '${value}' is none of ${FORMATS.join(', ')}`);
  return format;
}

const refuse = (message: string) => refuseUsage('review', message);
