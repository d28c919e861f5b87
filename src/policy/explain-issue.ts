import type { z } from 'zod';
import type { KeyPath } from './yaml-file.ts';

export interface Explained {
  readonly keyPath: KeyPath;
  readonly text: string;
}

type Issue = z.core.$ZodIssue;

/** What a schema issue means, in the words of the file's writer; one entry for each unknown key. */
export function explainIssue(issue: Issue): Explained[] {
  const keyPath = issue.path.map(step => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => ({ keyPath: [...keyPath, key], text: UNKNOWN }));
  return [{ keyPath, text: textOf(issue) }];
}

/** `review.on[0]`; the empty path is the file as a whole. */
export function toKeyText(keyPath: KeyPath): string {
  return keyPath
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? show(step) : `.${show(step)}`))
    .join('');
}

const UNKNOWN = 'unknown key';

const show = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key)).slice(0, 100);

function textOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? `expected ${KINDS[issue.expected] ?? issue.expected}, but the key is missing`
        : `expected ${KINDS[issue.expected] ?? issue.expected}${received(issue.message)}`;
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `expected at least ${issue.minimum}${unit(issue.origin)}`;
    case 'too_big':
      return `expected at most ${issue.maximum}${unit(issue.origin)}`;
    case 'invalid_key':
      return 'expected a key of 1 to 200 characters';
    default:
      return issue.message;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function received(message: string): string {
  const kind = /received (\w+)/.exec(message)?.[1];
  return kind === undefined ? '' : `, got ${kind === 'number' ? 'another number' : (KINDS[kind] ?? kind)}`;
}

const unit = (origin: string): string => (origin === 'array' ? ' entries' : origin === 'string' ? ' characters' : '');
