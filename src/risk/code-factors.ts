import { type FindingClass, UNCLASSIFIED } from './data/class-table.ts';
import { CONFIDENCE_BY_SOURCE, CONFIDENCE_UNKNOWN_SOURCE } from './data/confidence-table.ts';
import { CODE_CONFIDENCE_BOUNDS, CODE_REACH, WEAKNESS_CLASSES } from './data/weakness-table.ts';
import type { Factor } from './factor.ts';
import { normaliseConfidence } from './grades.ts';
import { isTruthy, lower, strip, toList, toText } from './python-values.ts';
import { formatFixed } from './rounding.ts';
import type { FindingRow } from './row.ts';

/** The class of the gravest of the row's CWEs; unclassified where none is in the table. */
export function codeClassOf(row: FindingRow): FindingClass {
  let gravest: FindingClass | undefined;
  for (const id of toList(row.cwe_ids)) {
    const found = WEAKNESS_CLASSES.get(strip(toText(id)).toUpperCase());
    if (found !== undefined && (gravest === undefined || weightOf(found) > weightOf(gravest))) gravest = found;
  }
  return gravest ?? UNCLASSIFIED;
}

const weightOf = (found: FindingClass): number => found.prior * found.impact;

/**
 * C of a code finding: the confidence that its tools gave together (the merged finding's number holds the agreement of
 * independent tools already), else the table's value for the tool.
 */
export function codeConfidenceOf(row: FindingRow, source: string): Factor {
  const given = normaliseConfidence(row.confidence);
  const others = toList(row.tools)
    .map(lower)
    .filter(tool => tool !== source && tool !== '');
  const agreement = others.length === 0 ? '' : `; ${others.join(' and ')} ${others.length === 1 ? 'agrees' : 'agree'}`;
  const name = source === '' ? '(none)' : source;
  if (given === null) {
    const known = CONFIDENCE_BY_SOURCE.get(source);
    const evidence = known === undefined ? `unknown source ${name}: using the default` : `detected by ${name}`;
    return { value: known ?? CONFIDENCE_UNKNOWN_SOURCE, evidence: evidence + agreement };
  }
  const value = Math.min(CODE_CONFIDENCE_BOUNDS.max, Math.max(CODE_CONFIDENCE_BOUNDS.min, given));
  return { value, evidence: `reported by ${name} with confidence ${formatFixed(given, 2)}${agreement}` };
}

const PUBLIC_SECRET: Factor = { value: CODE_REACH.publicSecret, evidence: 'the repository is public' };
const TEST_PATH: Factor = { value: CODE_REACH.testPath, evidence: 'test code, which is not deployed' };
const EXAMPLE_PATH: Factor = { value: CODE_REACH.examplePath, evidence: 'example code, which is seldom deployed' };
const PUBLIC_CODE: Factor = { value: CODE_REACH.publicCode, evidence: 'the code is public, so anyone can study it' };

/** R by the place of the code, where that decides alone. */
export function codeReachOf(row: FindingRow): Factor | undefined {
  if (isTruthy(row.repository_public) && codeClassOf(row).name === 'credential') return PUBLIC_SECRET;
  if (row.path_kind === 'test') return TEST_PATH;
  return row.path_kind === 'example' ? EXAMPLE_PATH : undefined;
}

/** R of code of which no deployment is known. */
export const publicCodeOf = (row: FindingRow): Factor | undefined =>
  isTruthy(row.repository_public) ? PUBLIC_CODE : undefined;
