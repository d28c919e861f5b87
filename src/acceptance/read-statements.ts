import type { Code, Heading, Paragraph, RootContent } from 'mdast';
import type { Statement } from './criterion.ts';
import { isGherkinLine, isGherkinSentence, parseGherkin, type Scenario, toSentence } from './gherkin.ts';
import { isAcceptanceHeading, isExcludedHeading } from './headings.ts';
import { listCodeSpans, parseMarkdown, toText } from './markdown.ts';
import { listLines, type ReadItem, readList } from './read-list.ts';
import { isAcceptanceTable, readTable } from './read-table.ts';
import { parseIdentifier } from './test-identifier.ts';

/** What a markdown text states as criteria, in its order. */
export function readStatements(markdown: string): Statement[] {
  const reader = new StatementReader();
  reader.readAll(parseMarkdown(markdown).children, 0);
  return reader.finish();
}

/** A run of blocks under one heading of acceptance criteria. */
interface Section {
  /** Depth of the heading; 7 for a short line that serves as one. */
  readonly depth: number;
  readonly statements: Statement[];
  /** Prose, which counts only where there is nothing better. */
  readonly prose: Statement[];
}

const LINE_DEPTH = 7;
const MAX_DEPTH = 6;

class StatementReader {
  readonly #statements: Statement[] = [];
  #section: Section | null = null;
  #excludedDepth: number | null = null;
  /** Lines of paragraphs and headings that may make up one scenario. */
  #gherkinLines: string[] = [];

  readAll(blocks: readonly RootContent[], depth: number): void {
    for (const block of blocks) this.#read(block, depth);
    this.#flushGherkin();
  }

  finish(): Statement[] {
    this.#closeSection();
    return this.#statements;
  }

