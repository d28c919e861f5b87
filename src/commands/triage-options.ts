import { parseArguments, refuseUsage } from './parse-arguments.ts';

export type TriageFormat = 'text' | 'json';

export type TriageTask =
  /** Scores the findings of a file by the facts of another. */
  | { readonly kind: 'file'; readonly findings: string; readonly facts: string | null }
  /** One run against the graph; `findings` is a report of the whole tree whose findings join it. */
  | {
      readonly kind: 'graph';
      readonly uri: string;
      readonly database: string;
      readonly findings: string | null;
      readonly repository: string | null;
      readonly ai: boolean;
    }
  /** Makes constraints and indexes. */
  | { readonly kind: 'init'; readonly uri: string; readonly database: string };

export interface TriageOptions {
  readonly task: TriageTask;
  readonly format: TriageFormat;
  /** Policy file; null is .cypherfix.yml in the current folder, if there is one. */
  readonly config: string | null;
}

export const TRIAGE_HELP = `usage: triage --findings FILE [--facts FILE] [--format FORMAT]
       triage --neo4j URI [--database NAME] [--findings REPORT] [options]
       triage --neo4j URI [--database NAME] --init

Scores findings by the model of the action, groups those that one fix removes, and says what to fix first.

  --findings FILE    one of our reports (review --format json), a JSON array of finding rows, or JSON Lines of them;
                     with --neo4j a report of the whole tree: its findings are opened, refreshed or closed in the graph
  --facts FILE       what is known around them: live_hosts, sensitive_hosts, port_hosts, package_exposure,
                     detector_labels, cve_intel … (without it nothing is known)
  --neo4j URI        run against this graph: neo4j://, neo4j+s://, bolt:// or bolt+s://host:port; user and password
                     come from NEO4J_USER and NEO4J_PASSWORD alone; triage.project and triage.user of the policy name
                     whose findings
  --database NAME    the database (default: the user's home database)
  --repository NAME  owner/name that the report of --findings is of, where it does not say so
  --init             make the constraints and indexes of the graph, and nothing else
  --ai               let a model review the evidence and word the fixes: parts of the findings go to its provider,
                     secrets masked; keys as for review --ai, the model is triage_model of the policy
  --format FORMAT    text, json (default: text)
  --config FILE      read the policy from this file (default: .cypherfix.yml in the current folder, if it is there)
  --help             this text

exit status: 0 done, 2 something could not be written, 64 usage, 69 something is missing or another run is at work,
70 internal error, 130 stopped before anything was written
`;

const OPTIONS = {
  findings: { type: 'string' },
  facts: { type: 'string' },
  neo4j: { type: 'string' },
  database: { type: 'string' },
  repository: { type: 'string' },
  init: { type: 'boolean' },
  ai: { type: 'boolean' },
  format: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Parses the arguments; null asks for the help. Throws CypherFixError('usage') that says what does not go together. */
export function parseTriageOptions(argv: readonly string[]): TriageOptions | null {
  const values = parseArguments('triage', argv, OPTIONS);
  if (values.help === true) return null;
  const format = (values.format ?? 'text').toLowerCase();
  if (format !== 'text' && format !== 'json') throw refuse(`--format '${values.format}' is none of text, json`);
  return { task: toTask(values), format, config: values.config ?? null };
}

type Values = ReturnType<typeof parseArguments<typeof OPTIONS>>;

function toTask(values: Values): TriageTask {
  const { neo4j: uri, database = '', findings } = values;
  if (uri === undefined) {
    for (const name of ['database', 'repository', 'init', 'ai'] as const) {
      if (values[name] !== undefined) throw refuse(`--${name} needs --neo4j`);
    }
    if (findings === undefined) throw refuse('--findings or --neo4j is missing: what is to be ranked?');
    return { kind: 'file', findings, facts: values.facts ?? null };
  }
  if (values.facts !== undefined) throw refuse('--facts and --neo4j do not go together: the facts come from the graph');
  if (values.init === true) {
    for (const name of ['findings', 'repository', 'ai'] as const) {
      if (values[name] !== undefined) throw refuse(`--init and --${name} do not go together`);
    }
    return { kind: 'init', uri, database };
  }
  if (values.repository !== undefined && findings === undefined) throw refuse('--repository needs --findings');
  if (values.repository !== undefined && !/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(values.repository)) {
    throw refuse('--repository: expected owner/name');
  }
  return {
    kind: 'graph',
    uri,
    database,
    findings: findings ?? null,
    repository: values.repository ?? null,
    ai: values.ai === true,
  };
}

const refuse = (message: string) => refuseUsage('triage', message);
