// `npm run eval`: the cases of test/data/eval through the reviewers. Figures as one JSON object on standard output, a table
// on standard error. Exit status: 0 counted, 2 a review did not finish, 64 usage, 69 no key, 70 the recording does not fit.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { modelsOf, takeLocalAccess, toLocalAiSetup, toSecretRegistry } from '../../src/commands/model-access.ts';
import { CypherFixError, EXIT, toExitStatus, toMessage } from '../../src/core/errors.ts';
import { findPrices } from '../../src/model/prices.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import type { Policy } from '../../src/policy/schema.ts';
import { readCases } from './cases.ts';
import { type Evaluating, evaluateLive, evaluateRecorded } from './evaluate.ts';
import { readRecordedReviews, writeRecordedReviews } from './recorded-reviews.ts';
import { type Reviewed, score } from './score.ts';
import { renderTable } from './table.ts';

const CASES = new URL('../data/eval', import.meta.url).pathname;
const DEFAULTS = 'ai: { budget_usd: 0.50, timeout_min: 10 }\n';
const USAGE = 'eval [--case NAME]… [--config POLICY] [--record FILE | --replay FILE]';
const NO_KEY = 'without a key, count a recording: npm run eval -- --replay FILE';

const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
process.exitCode = await main().catch((error: unknown) => {
  if (controller.signal.aborted) return EXIT.interrupted;
  process.stderr.write(`${toMessage(error)}\n`);
  if (error instanceof CypherFixError && error.hint !== undefined) process.stderr.write(`  → ${error.hint}\n`);
  return toExitStatus(error);
});

async function main(): Promise<number> {
  const { only, policy, record, replay } = readOptions(process.argv.slice(2));
  const evaluating = {
    cases: readCases(CASES, only),
    policy,
    prices: findPrices(modelsOf(policy), policy.ai.prices),
    searchPath: process.env['PATH'],
    signal: controller.signal,
    onReviewed: ({ case: name, variant, findings, failures }: Reviewed) => {
      const end = failures.length === 0 ? `${findings.length} findings` : 'not finished';
      process.stderr.write(`${name} (${variant}): ${end}\n`);
    },
  };
  const { reviews, answeredBy } =
    replay === null ? await runLive(evaluating, record) : await runRecorded(evaluating, replay);
  const result = score(evaluating.cases, reviews);
  process.stderr.write(`\n${renderTable(result, answeredBy)}`);
  process.stdout.write(`${JSON.stringify({ answeredBy, recorded: replay !== null, ...result })}\n`);
  return result.incomplete.length === 0 ? EXIT.passed : EXIT.incomplete;
}

async function runLive(evaluating: Evaluating, record: string | null) {
  const access = takeLocalAccess(process.env);
  const ai = await toLocalAiSetup(access, evaluating.policy, controller.signal).catch((error: unknown) => {
    if (!(error instanceof CypherFixError) || error.code !== 'missing') throw error;
    const hint = `${error.hint ?? ''}; ${NO_KEY}`;
    throw new CypherFixError('missing', error.message.replace('--ai', 'eval'), { hint });
  });
  if (ai.kind === 'none') throw new CypherFixError('missing', `eval: ${ai.reason}`, { hint: NO_KEY });
  const server =
    access.baseUrl === null
      ? "the provider's own server"
      : `${new URL(access.baseUrl).host} (MODEL_BASE_URL), whoever that is`;
  const answeredBy = `${modelsOf(evaluating.policy).join(' and ')} at ${server}`;
  const { reviews, recorded } = await evaluateLive(evaluating, ai.model, toSecretRegistry(access));
  if (record !== null) writeRecordedReviews(record, { version: 1, answeredBy, reviews: recorded });
  return { reviews, answeredBy };
}

async function runRecorded(evaluating: Evaluating, path: string) {
  const recorded = readRecordedReviews(path);
  return {
    reviews: await evaluateRecorded(evaluating, recorded),
    answeredBy: `a recording of ${recorded.answeredBy}`,
  };
}

function readOptions(argv: readonly string[]) {
  try {
    const string = { type: 'string' } as const;
    const options = {
      case: { type: 'string', multiple: true },
      config: string,
      record: string,
      replay: string,
    } as const;
    const { values } = parseArgs({ args: [...argv], options, strict: true });
    if (values.record !== undefined && values.replay !== undefined) {
      throw new Error('--record and --replay do not go together');
    }
    return {
      only: values.case ?? [],
      policy: readPolicy(values.config),
      record: toPath(values.record),
      replay: toPath(values.replay),
    };
  } catch (error) {
    if (error instanceof CypherFixError) throw error;
    throw new CypherFixError('usage', `eval: ${toMessage(error)}`, { hint: USAGE });
  }
}

function readPolicy(config: string | undefined): Policy {
  const path = toPath(config);
  return path === null ? parsePolicy(Buffer.from(DEFAULTS)) : parsePolicy(readFileSync(path), path);
}

/** npm runs scripts at the top of the project; a path is meant from where it was typed. */
function toPath(path: string | undefined): string | null {
  return path === undefined ? null : resolve(process.env['INIT_CWD'] ?? '.', path);
}