  #read(block: RootContent, depth: number): void {
    if (block.type === 'heading') this.#readHeading(block);
    else if (block.type === 'paragraph') this.#readParagraph(block);
    else if (block.type !== 'html') this.#readContainer(block, depth);
  }

  #readContainer(block: RootContent, depth: number): void {
    this.#flushGherkin();
    if (this.#excludedDepth !== null) return;
    if (block.type === 'list') this.#readList(block);
    else if (block.type === 'table') {
      if (this.#section !== null || isAcceptanceTable(block)) this.#addAll(readTable(block), 'section');
    } else if (block.type === 'code') this.#readFence(block);
    else if (block.type === 'blockquote' && depth < MAX_DEPTH) this.readAll(block.children, depth + 1);
  }

  #readHeading(heading: Heading): void {
    const text = toText(heading).trim();
    if (isGherkinLine(text)) {
      this.#gherkinLines.push(text);
      return;
    }
    this.#flushGherkin();
    if (this.#excludedDepth !== null && heading.depth <= this.#excludedDepth) this.#excludedDepth = null;
    if (this.#section !== null && heading.depth <= this.#section.depth) this.#closeSection();
    if (isAcceptanceHeading(text)) this.#openSection(heading.depth);
    else if (isExcludedHeading(text)) this.#excludedDepth = heading.depth;
  }

  #readParagraph(paragraph: Paragraph): void {
    const text = toText(paragraph).trim();
    const lines = text.split('\n').map(line => line.trim());
    if (this.#excludedDepth !== null) return;
    if (lines.some(isGherkinLine) && !isGherkinSentence(lines[0] ?? '')) {
      this.#gherkinLines.push(...lines);
      return;
    }
    this.#flushGherkin();
    const [first = '', ...rest] = lines;
    if (isAcceptanceHeading(first) && isHeadingLike(first, paragraph)) {
      this.#openSection(LINE_DEPTH);
      if (rest.join('').trim() !== '') this.#readProse(rest.join(' '), paragraph);
    } else this.#readProse(lines.join(' '), paragraph);
  }

  #readProse(text: string, paragraph: Paragraph): void {
    const statement = { text, codeSpans: listCodeSpans(paragraph) };
    if (/^given\b/i.test(text) && isGherkinSentence(text)) {
      this.#add({ ...statement, source: 'gherkin' });
    } else if (this.#section !== null) {
      // A short line above a list ends with the first paragraph after it.
      if (this.#section.depth === LINE_DEPTH && this.#section.statements.length > 0) this.#closeSection();
      else this.#section.prose.push({ ...statement, source: 'section' });
    }
  }

  #readList(list: RootContent & { type: 'list' }): void {
    const { scenarios, foreignLines } = parseGherkin(listLines(list));
    const isGherkin = scenarios.length > 0 && foreignLines === 0;
    if (isGherkin) this.#addScenarios(scenarios);
    for (const item of isGherkin ? [] : readList(list)) {
      if (this.#section === null && (!item.isTask || isFormality(item.text))) continue;
      this.#add({ text: item.text, codeSpans: item.codeSpans, source: sourceOf(item) });
    }
  }

  #readFence({ lang, value }: Code): void {
    const language = (lang ?? '').toLowerCase();
    const lines = value.split('\n', MAX_FENCE_LINES);
    const isNamed = /^(?:gherkin|feature|cucumber)$/.test(language);
    const first = lines.find(line => !/^\s*(?:#|@|$)/.test(line)) ?? '';
    if (isNamed || (PLAIN_LANGUAGES.has(language) && isGherkinLine(first))) {
      this.#addScenarios(parseGherkin(lines).scenarios);
    }
  }

  #flushGherkin(): void {
    if (this.#gherkinLines.length === 0) return;
    const { scenarios } = parseGherkin(this.#gherkinLines);
    this.#gherkinLines = [];
    // Outside a section, an action and what followed are how a fault is told.
    this.#addScenarios(scenarios.filter(s => this.#section !== null || s.title !== '' || startsWithGiven(s)));
  }

  #addScenarios(scenarios: readonly Scenario[]): void {
    for (const scenario of scenarios) {
      const id = parseIdentifier(scenario.tags.map(tag => tag.replace(/^@/, '')).join(' '));
      const statement = { text: toSentence(scenario), source: 'gherkin' as const, codeSpans: [] };
      this.#add(id === undefined ? statement : { ...statement, id });
    }
  }

  #addAll(rows: readonly Pick<Statement, 'text' | 'codeSpans'>[], source: 'section'): void {
    for (const row of rows) this.#add({ ...row, source });
  }

  #add(statement: Statement): void {
    (this.#section?.statements ?? this.#statements).push(statement);
  }

  #openSection(depth: number): void {
    // A heading of criteria within a section of criteria only divides it.
    if (this.#section === null) this.#section = { depth, statements: [], prose: [] };
  }

  #closeSection(): void {
    if (this.#section === null) return;
    const { statements, prose } = this.#section;
    this.#statements.push(...(statements.length > 0 ? statements : prose));
    this.#section = null;
  }
}

const MAX_FENCE_LINES = 500;
const PLAIN_LANGUAGES = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'md', 'markdown']);

const startsWithGiven = ({ steps }: Scenario): boolean =>
  !/^(?:when|wenn|quand|lorsque|cuando|quando)\b/i.test(steps[0] ?? '');

/** Bold as a whole, or with a colon at its end. */
function isHeadingLike(line: string, paragraph: Paragraph): boolean {
  if (/[:：]\s*$/.test(line)) return true;
  const [start] = paragraph.children;
  return start?.type === 'text' && /^\s*(?:\*\*|__)/.test(start.value);
}

/** What issue forms make the reporter confirm. */
const isFormality = (text: string): boolean =>
  /^I(?:'m|’m|'ve|’ve| have| am| agree| confirm| checked| searched| read| understand| would| will| can)\b|code of conduct/i.test(
    text,
  );

function sourceOf(item: ReadItem): Statement['source'] {
  if (isGherkinSentence(item.text)) return 'gherkin';
  return item.isTask ? 'checklist' : 'section';
}
