import { z } from 'zod';
import { estimateTokens } from '../model/estimate.ts';
import { type RenderedDiff, renderDiff } from '../review/change-text.ts';
import type { Guard } from '../review/guard.ts';
import type { ShownChange } from '../review/shown-change.ts';
import { ACCEPTANCE_ROLE, type AcceptanceModel, askModel } from './ask-model.ts';
import { checkEvidence } from './check-evidence.ts';
import type { Criterion, JudgedCriterion, LinkedIssue } from './criterion.ts';
import { judgeText } from './judge-prompt.ts';

const JudgeAnswer = z.object({
  verdicts: z.array(
    z.object({
      criterion: z.int().describe('number of the criterion'),
      status: z.enum(['met', 'unmet', 'unclear']),
      evidence: z.array(
        z.object({
          path: z.string().describe('path of a changed file'),
          quote: z
            .string()
            .nullable()
            .describe('copied exactly from added or deleted lines, null for the file as a whole'),
          note: z.string().describe('what it shows, in one sentence'),
        }),
      ),
    }),
  ),
});
type Verdict = z.infer<typeof JudgeAnswer>['verdicts'][number];

/** Longer diffs are shown in part: the check's budget is small. */
const DIFF_CHARS = [48_000, 24_000, 12_000] as const;
const MAX_TOKENS = 4_000;
/** Below this the verdicts on many criteria have no room after the model's thinking. */
const LEAST_TOKENS = 2_000;
/** The system's text, the schema and their wrapping. */
const AROUND_TOKENS = 2_000;

export interface JudgeInput {
  readonly criteria: readonly Criterion[];
  readonly issues: readonly LinkedIssue[];
  readonly shown: ShownChange;
  readonly guard: Guard;
  readonly signal: AbortSignal;
}

export type Judged =
  | { readonly status: 'ok'; readonly criteria: readonly JudgedCriterion[]; readonly wasCut: boolean }
  | { readonly status: 'failed'; readonly reason: string };

/**
 * One call that judges all criteria by the diff. A verdict whose evidence does not stand in the change is `unclear`, and so is a
 * criterion without one.
 */
export async function judgeCriteria(input: JudgeInput, asking: AcceptanceModel): Promise<Judged> {
  const { criteria, shown, guard, signal } = input;
  let diff: RenderedDiff = renderDiff(shown, DIFF_CHARS[0]);
  let text = judgeText({ ...input, diff }, guard);
  for (const maxChars of DIFF_CHARS.slice(1)) {
    if (fits(text, asking)) break;
    diff = renderDiff(shown, maxChars);
    text = judgeText({ ...input, diff }, guard);
  }
  const answered = await askModel(asking, { text, answer: JudgeAnswer, maxTokens: MAX_TOKENS }, guard, signal);
  if (answered.status === 'failed') return answered;
  const judged = criteria.map((criterion, at) =>
    toJudged(
      criterion,
      answered.value.verdicts.filter(verdict => verdict.criterion === at + 1),
      shown,
      guard,
    ),
  );
  return { status: 'ok', criteria: judged, wasCut: diff.cut.length > 0 };
}

/** Two verdicts on one criterion cancel each other out. */
function toJudged(
  criterion: Criterion,
  verdicts: readonly Verdict[],
  shown: ShownChange,
  guard: Guard,
): JudgedCriterion {
  const [verdict] = verdicts;
  const evidence = verdict === undefined ? [] : checkEvidence(verdict.evidence, shown, guard);
  if (verdict === undefined || verdicts.length > 1 || verdict.status === 'unclear' || evidence.length === 0) {
    return { ...criterion, status: 'unclear', judgedBy: verdict === undefined ? 'none' : 'model', evidence };
  }
  return { ...criterion, status: verdict.status, judgedBy: 'model', evidence };
}

function fits(text: string, { budget, modelId }: AcceptanceModel): boolean {
  const inputTokens = estimateTokens(text) + AROUND_TOKENS;
  const asked = { role: ACCEPTANCE_ROLE, model: modelId, inputTokens, outputTokens: LEAST_TOKENS };
  return budget.limitOf([asked]) !== 'dollars';
}
