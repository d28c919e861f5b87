import { z } from 'zod';
import { renderSummary } from '../change-text.ts';
import { defineTool, optional } from './tool.ts';
import { ToolError, takePath } from './tool-context.ts';

export const getDiff = defineTool({
  name: 'get_diff',
  description: 'The diff of one changed file, or for null the list of all changed files.',
  input: z.object({ path: optional(z.string()).describe('path of a changed file, null for the list') }),
  async run({ path: written }, context) {
    const path = takePath(context, written ?? '');
    if (path === '') return renderSummary(context.shown, context.guard);
    const file = context.shown.files.find(({ file }) => file.path === path || file.previousPath === path);
    if (file === undefined) throw new ToolError('the change does not touch this file');
    return file.text;
  },
});
