/** Lines looked at before the given one, and lines that a statement may have. */
export const STATEMENT_REACH = 30;

/**
 * The whole Python statement that a line belongs to, as text: brackets that an earlier line opens are followed up to it,
 * then down to where all are closed. ruff marks a keyword within a call where bandit marks the call; the statement is the
 * same for both. Where lines are missing or no end is in reach, it is the line itself. Strings are read roughly, which
 * does no harm: both tools' lines are read alike.
 */
export function pythonStatementAt(lineAt: (line: number) => string | undefined, line: number): string | undefined {
  const own = lineAt(line);
  if (own === undefined) return undefined;
  const first = firstLineOf(lineAt, line);
  if (first === undefined) return own;
  const lines: string[] = [];
  let open = 0;
  for (let at = first; at < first + STATEMENT_REACH; at++) {
    const text = lineAt(at);
    if (text === undefined) return own;
    lines.push(text);
    for (const bracket of bracketsOf(text)) open += isOpening(bracket) ? 1 : -1;
    if (open <= 0 && at >= line) return lines.join('\n');
  }
  return own;
}

/** Undefined where the lines before are not at hand. */
function firstLineOf(lineAt: (line: number) => string | undefined, line: number): number | undefined {
  let first = line;
  let closed = 0;
  for (let at = line - 1; at >= Math.max(1, line - STATEMENT_REACH); at--) {
    const text = lineAt(at);
    if (text === undefined) return undefined;
    for (const bracket of bracketsOf(text).reverse()) {
      if (!isOpening(bracket)) closed += 1;
      else if (closed > 0) closed -= 1;
      else first = at;
    }
    if (closed === 0 && STARTS_STATEMENT.test(text)) break;
  }
  return first;
}

const STARTS_STATEMENT = /^\s*(?:@|(?:async\s+def|def|class|import|return|raise|try|except|finally|with|while|pass)\b)/;

const isOpening = (bracket: string): boolean => '([{'.includes(bracket);

const bracketsOf = (text: string): string[] =>
  text
    .slice(0, MAX_LINE_CHARS)
    .replace(STRING_OR_COMMENT, '')
    .match(/[()[\]{}]/g) ?? [];

const MAX_LINE_CHARS = 10_000;
const STRING_OR_COMMENT = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|#.*$/g;
