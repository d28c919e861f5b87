import { z } from 'zod';
import { toMessage } from '../../core/errors.ts';
import { toPathMatcher } from '../../core/globs.ts';
import type { SearchMatch } from '../../workspace/inspection.ts';
import { defineTool, optional } from './tool.ts';
import { type ToolContext, ToolError } from './tool-context.ts';

const MAX_MATCHES = 50;
const MAX_ROW_CHARS = 300;
const MAX_PATTERN_CHARS = 500;
const MAX_GLOB_CHARS = 200;

export const searchCode = defineTool({
  name: 'search_code',
  description: `Lines of tracked files at the head that match an extended regular expression; at most ${MAX_MATCHES}.`,
  input: z.object({
    pattern: z.string().describe('extended regular expression, or plain text with fixed'),
    path_glob: optional(z.string()).describe('only files whose path matches, for example src/**/*.ts'),
    fixed: optional(z.boolean()).describe('the pattern is plain text'),
    ignore_case: optional(z.boolean()),
  }),
  async run({ pattern, path_glob, fixed, ignore_case }, context) {
    const { inspection, isIgnored } = context;
    if (inspection === null) throw new ToolError('there is no repository to search');
    if (pattern === '' || pattern.length > MAX_PATTERN_CHARS || /[\0\n]/.test(pattern)) {
      throw new ToolError(`pattern: one line of 1 to ${MAX_PATTERN_CHARS} characters`);
    }
    const inGlob = toGlobTest(path_glob);
    const { matches, more } = await inspection
      .search({
        pattern,
        fixed: fixed ?? false,
        ignoreCase: ignore_case ?? false,
        takes: path => inGlob(path) && !isIgnored(path),
        maxMatches: MAX_MATCHES,
      })
      .catch(error => Promise.reject(new ToolError(toMessage(error))));
    if (matches.length === 0) return `no matches${adviseOn(path_glob)}`;
    const rows: string[] = [];
    for (const match of matches) rows.push(await toRow(match, context));
    const count = matches.length + more;
    const rest = more === 0 ? [] : [`... [${more} more matches]`];
    return [`${count} ${count === 1 ? 'match' : 'matches'}`, ...rows, ...rest].join('\n');
  },
});

/** The line as the whole file shows it, so that a part of a secret is not shown where its beginning would give it away. */
async function toRow({ path, line, text }: SearchMatch, { reader, guard }: ToolContext): Promise<string> {
  const file = await reader.read(path);
  const shown = file.status === 'ok' ? file.lines.shown[line - 1] : undefined;
  const row = shown ?? guard.clean('code', text);
  return `${guard.cleanLine('path', path)}:${line}: ${row.trim().slice(0, MAX_ROW_CHARS)}`;
}

function toGlobTest(glob: string | null): (path: string) => boolean {
  if (glob === null || glob.trim() === '') return () => true;
  if (glob.length > MAX_GLOB_CHARS) throw new ToolError(`path_glob: at most ${MAX_GLOB_CHARS} characters`);
  return toPathMatcher([glob.trim()]);
}

/** A model may take for an alternative what is part of a name here. */
const adviseOn = (glob: string | null): string =>
  /[[{(|]/.test(glob ?? '') ? ' (path_glob: only **, * and ? are wildcards)' : '';
