import type { Criterion, Evidence, JudgedCriterion } from './criterion.ts';
import type { TestLocator } from './locate-tests.ts';
import { toNameMatcher } from './test-identifier.ts';
import { type TestResult, toFullName } from './test-result.ts';

export interface TestEvidence {
  readonly results: readonly TestResult[];
  /** Why more tests may have been meant to run than came back; null when all did. */
  readonly incomplete: string | null;
  readonly locator: TestLocator;
  /** True when the change alters tests only. */
  readonly onlyTestsChanged: boolean;
}

/** Tests shown as evidence of one criterion. */
const MAX_SHOWN = 10;

/**
 * Judges the criterion by the tests that carry its identifier, or whose whole name one of its code spans is. Null when it
 * has no identifier and names no test, so that something else must judge it.
 */
export function judgeByTests(criterion: Criterion, evidence: TestEvidence): JudgedCriterion | null {
  const tests = findTests(criterion, evidence.results);
  if (tests === null) return null;
  const { id, results } = tests;
  const judged = { ...criterion, id };
  if (results.length === 0) {
    const reason = evidence.incomplete === null ? '' : `; ${evidence.incomplete}`;
    const text = `no test that ran carries ${id}${reason}`;
    return { ...judged, status: 'unclear', judgedBy: 'none', evidence: [{ path: '(test output)', text }] };
  }
  const places = results.map(result => ({ result, place: evidence.locator.locate(result) }));
  const shown = [...places].sort((a, b) => rank(a.result) - rank(b.result)).slice(0, MAX_SHOWN);
  const lines = shown.map(({ result, place: { isNew, ...place } }): Evidence => {
    return { ...place, text: `${toFullName(result)}: ${result.status}${isNew ? ' (new in this change)' : ''}` };
  });
  const isUnproved = evidence.onlyTestsChanged && places.every(({ place }) => place.isNew);
  const [status, why] = toStatus(results, evidence.incomplete, isUnproved);
  const notes = [why, results.length > MAX_SHOWN ? `${results.length - MAX_SHOWN} more tests` : ''].filter(Boolean);
  const noted = notes.map((text): Evidence => ({ path: lines[0]?.path ?? '(test output)', text }));
  return { ...judged, status, judgedBy: 'test', evidence: [...lines, ...noted] };
}

function toStatus(
  results: readonly TestResult[],
  incomplete: string | null,
  isUnproved: boolean,
): [JudgedCriterion['status'], string] {
  if (results.some(({ status }) => status === 'failed' || status === 'error')) return ['unmet', ''];
  if (results.some(({ status }) => status === 'skipped')) return ['unclear', 'not every test ran'];
  if (incomplete !== null) return ['unclear', `not every test may have run: ${incomplete}`];
  if (isUnproved) return ['unclear', 'the tests are new and the change alters nothing but tests'];
  return ['met', ''];
}

const RANK = { failed: 0, error: 0, skipped: 1, passed: 2 } as const;
const rank = ({ status }: TestResult): number => RANK[status];

function findTests(
  { id, codeSpans }: Criterion,
  results: readonly TestResult[],
): { id: string; results: readonly TestResult[] } | null {
  if (id !== undefined) {
    const carries = toNameMatcher(id);
    return { id, results: results.filter(result => carries(toFullName(result))) };
  }
  for (const span of codeSpans) {
    const named = results.filter(result => toWholeNames(result).has(span));
    if (named.length > 0) return { id: span, results: named };
  }
  return null;
}

/** The ways in which people write the whole name of a test. */
function toWholeNames({ suites, name }: TestResult): Set<string> {
  const path = [...suites, name];
  const plain = name.replace(/\[.*\]$/, '');
  const last = name.split(' > ').at(-1) ?? name;
  const joined = [' ', ' > ', '.', '::', '#', '/'].flatMap(sign => [
    path.join(sign),
    path.slice(-2).join(sign),
    `${[...suites, plain].join(sign)}`,
  ]);
  return new Set([name, plain, last, ...joined]);
}
