import { z } from 'zod';
import type { SecretRegistry } from '../core/secrets.ts';
import type { Guard } from '../review/guard.ts';
import { type AcceptanceModel, askModel } from './ask-model.ts';
import { toCriterion } from './criteria.ts';
import type { Criterion, LinkedIssue } from './criterion.ts';
import { inferText } from './judge-prompt.ts';

const InferAnswer = z.object({
  criteria: z.array(
    z.object({
      issue: z.int().describe('number of the issue'),
      text: z.string().describe('one statement that can be checked'),
      quote: z.string().describe('what it rests on, copied exactly from the issue'),
    }),
  ),
});

const MAX_ISSUE_CHARS = 6_000;
const MAX_ISSUES = 3;
const MAX_PER_ISSUE = 8;
const LEAST_QUOTE_CHARS = 8;
const MAX_TOKENS = 2_000;

export type Inferred =
  | { readonly status: 'ok'; readonly criteria: readonly Criterion[] }
  | { readonly status: 'failed'; readonly reason: string };

/** Criteria that a model reads out of issues that list none; one whose quote is not in its issue is dropped. */
export async function inferCriteria(
  issues: readonly LinkedIssue[],
  asking: AcceptanceModel,
  context: { readonly guard: Guard; readonly secrets?: SecretRegistry | undefined; readonly signal: AbortSignal },
): Promise<Inferred> {
  const { guard, secrets, signal } = context;
  const texts = issues.slice(0, MAX_ISSUES).map(({ number, title, body }) => {
    const text = `${guard.cleanLine('issue', title)}\n\n${guard.clean('issue', body)}`;
    return { number, text: text.slice(0, MAX_ISSUE_CHARS) };
  });
  const question = { text: inferText(texts, guard), answer: InferAnswer, maxTokens: MAX_TOKENS };
  const answered = await askModel(asking, question, guard, signal);
  if (answered.status === 'failed') return answered;
  const criteria: Criterion[] = [];
  for (const { number, text } of texts) {
    const written = squeeze(text);
    const grounded = answered.value.criteria.filter(({ issue, quote }) => {
      const wanted = squeeze(quote);
      return issue === number && wanted.length >= LEAST_QUOTE_CHARS && written.includes(wanted);
    });
    for (const draft of grounded.slice(0, MAX_PER_ISSUE)) {
      const statement = { text: draft.text, source: 'inferred' as const, codeSpans: [] };
      const criterion = toCriterion(number, statement, secrets);
      if (criterion !== null) criteria.push(criterion);
    }
  }
  return { status: 'ok', criteria };
}

const squeeze = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();
