/**
 * A test for paths from the root of the repository. `**` is anything, `**` + slash is zero or more folders, `*` stays
 * within a folder, `?` is one character but no slash; everything else is itself, but for
 * `./` in front, which says nothing. Names that start with a dot count.
 *
 * No regular expression: those of several stars take forever on a path made for it, and whoever opens a pull request
 * chooses the paths. Here a glob takes at most its length times the path's.
 */
export function toPathMatcher(globs: readonly string[]): (path: string) => boolean {
  const parsed = globs.map(parseGlob);
  return path => parsed.some(glob => matches(glob, path));
}

type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'character' | 'name' | 'folders' | 'anything' };

interface Glob {
  readonly tokens: readonly Token[];
  readonly texts: readonly string[];
}

const WILDCARDS = { '?': 'character', '*': 'name', '**/': 'folders', '**': 'anything' } as const;

function parseGlob(glob: string): Glob {
  // `**` + slash is whole folders only where a name starts.
  const pieces =
    glob
      .replace(/^(?:\.\/)+/, '')
      .replace(/\*{3,}/g, '**')
      .match(/(?<![^/])\*\*\/|\*\*|\*|\?|[^*?]+/g) ?? [];
  const tokens = pieces.map((piece): Token => {
    const kind = WILDCARDS[piece as keyof typeof WILDCARDS];
    return kind === undefined ? { kind: 'text', text: piece } : { kind };
  });
  return { tokens, texts: tokens.flatMap(token => (token.kind === 'text' ? [token.text] : [])) };
}

function matches({ tokens, texts }: Glob, path: string): boolean {
  // Most globs are about other paths, and this tells soonest.
  if (!texts.every(text => path.includes(text))) return false;
  let reached: readonly number[] = [0];
  for (const token of tokens) {
    reached = advance(token, path, reached);
    if (reached.length === 0) return false;
  }
  return reached.at(-1) === path.length;
}

/** Where the token can end when it starts at any of these offsets; both ascending, each offset once. */
function advance(token: Token, path: string, from: readonly number[]): number[] {
  switch (token.kind) {
    case 'text':
      return from.filter(at => path.startsWith(token.text, at)).map(at => at + token.text.length);
    case 'character':
      return from.filter(at => at < path.length && path[at] !== '/').map(at => at + charLength(path, at));
    case 'name':
      return toNameEnds(path, from);
    case 'folders':
      return toFolderStarts(path, from);
    case 'anything':
      return listOffsets(from[0] ?? 0, path.length);
  }
}

/** Characters outside the basic plane take two offsets. */
const charLength = (path: string, at: number): number => ((path.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

function toNameEnds(path: string, from: readonly number[]): number[] {
  const ends: number[] = [];
  for (const start of from) {
    for (let at = Math.max(start, (ends.at(-1) ?? -1) + 1); at <= path.length; at += 1) {
      if (at > start && path[at - 1] === '/') break;
      ends.push(at);
    }
  }
  return ends;
}

function toFolderStarts(path: string, from: readonly number[]): number[] {
  const starts = new Set(from);
  for (let at = path.indexOf('/', from[0]); at >= 0; at = path.indexOf('/', at + 1)) starts.add(at + 1);
  return [...starts].sort((a, b) => a - b);
}

const listOffsets = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
