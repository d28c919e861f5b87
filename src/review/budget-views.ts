import { type Ask, type Budget, LEAST_OUTPUT_TOKENS } from '../model/budget.ts';

/** Part of a review's time that belongs to the reviewers (decision 17); the rest is for what follows them. */
export const REVIEWERS_TIME = 0.6;

/** The budget with an earlier end: `share` of the time that is left now. */
export function withTimeShare(budget: Budget, share: number): Budget {
  const kept = budget.timeLeft('reviewers') * (1 - share);
  const timeLeft = (who: string) => Math.max(0, budget.timeLeft(who) - kept);
  return {
    ...budget,
    deadline: budget.deadline - kept,
    timeLeft,
    limitOf: asks => (timeLeft(asks[0]?.role ?? '') === 0 ? 'time' : budget.limitOf(asks)),
    reserve: ask => (timeLeft(ask.role) === 0 ? null : budget.reserve(ask)),
  };
}

/**
 * The budget as one stage may use it, so that a call to come stays affordable: output shrinks first, then the call is not
 * made. Where the call to come does not fit even now, nothing is kept back for it.
 */
export function keepingBack(budget: Budget, toCome: Ask): Budget {
  const least = { ...toCome, outputTokens: LEAST_OUTPUT_TOKENS };
  if (budget.limitOf([least]) !== null) return budget;
  const fits = (ask: Ask): boolean => budget.limitOf([ask, toCome]) === null;
  return {
    ...budget,
    limitOf: asks => budget.limitOf([...asks, toCome]),
    explain: ask => `${budget.explain(ask)} (a part is kept for the ${toCome.role})`,
    reserve(ask) {
      let outputTokens = ask.outputTokens;
      while (!fits({ ...ask, outputTokens }) && outputTokens > LEAST_OUTPUT_TOKENS) {
        outputTokens = Math.max(LEAST_OUTPUT_TOKENS, Math.floor(outputTokens / 2));
      }
      return fits({ ...ask, outputTokens }) ? budget.reserve({ ...ask, outputTokens }) : null;
    },
  };
}
