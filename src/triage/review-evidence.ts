import { toMessage } from '../core/errors.ts';
import type { TriageCounts } from '../core/triage.ts';
import { hashEvidence, renderEvidence } from '../risk/evidence.ts';
import { validateReview } from '../risk/review.ts';
import { codePointLength } from '../risk/text.ts';
import { toBatches } from './batches.ts';
import {
  EVIDENCE_SCHEMA,
  EvidenceAnswer,
  type EvidenceReview,
  evidenceSystem,
  evidenceTask,
  type ReviewItem,
  toItemId,
  toPromptText,
} from './evidence-prompt.ts';
import { type FindingGroup, type RankedFinding, withReview } from './ranked-finding.ts';
import { isReviewDue, PROMPT_VERSION, whyNotEligible } from './review-due.ts';
import { runInSlots } from './slots.ts';
import { BATCH_SIZE, type FindingRef, type TriageStore, toRefKey } from './store.ts';
import type { StoredReview } from './stored.ts';
import { dropTellingQuotes } from './telling-quotes.ts';
import { ask, MAX_CALLS_AT_ONCE, type TriageModel } from './triage-model.ts';

export const MAX_REVIEWS = 1_000;
const BATCH_FINDINGS = 12;
const BATCH_CHARS = 30_000;
/** What stands around a finding's evidence in the prompt. */
const ITEM_CHARS = 600;

