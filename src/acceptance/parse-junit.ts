import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { toMessage } from '../core/errors.ts';
import { ResultList, type TestReport, type TestStatus } from './test-result.ts';

/**
 * The test cases of a JUnit file in any of its dialects. Entities beyond XML's own five are never defined, a document type
 * ends the reading; what stood before a fault in the file counts, and the report is incomplete.
 */
export function parseJunit(text: string): TestReport {
  const list = new ResultList();
  const reader = new JunitReader(list);
  const parser = new SaxesParser();
  parser.on('doctype', () => {
    throw new Error('it has a document type');
  });
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', tag => reader.open(tag));
  parser.on('closetag', tag => reader.close(tag));
  try {
    parser.write(text.replace(/^\uFEFF/, '')).close();
  } catch (error) {
    return list.finish(`a JUnit file cannot be read to its end: ${toMessage(error).slice(0, 200)}`);
  }
  return list.finish(reader.seenRoot ? null : 'a JUnit file holds no test suite');
}

interface Case {
  readonly suites: readonly string[];
  readonly name: string;
  readonly file: string;
  status: TestStatus;
}

const MAX_DEPTH = 64;

class JunitReader {
  seenRoot = false;
  readonly #list: ResultList;
  readonly #suites: string[] = [];
  #case: Case | null = null;
  #depth = 0;

  constructor(list: ResultList) {
    this.#list = list;
  }

  open({ name, attributes }: SaxesTagPlain): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) throw new Error(`elements stand in each other more than ${MAX_DEPTH} deep`);
    if (name === 'testsuites' || name === 'testsuite') this.seenRoot = true;
    if (name === 'testsuite') this.#suites.push(attributes['name'] ?? '');
    else if (name === 'testcase' && this.#case === null) this.#case = toCase(this.#suites, attributes);
    else if (this.#case !== null) this.#case.status = worse(this.#case.status, STATUS_OF_CHILD[name]);
  }

  close({ name }: SaxesTagPlain): void {
    this.#depth--;
    if (name === 'testsuite') this.#suites.pop();
    if (name !== 'testcase' || this.#case === null) return;
    const { suites, name: title, status, file } = this.#case;
    this.#list.add(suites, title, status, file);
    this.#case = null;
  }
}

const STATUS_OF_CHILD: Readonly<Record<string, TestStatus>> = { failure: 'failed', error: 'error', skipped: 'skipped' };

/** A skipped test that failed (node's `todo`, pytest's xfail) is one that nobody expects to pass. */
function worse(status: TestStatus, child: TestStatus | undefined): TestStatus {
  if (child === undefined || status === 'skipped') return status;
  if (child === 'skipped') return 'skipped';
  return status === 'error' ? status : child;
}

function toCase(suites: readonly string[], attributes: Readonly<Record<string, string>>): Case {
  const { name = '', classname = '', file = '', status = '', result = '' } = attributes;
  const isNotRun = /^(?:notrun|disabled|skipped|suppressed)$/i.test(status) || /^(?:suppressed|skipped)$/i.test(result);
  const own = suites.filter(suite => suite !== '' && suite !== classname);
  return { suites: [...own, classname], name, file, status: isNotRun ? 'skipped' : 'passed' };
}
