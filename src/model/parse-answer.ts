import { z } from 'zod';
import { toMessage } from '../core/errors.ts';
import { failed, type Outcome, ok } from '../core/outcome.ts';

/** Checks a parsed answer and returns it typed; throws (a ZodError for instance) when it does not fit. */
export type AnswerParser<T> = (value: unknown) => T;

/** The JSON of an answer, checked. Servers without enforced formats like to fence it, so a fence is taken off. */
export function parseAnswer<T>(text: string, parse: AnswerParser<T>): Outcome<T> {
  let value: unknown;
  try {
    value = JSON.parse(withoutFence(text));
  } catch (error) {
    return failed(text.trim() === '' ? 'the answer is empty' : `the answer is no JSON: ${shorten(toMessage(error))}`);
  }
  try {
    return ok(parse(value));
  } catch (error) {
    return failed(`the answer does not fit its schema: ${shorten(explain(error))}`);
  }
}

const withoutFence = (text: string): string => /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;

function explain(error: unknown): string {
  if (!(error instanceof z.ZodError)) return toMessage(error);
  return error.issues.map(issue => `${issue.path.join('.') || 'answer'}: ${issue.message}`).join('; ');
}

const shorten = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
