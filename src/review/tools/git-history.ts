import { z } from 'zod';
import { toMessage } from '../../core/errors.ts';
import type { Inspection } from '../../workspace/inspection.ts';
import { clamp, defineTool, optional } from './tool.ts';
import { type ToolContext, ToolError, takePath } from './tool-context.ts';

const MAX_COMMITS = 50;
const MAX_BLAME_LINES = 200;
const SHORT_ID = 10;

export const gitLog = defineTool({
  name: 'git_log',
  description: `Commits that touched a path, newest first, one a line; at most ${MAX_COMMITS}.`,
  input: z.object({
    path: z.string().describe('path from the root of the repository'),
    max_count: optional(z.number()).describe('10 when null'),
  }),
  async run({ path: written, max_count }, context) {
    const path = takePath(context, written);
    const commits = await ask(context, git => git.log(path, clamp(max_count ?? 10, 1, MAX_COMMITS)));
    if (commits.length === 0) return 'no commits';
    const count = commits.length === 1 ? '1 commit' : `${commits.length} commits`;
    return [count, ...commits.map(commit => toRow(commit, context))].join('\n');
  },
});

export const gitBlame = defineTool({
  name: 'git_blame',
  description: `Which commit last touched each of the lines; at most ${MAX_BLAME_LINES} lines a call.`,
  input: z.object({
    path: z.string().describe('path from the root of the repository'),
    start: z.number().describe('first line'),
    end: z.number().describe('last line'),
  }),
  async run({ path: written, start: first, end: last }, context) {
    const path = takePath(context, written);
    if (path === '') throw new ToolError('path: a file is needed');
    const start = clamp(first, 1, Number.MAX_SAFE_INTEGER);
    const end = clamp(last, start, start + MAX_BLAME_LINES - 1);
    const lines = await ask(context, git => git.blame(path, start, end));
    const commits = new Map(lines.map(line => [line.commit, line]));
    const rows = lines.map(({ line, commit }) => `${line}| ${commit.slice(0, SHORT_ID)}`);
    const head = `${context.guard.cleanLine('path', path)} (lines ${start}-${end})`;
    return [head, ...rows, 'commits:', ...[...commits.values()].map(commit => toRow(commit, context))].join('\n');
  },
});

function toRow(commit: { commit: string; date: string; subject: string }, { guard }: ToolContext): string {
  return `${commit.commit.slice(0, SHORT_ID)} ${commit.date} ${guard.cleanLine('commit', commit.subject).slice(0, 300)}`;
}

async function ask<T>({ inspection }: ToolContext, question: (git: Inspection) => Promise<T>): Promise<T> {
  if (inspection === null) throw new ToolError('there is no history');
  try {
    return await question(inspection);
  } catch (error) {
    throw new ToolError(toMessage(error));
  }
}
