import { createHash } from 'node:crypto';
import type { SecretRegistry } from '../core/secrets.ts';
import { redact } from '../core/secrets.ts';
import { stripInvisible } from '../core/untrusted.ts';
import type { Criterion, LinkedIssue, Statement } from './criterion.ts';
import { readStatements } from './read-statements.ts';
import { parseIdentifier } from './test-identifier.ts';

export interface Criteria {
  readonly criteria: readonly Criterion[];
  /** What was left out, in plain sentences. */
  readonly notices: readonly string[];
}

export const MAX_CRITERIA = 50;
export const MAX_CRITERION_CHARS = 500;
const MAX_CODE_SPANS = 10;
const MAX_CODE_SPAN_CHARS = 200;
const MAX_ISSUE_CHARS = 65_536;

/** The criteria that the issues state: checklists, sections of acceptance criteria, Gherkin. No model takes part. */
export function listCriteria(issues: readonly LinkedIssue[], secrets?: SecretRegistry): Criteria {
  const found = new Map<string, Criterion>();
  const notices: string[] = [];
  let left = 0;
  for (const issue of issues) {
    if (issue.body.length > MAX_ISSUE_CHARS) {
      notices.push(`acceptance: only the first ${MAX_ISSUE_CHARS / 1024} KiB of issue #${issue.number} were read`);
    }
    for (const statement of readStatements(stripInvisible(issue.body.slice(0, MAX_ISSUE_CHARS)))) {
      const criterion = toCriterion(issue.number, statement, secrets);
      if (criterion === null) continue;
      const key = toKey(criterion);
      if (found.has(key)) continue;
      if (found.size < MAX_CRITERIA) found.set(key, criterion);
      else left++;
    }
  }
  if (left > 0) notices.push(`acceptance: ${left} criteria beyond the first ${MAX_CRITERIA} were left out`);
  return { criteria: [...found.values()], notices };
}

/** Null for texts that ask for nothing: a bare reference, a picture, a sign. */
export function toCriterion(issue: number, statement: Statement, secrets?: SecretRegistry): Criterion | null {
  const line = redact(stripInvisible(statement.text), secrets).replace(/\s+/g, ' ').trim();
  const text = cut(line.replace(/[\0-\x1f\x7f-\x9f]/g, ''));
  if (!/[\p{L}\p{N}]/u.test(text) || IS_REFERENCE.test(text)) return null;
  const id = parseIdentifier(text) ?? statement.id;
  const codeSpans = statement.codeSpans.filter(span => span.length <= MAX_CODE_SPAN_CHARS).slice(0, MAX_CODE_SPANS);
  return { issue, ...(id === undefined ? {} : { id }), text, source: statement.source, codeSpans };
}

/** An issue or pull request by its number or address, or any other bare address. */
const IS_REFERENCE = /^(?:(?:[\w.-]+\/[\w.-]+)?#\d+|GH-\d+|https?:\/\/\S+)[.,;]?$/i;

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_CRITERION_CHARS) return text;
  return `${characters
    .slice(0, MAX_CRITERION_CHARS - 1)
    .join('')
    .trimEnd()}…`;
}

function toKey({ issue, text }: Criterion): string {
  const plain = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return createHash('sha256').update(`${issue}\0${plain}`).digest('base64');
}
