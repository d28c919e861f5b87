import { CypherFixError } from '../core/errors.ts';
import type { Git } from './git.ts';

/** Questions about a repository that its trees alone do not answer. Everything that comes back is untrusted text. */
export interface Inspection {
  /** Lines of the head tree that match, in the tree's order. Throws what git says of a pattern that is none. */
  search(search: TextSearch): Promise<SearchResult>;
  /** Commits that touched the path, the newest first; of the whole tree for an empty path. */
  log(path: string, maxCount: number): Promise<readonly LogEntry[]>;
  /** Who last touched each line, as of the last commit. Throws when the file or the lines are not there. */
  blame(path: string, startLine: number, endLine: number): Promise<readonly BlameLine[]>;
}

export interface TextSearch {
  readonly pattern: string;
  /** The pattern is plain text and no extended regular expression. */
  readonly fixed: boolean;
  readonly ignoreCase: boolean;
  /** Which files count. */
  readonly takes: (path: string) => boolean;
  readonly maxMatches: number;
}

export interface SearchMatch {
  readonly path: string;
  readonly line: number;
  /** At most 1,000 characters. */
  readonly text: string;
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  /** Matching lines beyond `maxMatches`. */
  readonly more: number;
}

export interface LogEntry {
  readonly commit: string;
  /** YYYY-MM-DD */
  readonly date: string;
  readonly subject: string;
}

export interface BlameLine extends LogEntry {
  readonly line: number;
  readonly text: string;
}

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_LINE_CHARS = 1_000;

/** Both are full object ids. `tree` is what is reviewed, `commit` the last commit of its history (they differ for a work tree). */
export function createInspection(git: Git, at: { readonly tree: string; readonly commit: string }): Inspection {
  return {
    async search({ pattern, fixed, ignoreCase, takes, maxMatches }) {
      const matches: SearchMatch[] = [];
      let more = 0;
      const parser = createGrepParser(`${at.tree}:`, match => {
        if (!takes(match.path)) return;
        if (matches.length < maxMatches) matches.push(match);
        else more += 1;
      });
      const flags = ['-n', '-I', '-z', '--full-name', '--no-color', '--no-textconv', '--no-recurse-submodules'];
      const how = [fixed ? '-F' : '-E', ...(ignoreCase ? ['-i'] : [])];
      await git.stream(['grep', ...flags, ...how, '-e', pattern, at.tree, '--'], parser, {
        timeoutMs: TIMEOUT_MS,
        // 1 is git's word for no match.
        okExitCodes: [1],
      });
      return { matches, more };
    },
    async log(path, maxCount) {
      const format = '--format=%H%x00%cs%x00%s%x00';
      const plain = ['--no-color', '--no-notes', '--no-mailmap', '--no-ext-diff', '--no-textconv'];
      const range = ['--end-of-options', at.commit, '--', ...(path === '' ? [] : [path])];
      const result = await git.run(['log', `--max-count=${maxCount}`, format, ...plain, ...range], {
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_OUTPUT_BYTES,
      });
      return toLogEntries(result.stdout.toString('utf8'));
    },
    async blame(path, startLine, endLine) {
      const range = ['-L', `${startLine},${endLine}`];
      const result = await git.run(['blame', '--porcelain', ...range, at.commit, '--', path], {
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_OUTPUT_BYTES,
      });
      return toBlameLines(result.stdout.toString('utf8'));
    },
  };
}

/** `<tree>:<path>\0<line>\0<text>\n`, one after another; a path may hold newlines, a text does not. */
function createGrepParser(prefix: string, onMatch: (match: SearchMatch) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return chunk => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (;;) {
      const pathEnd = bytes.indexOf(0, at);
      const lineEnd = pathEnd < 0 ? -1 : bytes.indexOf(0, pathEnd + 1);
      const end = lineEnd < 0 ? -1 : bytes.indexOf(10, lineEnd + 1);
      if (end < 0) break;
      onMatch({
        path: bytes.toString('utf8', at + prefix.length, pathEnd),
        line: Number(bytes.toString('latin1', pathEnd + 1, lineEnd)),
        text: bytes
          .toString('utf8', lineEnd + 1, Math.min(end, lineEnd + 1 + MAX_LINE_CHARS * 4))
          .slice(0, MAX_LINE_CHARS),
      });
      at = end + 1;
    }
    rest = Buffer.from(bytes.subarray(at));
    if (rest.length > MAX_OUTPUT_BYTES) throw new CypherFixError('git', 'git grep printed a line that is too long');
  };
}

function toLogEntries(text: string): LogEntry[] {
  const fields = text.split('\0');
  const entries: LogEntry[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [commit = '', date = '', subject = ''] = fields.slice(at, at + 3);
    entries.push({ commit: commit.trim(), date, subject });
  }
  return entries;
}

/** A header `<commit> <old line> <new line> …`, facts of a commit when it first shows, then a tab and the line. */
function toBlameLines(text: string): BlameLine[] {
  const lines: BlameLine[] = [];
  const known = new Map<string, { date: string; subject: string }>();
  let commit = '';
  let line = 0;
  for (const row of text.split('\n')) {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(row);
    const facts = known.get(commit) ?? { date: '', subject: '' };
    if (row.startsWith('\t')) lines.push({ commit, ...facts, line, text: row.slice(1) });
    else if (header?.[1] !== undefined) {
      commit = header[1];
      line = Number(header[2]);
      if (!known.has(commit)) known.set(commit, { date: '', subject: '' });
    } else if (row.startsWith('committer-time ')) facts.date = toDay(Number(row.slice(15)));
    else if (row.startsWith('summary ')) facts.subject = row.slice(8);
  }
  return lines;
}

// A commit's clock may be set to any number.
function toDay(seconds: number): string {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}
