import { listScriptBlocks } from './script-blocks.ts';

/** Code taken out of a document so that every line keeps its number; undefined when the document holds none. */

const NOT_CODE =
  /\btype\s*=\s*["']?(?!module|text\/javascript|application\/javascript|text\/babel|text\/typescript|["'>\s])/i;

/** The script blocks of an HTML, Vue or Svelte file; all else becomes spaces, line ends stay. */
export function extractScriptBlocks(text: string): string | undefined {
  let out = '';
  let at = 0;
  for (const { attributes, start, end } of listScriptBlocks(text)) {
    const body = text.slice(start, end);
    if (NOT_CODE.test(attributes) || body.trim() === '') continue;
    out += blank(text.slice(at, start)) + body;
    at = end;
  }
  return out === '' ? undefined : out + blank(text.slice(at));
}

const blank = (text: string): string => text.replace(/[^\r\n]+/g, run => ' '.repeat(run.length));

interface Cell {
  cell_type?: unknown;
  source?: unknown;
}

/**
 * The code cells of a notebook, each source line on the line of the JSON file that holds it. Notebooks are written
 * with one string a line; where one is not, the lines cannot be kept and the reason is thrown.
 */
export function extractNotebook(json: string): string | undefined {
  const cells = codeCells(JSON.parse(json));
  if (cells.length === 0) return undefined;
  const rows = json.split('\n');
  const out: string[] = rows.map(() => '');
  let row = 0;
  for (const source of cells) {
    for (const line of source) {
      const text = line.replace(/\n$/, '');
      if (text.includes('\n')) throw new Error('a notebook whose source is not one string a line');
      while (row < rows.length && !holds(rows[row], line)) row++;
      if (row === rows.length) throw new Error('a notebook whose source is not one string a line');
      out[row++] = toPython(text);
    }
  }
  return out.join('\n');
}

function codeCells(notebook: unknown): string[][] {
  const cells = (notebook as { cells?: unknown } | null)?.cells;
  if (!Array.isArray(cells)) throw new Error('not a notebook: no list of cells');
  return (cells as Cell[])
    .filter(cell => cell?.cell_type === 'code')
    .map(cell => (Array.isArray(cell.source) ? cell.source.map(String) : [String(cell.source ?? '')]))
    .filter(source => source.some(line => line.trim() !== ''));
}

function holds(row: string | undefined, line: string): boolean {
  const token = row?.trim().replace(/,$/, '');
  if (!token?.endsWith('"')) return false;
  const start = token.startsWith('"') ? 0 : token.indexOf('"', token.indexOf(':'));
  try {
    return JSON.parse(token.slice(Math.max(start, 0))) === line;
  } catch {
    return false;
  }
}

/** IPython's `%magic` and `!command` lines are no Python. */
const toPython = (line: string): string => line.replace(/^(\s*)[%!?].*$/, '$1pass');
