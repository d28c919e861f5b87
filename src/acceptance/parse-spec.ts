import { ResultList, type TestReport, type TestStatus } from './test-result.ts';

/** The spec output of node's test runner, and the like of it that mocha, jest and vitest print; null when the text is none. */
export function parseSpec(lines: readonly string[]): TestReport | null {
  if (!lines.some(line => TICK.test(line))) return null;
  const reader = new SpecReader();
  for (const line of lines) {
    if (/^ℹ tests \d|^\s*\d+ (?:passing|failing)\b|^✖ failing tests:|^Tests:\s+\d/.test(line))
      return reader.finish(true);
    reader.read(line);
  }
  return reader.finish(false);
}

interface Suite {
  readonly name: string;
  readonly indent: number;
  /** Node marks its suites and tells where they end; elsewhere they are plain lines. */
  readonly isMarked: boolean;
  hasFailure: boolean;
  results: number;
}

const TICK = /^\s*[✔✓√✖✗✕×] \S/;
const RESULT = /^(\s*)([✔✓√✖✗✕×﹣⚠○↓-]|\d+\)) (\S.*)$/;
/** Node writes its note behind the duration; what stands before it belongs to the name. */
const DURATION = /^(.*?) \(?[\d.]+ ?m?s\)?( # .*)?$/;
const STATUS_OF_SIGN: Readonly<Record<string, TestStatus>> = {
  '✔': 'passed',
  '✓': 'passed',
  '√': 'passed',
  '﹣': 'skipped',
  '-': 'skipped',
  '○': 'skipped',
  '↓': 'skipped',
  '⚠': 'skipped',
};
const MAX_SUITE_CHARS = 300;

class SpecReader {
  readonly #list = new ResultList();
  readonly #open: Suite[] = [];

  read(line: string): void {
    const [, space = '', sign, rest = ''] = RESULT.exec(line) ?? [];
    if (sign !== undefined) this.#readResult(space.length, sign, rest);
    else if (line.trim() !== '' && line.length <= MAX_SUITE_CHARS) this.#readSuite(line);
  }

  finish(hasSummary: boolean): TestReport {
    const isCut = !hasSummary && this.#open.some(suite => suite.isMarked);
    return this.#list.finish(isCut ? 'the output ends within a suite' : null);
  }

  #readSuite(line: string): void {
    const indent = line.length - line.trimStart().length;
    const marked = /^▶ (.*?)(?: \([\d.]+m?s\))?$/.exec(line.trim())?.[1];
    const name = marked ?? line.trim();
    while ((this.#open.at(-1)?.indent ?? -1) > indent) this.#open.pop();
    const same = this.#open.at(-1);
    if (same?.indent === indent) this.#open.pop();
    // Older versions of node repeat a suite's name where it ends.
    if (same?.indent === indent && same.isMarked && same.name === name && same.results > 0) return;
    this.#open.push({ name, indent, isMarked: marked !== undefined, hasFailure: false, results: 0 });
  }

  #readResult(indent: number, sign: string, rest: string): void {
    const [, name = rest, note = ''] = DURATION.exec(rest) ?? [];
    while ((this.#open.at(-1)?.indent ?? -1) > indent) this.#open.pop();
    const own = this.#open.at(-1)?.indent === indent ? this.#open.pop() : undefined;
    const status = /^ # TODO\b/.test(note) ? 'skipped' : (STATUS_OF_SIGN[sign] ?? 'failed');
    const isEnd = own?.isMarked === true && own.name === name && own.results > 0;
    for (const suite of this.#open) {
      suite.results++;
      if (status === 'failed') suite.hasFailure = true;
    }
    // A suite is the sum of its tests, unless it failed by itself.
    if (isEnd && (status !== 'failed' || own.hasFailure)) return;
    const suites = this.#open.map(suite => suite.name);
    this.#list.add(suites, name, status);
    // Lines of jest and mocha stand side by side below the same suite.
    if (own !== undefined && !own.isMarked && !isEnd) this.#open.push(own);
  }
}
