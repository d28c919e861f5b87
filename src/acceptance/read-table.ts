import type { Table, TableRow } from 'mdast';
import { isAcceptanceHeading } from './headings.ts';
import { listCodeSpans, toText } from './markdown.ts';

export interface ReadRow {
  readonly text: string;
  readonly codeSpans: readonly string[];
}

/** True when a column's head says that the table holds acceptance criteria. */
export const isAcceptanceTable = (table: Table): boolean => headsOf(table).some(isAcceptanceHeading);

/**
 * One statement a row. The columns of identifiers, statements and Gherkin steps are found by their heads; where none of
 * these is there, the cells are joined. Columns of status, owner and the like say nothing of what is asked for.
 */
export function readTable(table: Table): ReadRow[] {
  const heads = headsOf(table).map(head => head.toLowerCase());
  const statement = heads.findIndex(head => STATEMENT.test(head));
  const steps = [heads.indexOf('given'), heads.indexOf('when'), heads.indexOf('then')];
  const id = heads.findIndex(head => IDENTIFIER.test(head));
  return table.children.slice(1, 1 + MAX_ROWS).flatMap(row => {
    const cells = row.children.map(cell => toText(cell).replace(/\s+/g, ' ').trim());
    const lead = id >= 0 && id !== statement && cells[id] ? `${cells[id]}: ` : '';
    const text = toStatement(cells, heads, statement, steps, id);
    return text === '' ? [] : [{ text: lead + text, codeSpans: codeSpansOf(row) }];
  });
}

const MAX_ROWS = 100;
const STATEMENT =
  /criteri|critère|критери|kriteri|requirement|description|expected|statement|condition|acceptance|standard|标准|標準|条件|條件|基準|기준|조건/;
const IDENTIFIER = /^(?:id|#|no\.?|nr\.?|key|ref|ac|number)$/;
const ASIDE = /^(?:status|done|owner|priority|notes?|comments?|state|assignee|estimate|test|tests|✓|✅)$/;

function toStatement(
  cells: readonly string[],
  heads: readonly string[],
  statement: number,
  steps: readonly number[],
  id: number,
): string {
  const [given = -1, when = -1, then = -1] = steps;
  if (when >= 0 && then >= 0) {
    const said = [
      ['Given', given],
      ['When', when],
      ['Then', then],
    ] as const;
    return said.flatMap(([word, at]) => (cells[at] ? [`${word} ${cells[at]}`] : [])).join('; ');
  }
  if (statement >= 0) return cells[statement] ?? '';
  return cells.filter((cell, at) => cell !== '' && at !== id && !ASIDE.test(heads[at] ?? '')).join(' | ');
}

const headsOf = (table: Table): string[] => (table.children[0]?.children ?? []).map(cell => toText(cell).trim());

const codeSpansOf = (row: TableRow): string[] => row.children.flatMap(cell => listCodeSpans(cell));