export interface EvidenceReviewInput {
  /** Best first, as `groupFindings` gives them. */
  readonly groups: readonly FindingGroup[];
  /** Null where no model can be reached: nothing is reviewed. */
  readonly model: TriageModel | null;
  /** Most findings to review. */
  readonly budget: number;
  readonly readEvidence: TriageStore['readEvidence'];
  /** Milliseconds since the epoch after which no batch begins and none goes on. */
  readonly deadline: number;
  readonly now: () => number;
  /** Letters and digits that nobody could foresee. */
  readonly random: () => string;
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

export interface EvidenceReviewResult {
  /** By reference key: the findings that were reviewed. */
  readonly reviewed: ReadonlyMap<string, RankedFinding>;
  /** Those without any review that budget or time did not reach. */
  readonly beyond: ReadonlySet<RankedFinding>;
  readonly counts: Omit<TriageCounts['reviews'], 'adopted'>;
  readonly notices: readonly string[];
}

/**
 * Has a model look at the evidence of the findings that matter most and have no valid review. What it says counts only
 * as far as words of the evidence bear it out. A failed batch costs its findings only. Rejects when the signal aborts.
 */
export async function reviewEvidence(input: EvidenceReviewInput): Promise<EvidenceReviewResult> {
  const { model } = input;
  const candidates = toCandidates(input.groups, model?.name ?? '');
  const most = model === null ? 0 : Math.max(0, Math.min(input.budget, MAX_REVIEWS));
  const chosen = candidates.slice(0, most);
  const reviewed = new Map<string, RankedFinding>();
  const beyond = new Set(candidates.slice(most).filter(isUnreviewed));
  let made = 0;
  let failed = 0;
  let notReviewed = candidates.length - chosen.length;
  const reasons = new Map<string, number>();
  const fail = (count: number, reason: string) => {
    failed += count;
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  };

  if (model !== null && chosen.length > 0) {
    const boundary = input.random();
    const items = await readItems(input, chosen, boundary).catch((error: unknown) => {
      input.signal.throwIfAborted();
      fail(chosen.length, `their evidence cannot be read: ${toMessage(error)}`);
      return [];
    });
    const batches = toBatches(items, BATCH_FINDINGS, BATCH_CHARS, item => codePointLength(item.bundle) + ITEM_CHARS);
    let done = 0;
    await runInSlots(batches, MAX_CALLS_AT_ONCE, async batch => {
      const outcome = await reviewBatch(input, model, batch, boundary);
      if (outcome.kind === 'beyond') {
        notReviewed += batch.length;
        for (const { finding } of batch) if (isUnreviewed(finding)) beyond.add(finding);
      } else if (outcome.kind === 'failed') fail(batch.length, outcome.reason);
      else {
        made += outcome.reviewed.length;
        for (const finding of outcome.reviewed) reviewed.set(toRefKey(finding), finding);
        if (outcome.reviewed.length < batch.length) {
          fail(batch.length - outcome.reviewed.length, 'the model did not answer for them');
        }
      }
      input.onProgress(++done / batches.length);
    });
  }
  const notices = toNotices(model, notReviewed, reasons);
  return { reviewed, beyond, counts: { made, failed, notReviewed }, notices };
}

/** Groups with the highest score first; in a group, and between equal ones, by id. */
function toCandidates(groups: readonly FindingGroup[], model: string): RankedFinding[] {
  const scored = groups.flatMap(({ score, members }) => members.map(finding => ({ score, finding })));
  return scored
    .filter(
      ({ finding }) => whyNotEligible(finding) === null && isReviewDue(finding.review, finding.evidenceHash, model),
    )
    .sort((a, b) => b.score - a.score || compare(a.finding.id, b.finding.id))
    .map(({ finding }) => finding);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface Item extends ReviewItem {
  readonly evidenceHash: string;
}

/** Reads the long texts again; what no longer counts, or has no evidence left, falls out. */
async function readItems(
  { readEvidence, groups }: EvidenceReviewInput,
  chosen: readonly RankedFinding[],
  boundary: string,
): Promise<Item[]> {
  const groupOf = new Map(groups.map(group => [group.key, group]));
  const items: Item[] = [];
  for (let at = 0; at < chosen.length; at += BATCH_SIZE) {
    const part = chosen.slice(at, at + BATCH_SIZE);
    const byKey = new Map(part.map(finding => [toRefKey(finding), finding]));
    for (const row of await readEvidence(part.map(toRef))) {
      const key = toRefKey({ label: String(row.label ?? ''), id: String(row.id ?? '') });
      const finding = byKey.get(key);
      const bundle = renderEvidence(row);
      if (finding === undefined || bundle === '') continue;
      byKey.delete(key);
      const group = groupOf.get(finding.groupKey);
      const siblings = (group?.members ?? []).filter(other => other !== finding && other.view.state === 'open');
      items.push({
        finding,
        bundle: toPromptText(bundle, boundary),
        evidenceHash: hashEvidence(bundle),
        siblings: siblings.slice(0, 8),
      });
    }
  }
  const order = new Map(chosen.map((finding, at) => [toRefKey(finding), at]));
  const placeOf = ({ finding }: Item): number => order.get(toRefKey(finding)) ?? 0;
  return items.sort((a, b) => placeOf(a) - placeOf(b));
}

const toRef = ({ label, id }: RankedFinding): FindingRef => ({ label, id });

type BatchOutcome =
  | { readonly kind: 'ok'; readonly reviewed: readonly RankedFinding[] }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Time or money had run out before it began. */
  | { readonly kind: 'beyond' };

async function reviewBatch(
  input: EvidenceReviewInput,
  model: TriageModel,
  batch: readonly Item[],
  boundary: string,
): Promise<BatchOutcome> {
  if (input.now() >= input.deadline) return { kind: 'beyond' };
  const reply = await ask(
    model,
    {
      role: 'evidence',
      system: evidenceSystem(boundary),
      task: evidenceTask(batch, boundary),
      schema: EVIDENCE_SCHEMA,
      parse: value => EvidenceAnswer.parse(value),
      deadline: input.deadline,
    },
    input.signal,
  );
  if (reply.status === 'failed') {
    return reply.kind === 'budget' ? { kind: 'beyond' } : { kind: 'failed', reason: `${reply.kind}: ${reply.reason}` };
  }
  const answers = new Map<string, EvidenceReview>();
  for (const answer of reply.value.reviews) if (!answers.has(answer.id)) answers.set(answer.id, answer);
  const at = new Date(input.now()).toISOString();
  const reviewed = batch.flatMap((item, index) => {
    const answer = answers.get(toItemId(index));
    return answer === undefined ? [] : [toReviewed(item, answer, model.name, at)];
  });
  return { kind: 'ok', reviewed };
}

function toReviewed({ finding, bundle, evidenceHash }: Item, answer: EvidenceReview, model: string, at: string) {
  const { dropped: _, ...checked } = validateReview(dropTellingQuotes(answer), bundle, {
    is_proven: finding.base.inputs.proven,
  });
  const review: StoredReview = {
    ...checked,
    evidenceHash,
    channel: 'builtin',
    model,
    promptVersion: PROMPT_VERSION,
    at,
  };
  return withReview(finding, { review, write: { kind: 'review', review }, evidenceHash });
}

const isUnreviewed = ({ review }: RankedFinding): boolean => review === null;

const MAX_REASONS = 5;

function toNotices(model: TriageModel | null, notReviewed: number, reasons: ReadonlyMap<string, number>): string[] {
  const notices: string[] = [];
  if (model === null) {
    notices.push('No evidence was reviewed: no model is at hand, so the review budget of this run is 0.');
  } else if (notReviewed > 0) {
    notices.push(`The evidence of ${notReviewed} findings was not reviewed: budget or time did not reach them.`);
  }
  for (const [reason, count] of [...reasons].slice(0, MAX_REASONS)) {
    notices.push(`The review of evidence failed for ${count} findings: ${reason}.`);
  }
  return notices;
}
