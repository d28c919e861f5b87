import { z } from 'zod';
import { clamp, defineTool, optional } from './tool.ts';
import { ToolError, takePath } from './tool-context.ts';

const MAX_LINES = 400;
const MAX_BYTES = 40_000;
const MAX_LINE_CHARS = 2_000;

export const readFile = defineTool({
  name: 'read_file',
  description: `Lines of a file as it stands at the head of the change, numbered; at most ${MAX_LINES} lines a call.`,
  input: z.object({
    path: z.string().describe('path from the root of the repository'),
    start_line: optional(z.number()).describe('first line, 1 when null'),
    end_line: optional(z.number()).describe('last line, null for as many as fit'),
  }),
  async run({ path: written, start_line, end_line }, context) {
    const path = takePath(context, written);
    if (path === '') throw new ToolError('the root is a folder; use list_dir');
    const file = await context.reader.read(path);
    if (file.status === 'failed') throw new ToolError(file.reason);
    const { shown } = file.lines;
    if (shown.length === 0) return `${context.guard.cleanLine('path', path)} (empty)`;
    const start = clamp(start_line ?? 1, 1, Number.MAX_SAFE_INTEGER);
    if (start > shown.length) throw new ToolError(`the file has ${shown.length} lines`);
    const end = clamp(end_line ?? start + MAX_LINES - 1, start, Math.min(shown.length, start + MAX_LINES - 1));
    const rows: string[] = [];
    let bytes = 0;
    for (let line = start; line <= end; line++) {
      const row = `${line}| ${(shown[line - 1] ?? '').slice(0, MAX_LINE_CHARS)}`;
      bytes += Buffer.byteLength(row) + 1;
      if (bytes > MAX_BYTES) break;
      rows.push(row);
    }
    const last = start + rows.length - 1;
    return [`${context.guard.cleanLine('path', path)} (lines ${start}-${last} of ${shown.length})`, ...rows].join('\n');
  },
});
