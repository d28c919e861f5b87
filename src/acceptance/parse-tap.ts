import { ResultList, type TestReport, type TestStatus } from './test-result.ts';

/** TAP 12 to 14, with subtests as node and tap write them; null when the text is none. */
export function parseTap(lines: readonly string[]): TestReport | null {
  if (!lines.some(line => /^TAP version \d+/.test(line)) && !lines.some(line => /^(?:not )?ok \d+/.test(line)))
    return null;
  const reader = new TapReader();
  for (const line of lines) reader.read(line);
  return reader.finish();
}

const RESULT = /^( *)(ok|not ok)\b(?: +(\d+))?(?: +-)?(?: (.*))?$/;
const INDENT = 4;

interface Subtest {
  readonly name: string;
  readonly depth: number;
  /** Own results, subtests of subtests not counted. */
  results: number;
  hasFailure: boolean;
}

class TapReader {
  readonly #list = new ResultList();
  readonly #open: Subtest[] = [];
  #hasSubtests = false;
  /** The last comment, which is a test's name in TAP of the old kind. */
  #comment = '';
  #block: string | null = null;
  #planned: number | null = null;
  #top = 0;
  #bailedOut = false;

  read(line: string): void {
    if (this.#block !== null) {
      if (line.trimEnd() === `${this.#block}...`) this.#block = null;
      return;
    }
    const indent = /^ */.exec(line)?.[0] ?? '';
    const text = line.slice(indent.length);
    if (/^---\s*$/.test(text)) this.#block = indent;
    else if (text.startsWith('#')) this.#readComment(text, Math.floor(indent.length / INDENT));
    else if (/^Bail out!/.test(text)) this.#bailedOut = true;
    else if (indent === '' && /^1\.\.\d+/.test(text)) this.#planned = Number(/\d+$|\d+(?=\s)/.exec(text.slice(3))?.[0]);
    else this.#readResult(line);
  }

  finish(): TestReport {
    if (this.#bailedOut) return this.#list.finish('the tests bailed out');
    if (this.#planned === null) return this.#list.finish('the TAP output ends before its plan');
    return this.#list.finish(
      this.#planned > this.#top ? `only ${this.#top} of ${this.#planned} planned tests came back` : null,
    );
  }

  #readComment(text: string, depth: number): void {
    const subtest = /^# Subtest: (.*)$/.exec(text)?.[1];
    if (subtest === undefined) {
      if (!this.#hasSubtests && depth === 0) this.#comment = text.replace(/^#\s*/, '');
      return;
    }
    this.#hasSubtests = true;
    while ((this.#open.at(-1)?.depth ?? -1) >= depth) this.#open.pop();
    this.#open.push({ name: toPlain(subtest), depth, results: 0, hasFailure: false });
  }

  #readResult(line: string): void {
    const [, indent = '', word, , rest = ''] = RESULT.exec(line) ?? [];
    if (word === undefined) return;
    const depth = Math.floor(indent.length / INDENT);
    if (depth === 0) this.#top++;
    while ((this.#open.at(-1)?.depth ?? -1) > depth) this.#open.pop();
    const own = this.#open.at(-1)?.depth === depth ? this.#open.pop() : undefined;
    const [, description = '', directive] = /^(.*?)(?:(?<!\\)#\s*(skip|todo)\b.*)?$/i.exec(rest) ?? [];
    const status = toStatus(word, directive);
    const parent = this.#open.at(-1);
    if (parent !== undefined) {
      parent.results++;
      if (status === 'failed') parent.hasFailure = true;
    }
    // A parent is the sum of its children, unless it failed by itself.
    if (own !== undefined && own.results > 0 && (status !== 'failed' || own.hasFailure)) return;
    const suites = this.#hasSubtests ? this.#open.map(subtest => subtest.name) : [this.#comment];
    this.#list.add(suites, toPlain(description) || own?.name || 'unnamed', status);
  }
}

function toStatus(word: string, directive: string | undefined): TestStatus {
  if (directive !== undefined) return 'skipped';
  return word === 'ok' ? 'passed' : 'failed';
}

const toPlain = (text: string): string => text.replace(/\\([#\\])/g, '$1').trim();
