/**
 * The text of a Go file, of the same length, with its comments as spaces and its line ends kept. Strings are told apart
 * only in so far as import paths need it. Pure; each character is looked at a fixed number of times, whatever is left
 * open: an expression that begins again at every `/*` would read the rest of the file once for each.
 */
export function blankComments(text: string): string {
  const ends = createEndFinder(text);
  const starts = /\/[/*]|["`]/g;
  let out = '';
  let copied = 0;
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    const [sign] = start;
    const end = ends(sign, start.index);
    if (end === undefined) {
      starts.lastIndex = start.index + 1;
      continue;
    }
    if (sign.startsWith('/')) {
      out += text.slice(copied, start.index) + blank(text.slice(start.index, end));
      copied = end;
    }
    starts.lastIndex = end;
  }
  return out + text.slice(copied);
}

/** Where the comment or string that begins with the sign ends; undefined for one that is never closed. */
function createEndFinder(text: string): (sign: string, at: number) => number | undefined {
  let openUntil = 0;
  let isCommentOpen = false;

  const endOfComment = (at: number): number | undefined => {
    const end = isCommentOpen ? -1 : text.indexOf('*/', at + 2);
    isCommentOpen = end < 0;
    return end < 0 ? undefined : end + 2;
  };

  /** One left open stays so for every quote within it, since all of those follow a backslash. */
  const endOfString = (at: number): number | undefined => {
    if (at < openUntil) return undefined;
    const end = skipString(text, at + 1);
    if (text[end] === '"') return end + 1;
    openUntil = end;
    return undefined;
  };

  return (sign, at) => {
    if (sign === '//') return indexOrEnd(text, '\n', at);
    if (sign === '/*') return endOfComment(at);
    if (sign === '"') return endOfString(at);
    const end = text.indexOf('`', at + 1);
    return end < 0 ? undefined : end + 1;
  };
}

/** Place of the closing quote, or of what cannot stand in a string. */
function skipString(text: string, from: number): number {
  let at = from;
  for (;;) {
    const char = text[at];
    if (char === undefined || char === '"' || char === '\n') return at;
    if (char === '\\' && !/^.$/.test(text[at + 1] ?? '')) return at;
    at += char === '\\' ? 2 : 1;
  }
}

function indexOrEnd(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from);
  return at < 0 ? text.length : at;
}

const blank = (comment: string): string => comment.replace(/[^\n]+/g, line => ' '.repeat(line.length));
