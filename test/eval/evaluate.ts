import { CypherFixError } from '../../src/core/errors.ts';
import { SecretRegistry } from '../../src/core/secrets.ts';
import type { Model } from '../../src/model/model.ts';
import type { Prices } from '../../src/model/prices.ts';
import { type Exchange, recordingModel, replayModel } from '../../src/model/record.ts';
import type { Policy } from '../../src/policy/schema.ts';
import { type Case, VARIANTS, type Variant } from './cases.ts';
import type { RecordedReviews } from './recorded-reviews.ts';
import { reviewCase, timedModel } from './review-case.ts';
import type { Reviewed } from './score.ts';

export interface Evaluating {
  readonly cases: readonly Case[];
  readonly policy: Policy;
  readonly prices: Prices;
  readonly searchPath: string | undefined;
  readonly signal: AbortSignal;
  /** Hears of each review that has ended. */
  readonly onReviewed: (reviewed: Reviewed) => void;
}

/** Reviews side by side; more would only meet the provider's rate limit. */
const AT_ONCE = 3;

/** Every variant of every case with the model; the exchanges are redacted. */
export async function evaluateLive(
  evaluating: Evaluating,
  model: Model,
  secrets: SecretRegistry,
): Promise<{ readonly reviews: Reviewed[]; readonly recorded: RecordedReviews['reviews'] }> {
  const done = await eachVariant(evaluating, async (item, variant) => {
    const exchanges: Exchange[] = [];
    const timed = timedModel(recordingModel(model, exchange => exchanges.push(exchange), secrets));
    const reviewed = await reviewWith(evaluating, item, variant, timed.model, secrets);
    return { reviewed: { ...reviewed, ms: timed.ms }, exchanges };
  });
  return {
    reviews: done.map(({ reviewed }) => reviewed),
    recorded: done.map(({ reviewed, exchanges }) => ({
      case: reviewed.case,
      variant: reviewed.variant,
      exchanges,
      ms: { ...reviewed.ms },
    })),
  };
}

/** The same from a recording; throws CypherFixError('internal') where a prompt is another one than then. */
export async function evaluateRecorded(evaluating: Evaluating, recorded: RecordedReviews): Promise<Reviewed[]> {
  return eachVariant(evaluating, async (item, variant) => {
    const found = recorded.reviews.find(review => review.case === item.name && review.variant === variant);
    const place = `${item.name} (${variant})`;
    if (found === undefined) throw new CypherFixError('usage', `eval: the recording has no review of ${place}`);
    const secrets = new SecretRegistry();
    try {
      const reviewed = await reviewWith(evaluating, item, variant, replayModel(found.exchanges, secrets), secrets);
      return { ...reviewed, ms: found.ms };
    } catch (error) {
      if (!(error instanceof CypherFixError)) throw error;
      throw new CypherFixError(error.code, `eval: ${place}: ${error.message}`, { cause: error });
    }
  });
}

const reviewWith = (
  { policy, prices, searchPath, signal }: Evaluating,
  item: Case,
  variant: Variant,
  model: Model,
  secrets: SecretRegistry,
) =>
  reviewCase(item, variant, {
    policy,
    ai: { kind: 'review', model, prices, title: null, body: null },
    secrets,
    searchPath,
    signal,
  });

async function eachVariant<T extends Reviewed | { readonly reviewed: Reviewed }>(
  { cases, onReviewed }: Evaluating,
  review: (item: Case, variant: Variant) => Promise<T>,
): Promise<T[]> {
  const jobs = cases.flatMap(item => VARIANTS.map(variant => ({ item, variant })));
  const done: T[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < jobs.length; at = next++) {
      const job = jobs[at];
      if (job === undefined) return;
      const result = await review(job.item, job.variant);
      done[at] = result;
      onReviewed('reviewed' in result ? result.reviewed : result);
    }
  };
  const workers = Array.from({ length: AT_ONCE }, work);
  await Promise.allSettled(workers);
  await Promise.all(workers);
  return done;
}
