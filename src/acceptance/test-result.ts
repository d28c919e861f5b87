export type TestStatus = 'passed' | 'failed' | 'skipped' | 'error';

/** One test as a report names it. All texts are untrusted. */
export interface TestResult {
  /** Names of what the test stands in, from the outside: file, package, class, suite. */
  readonly suites: readonly string[];
  readonly name: string;
  readonly status: TestStatus;
  /** Where the report says that it stands. */
  readonly file?: string;
}

export interface TestReport {
  readonly results: readonly TestResult[];
  /** Why tests may have run that are not among the results; null when the report came to its end. */
  readonly incomplete: string | null;
}

export const MAX_RESULTS = 20_000;
const MAX_NAME_CHARS = 500;
const MAX_SUITES = 12;

/** Collects results within bounds. */
export class ResultList {
  readonly #results: TestResult[] = [];
  #overflow = false;

  add(suites: readonly string[], name: string, status: TestStatus, file?: string): void {
    if (this.#results.length >= MAX_RESULTS) this.#overflow = true;
    else {
      const named = { suites: suites.slice(0, MAX_SUITES).map(toName).filter(Boolean), name: toName(name), status };
      this.#results.push(file === undefined || file === '' ? named : { ...named, file: toName(file) });
    }
  }

  finish(incomplete: string | null = null): TestReport {
    const reason = this.#overflow ? `there are more than ${MAX_RESULTS} results` : incomplete;
    return { results: this.#results, incomplete: reason };
  }
}

/** The test's whole name with what it stands in. */
export const toFullName = ({ suites, name }: TestResult): string => [...suites, name].join(' ');

const toName = (text: string): string => text.slice(0, MAX_NAME_CHARS).replace(/\s+/g, ' ').trim();
