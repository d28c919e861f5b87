import { toVisibleText } from '../core/untrusted.ts';
import { parseGoJson, parseGoVerbose } from './parse-go.ts';
import { parseJunit } from './parse-junit.ts';
import { parsePytest, parseUnittest } from './parse-python.ts';
import { parseSpec } from './parse-spec.ts';
import { parseTap } from './parse-tap.ts';
import { MAX_RESULTS, type TestReport, type TestResult } from './test-result.ts';

export interface TestOutput {
  /** Contents of the JUnit files that the policy names; they go before the output. */
  readonly junitFiles: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

export interface TestResults extends TestReport {
  /** Where they come from: `JUnit`, `TAP`, `spec`, `pytest -v` …; null when no form was recognised. */
  readonly source: string | null;
}

/** Named results of a test command, from its JUnit files, else from what it printed in the first form that is recognised. */
export function readTestResults({ junitFiles, stdout, stderr }: TestOutput): TestResults {
  if (junitFiles.length > 0) return { source: 'JUnit', ...joinReports(junitFiles.map(parseJunit)) };
  for (const text of [stdout, stderr]) {
    const lines = toLines(text);
    for (const [source, parse] of FORMS) {
      const report = parse(lines);
      if (report !== null) return { source, ...report };
    }
  }
  return { source: null, results: [], incomplete: null };
}

/** The stricter forms first: a tick may stand in any output. */
const FORMS = [
  ['go test -json', parseGoJson],
  ['TAP', parseTap],
  ['pytest -v', parsePytest],
  ['go test -v', parseGoVerbose],
  ['unittest -v', parseUnittest],
  ['spec', parseSpec],
] as const;

const MAX_LINE_CHARS = 4_000;
const MAX_LINES = 400_000;

const toLines = (text: string): string[] =>
  toVisibleText(text)
    .split('\n', MAX_LINES)
    .map(line => line.slice(0, MAX_LINE_CHARS));

function joinReports(reports: readonly TestReport[]): TestReport {
  const results: TestResult[] = [];
  for (const report of reports)
    for (const result of report.results) if (results.length < MAX_RESULTS) results.push(result);
  const total = reports.reduce((sum, report) => sum + report.results.length, 0);
  const overflow = total > MAX_RESULTS ? `there are more than ${MAX_RESULTS} results` : null;
  return { results, incomplete: overflow ?? reports.find(report => report.incomplete !== null)?.incomplete ?? null };
}
