import { z } from 'zod';
import type { LinkedIssue } from '../acceptance/criterion.ts';
import { CypherFixError, toMessage } from '../core/errors.ts';
import { readNamedFile } from './check-file.ts';

const MAX_BYTES = 1024 * 1024;

const IssueFile = z.object({
  number: z.int().positive(),
  title: z.string().min(1),
  body: z.string().nullable(),
  state: z.enum(['open', 'closed']).default('open'),
});

/**
 * The issue that `--issue` names: markdown whose first line is a heading, or JSON with number, title and body, as GitHub's
 * API gives it. Throws CypherFixError('usage') that names the file and what is wrong with it.
 */
export async function readIssueFile(path: string): Promise<LinkedIssue> {
  const text = await readText(path);
  return /^\s*\{/.test(text) ? parseJson(text, path) : parseMarkdown(text, path);
}

async function readText(path: string): Promise<string> {
  const bytes = await readNamedFile('--issue', path, MAX_BYTES);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw refuse(path, 'is not UTF-8 text', cause);
  }
}

function parseJson(text: string, path: string): LinkedIssue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refuse(path, `begins like JSON and is none: ${toMessage(cause)}`, cause);
  }
  const parsed = IssueFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(path, `${issue?.path.join('.')}: ${issue?.message} (expected {"number", "title", "body"})`);
  }
  const { number, title, body, state } = parsed.data;
  return { number, title, body: body ?? '', state };
}

function parseMarkdown(text: string, path: string): LinkedIssue {
  const [first = '', ...rest] = text.replace(/^\s*\n/, '').split(/\r?\n/);
  const title = /^ {0,3}#[ \t]+(.*?)(?:[ \t]+#*)?[ \t]*$/.exec(first)?.[1] ?? '';
  if (title === '') throw refuse(path, 'line 1: expected the title of the issue as a heading, `# Title`');
  const number = /^#(\d{1,9})\b|\(#(\d{1,9})\)$/.exec(title);
  return { number: Number(number?.[1] ?? number?.[2] ?? 0), title, body: rest.join('\n'), state: 'open' };
}

const refuse = (path: string, what: string, cause?: unknown) =>
  new CypherFixError('usage', `--issue ${path} ${what}`, { ...(cause === undefined ? {} : { cause }) });
