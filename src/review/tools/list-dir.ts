import { z } from 'zod';
import { defineTool, optional } from './tool.ts';
import { ToolError, takePath } from './tool-context.ts';

const MAX_ENTRIES = 200;

export const listDir = defineTool({
  name: 'list_dir',
  description: `Tracked files and folders directly in a folder, folders first; at most ${MAX_ENTRIES}.`,
  input: z.object({ path: optional(z.string()).describe('folder from the root of the repository, null for the root') }),
  async run({ path: written }, context) {
    const folder = takePath(context, written ?? '');
    const prefix = folder === '' ? '' : `${folder}/`;
    const folders = new Set<string>();
    const files: string[] = [];
    for (const { path } of await context.tree.entries()) {
      if (!path.startsWith(prefix) || context.isIgnored(path)) continue;
      const rest = path.slice(prefix.length);
      const slash = rest.indexOf('/');
      if (slash < 0) files.push(rest);
      else folders.add(`${rest.slice(0, slash)}/`);
    }
    const all = [...[...folders].sort(), ...files];
    if (all.length === 0) throw new ToolError('no such folder');
    const rows = all.slice(0, MAX_ENTRIES).map(name => context.guard.cleanLine('path', name));
    const rest = all.length > MAX_ENTRIES ? [`... [${all.length - MAX_ENTRIES} more entries]`] : [];
    return [
      `${context.guard.cleanLine('path', folder || '.')} (${all.length} ${all.length === 1 ? 'entry' : 'entries'})`,
      ...rows,
      ...rest,
    ].join('\n');
  },
});
