import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

interface Run {
  tool: { driver: { rules?: unknown[] }; extensions?: unknown[] };
  results?: { locations?: unknown[]; message: { text?: string } }[];
}

/** Above the first number code scanning refuses a file; above the second it keeps the most severe. */
const MAX_RUNS = 20;
const MAX_RESULTS = 25_000;
const KEPT_RESULTS = 5_000;
const MAX_RULES = 25_000;
const MAX_EXTENSIONS = 100;
const MAX_LOCATIONS = 1_000;
const SHOWN_PROBLEMS = 10;

let validate: ValidateFunction | undefined;

/** What code scanning says of an uploaded document, and how many results it would keep. */
export function checkSarif(document: unknown): { errors: string[]; kept: number } {
  validate ??= compileSchema();
  if (!validate(document)) {
    const problems = (validate.errors ?? []).slice(0, SHOWN_PROBLEMS);
    return { errors: problems.map(error => `${error.instancePath || '/'} ${error.message ?? ''}`), kept: 0 };
  }
  const { runs } = document as { runs: Run[] };
  const errors = runs.length > MAX_RUNS ? [`more than ${MAX_RUNS} runs`] : [];
  let kept = 0;
  for (const run of runs) {
    const results = run.results ?? [];
    errors.push(...checkLimits(run));
    kept += Math.min(results.length, KEPT_RESULTS);
  }
  return { errors, kept: errors.length > 0 ? 0 : kept };
}

function checkLimits(run: Run): string[] {
  const results = run.results ?? [];
  const rules = run.tool.driver.rules ?? [];
  const extensions = run.tool.extensions ?? [];
  const counts: [string, number, number][] = [
    ['results', results.length, MAX_RESULTS],
    ['rules', rules.length, MAX_RULES],
    ['tool extensions', extensions.length, MAX_EXTENSIONS],
    ['locations in a result', Math.max(0, ...results.map(result => (result.locations ?? []).length)), MAX_LOCATIONS],
  ];
  const over = counts.filter(([, count, limit]) => count > limit);
  const withoutPlace = results.findIndex(result => (result.locations ?? []).length === 0);
  return [
    ...over.map(([what, count, limit]) => `${count} ${what}, at most ${limit} are allowed`),
    ...(withoutPlace < 0 ? [] : [`locationFromSarifResult: result ${withoutPlace}: expected at least one location`]),
  ];
}

function compileSchema(): ValidateFunction {
  const file = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  // The published schema is draft 04; what separates it from the draft that Ajv reads is the name of its own id.
  const { $schema, id, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  // The pattern of a language holds a bracket that only a pattern without the Unicode flag takes.
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, unicodeRegExp: false });
  (addFormats as unknown as (instance: Ajv) => void)(ajv);
  return ajv.compile(schema);
}
