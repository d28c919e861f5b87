import { clampMultiplier, DISPUTABLE_FACTS } from './corrections.ts';
import { isTruthy, SPACE_CLASS, strip, textOr, toNumber, toText } from './python-values.ts';
import type { FindingRow } from './row.ts';
import { codePointLength, takeCodePoints } from './text.ts';

export const REVIEW_VERDICTS = ['real', 'doubtful', 'false_positive', 'unclear'] as const;
export type ReviewVerdict = (typeof REVIEW_VERDICTS)[number];

/** A review of one finding's evidence with everything left out that the evidence does not bear. */
export interface ValidatedReview {
  readonly verdict: ReviewVerdict;
  /** 0.5 to 1.5; 1 without a verified quote. */
  readonly impactMultiplier: number;
  readonly impactQuote: string;
  readonly disputedFacts: readonly { readonly fact: string; readonly quote: string }[];
  readonly evidenceQuote: string;
  readonly why: string;
  readonly fixLever: string;
  readonly dropped: readonly { readonly what: string; readonly why: string }[];
}

const MAX_DISPUTES = 8;
const MAX_QUOTE_LENGTH = 1_000;
const MIN_QUOTE_LENGTH = 8;
const MAX_WHY_LENGTH = 300;
const MAX_LEVER_LENGTH = 120;

/**
 * Keeps of a model's answer what it can back with words of the evidence. A verdict, a multiplier and each disputed fact
 * need a quote that stands in the bundle; a proven finding cannot be talked down.
 */
export function validateReview(item: unknown, bundle: string, row: FindingRow): ValidatedReview {
  const answer = toRecord(item);
  const evidence = normalise(bundle);
  const dropped: Dropped = [];
  const proven = isTruthy(row.is_proven);

  const claimed = knownVerdict(answer['verdict'], dropped);
  const evidenceQuote = verifiedQuote(answer['evidence_quote'], evidence);
  if (evidenceQuote === '' && textOr(answer['evidence_quote']) !== '') {
    dropped.push({ what: 'evidence_quote', why: 'not found in the evidence (or under 8 characters)' });
  }
  let verdict = claimed;
  if (claimed !== 'unclear' && evidenceQuote === '') {
    dropped.push({ what: 'verdict', why: `${claimed} needs a verified evidence_quote` });
    verdict = 'unclear';
  }
  if (proven && (verdict === 'false_positive' || verdict === 'doubtful')) verdict = 'unclear';
  const { impactMultiplier, impactQuote } = readMultiplier(answer, evidence, proven, dropped);
  return {
    verdict,
    impactMultiplier,
    impactQuote,
    disputedFacts: readDisputes(answer['disputed_facts'], evidence, proven, dropped),
    evidenceQuote,
    why: plainLine(answer['why'], MAX_WHY_LENGTH),
    fixLever: plainLine(answer['fix_lever'], MAX_LEVER_LENGTH),
    dropped,
  };
}

type Dropped = { what: string; why: string }[];

function knownVerdict(value: unknown, dropped: Dropped): ReviewVerdict {
  const verdict = REVIEW_VERDICTS.find(known => known === value);
  if (verdict === undefined) dropped.push({ what: 'verdict', why: `unknown verdict '${plainLine(value, 100)}'` });
  return verdict ?? 'unclear';
}

function readMultiplier(answer: Answer, evidence: string, proven: boolean, dropped: Dropped) {
  const none = { impactMultiplier: 1, impactQuote: '' };
  const clamped = clampMultiplier(toNumber(answer['impact_multiplier']) ?? 1);
  const impactMultiplier = proven ? Math.max(1, clamped) : clamped;
  if (impactMultiplier === 1) return none;
  const impactQuote = verifiedQuote(answer['impact_quote'], evidence);
  if (impactQuote !== '') return { impactMultiplier, impactQuote };
  dropped.push({ what: 'impact_multiplier', why: 'a multiplier needs a verified impact_quote' });
  return none;
}

function readDisputes(value: unknown, evidence: string, proven: boolean, dropped: Dropped) {
  const disputes: { fact: string; quote: string }[] = [];
  if (proven || !Array.isArray(value)) return disputes;
  for (const entry of value.slice(0, MAX_DISPUTES)) {
    const { fact, quote: quoted } = toRecord(entry);
    const known = DISPUTABLE_FACTS.find(name => name === fact);
    const quote = verifiedQuote(quoted, evidence);
    if (known === undefined) {
      dropped.push({ what: 'disputed_fact', why: `'${plainLine(fact, 100)}' is not a disputable fact` });
    } else if (quote === '') {
      dropped.push({ what: 'disputed_fact', why: `the quote for ${known} is not in the evidence` });
    } else disputes.push({ fact: known, quote });
  }
  return disputes;
}

/** The quote as given, cut to 1,000 characters, when it stands in the evidence; else empty. */
function verifiedQuote(value: unknown, evidence: string): string {
  const quote = takeCodePoints(textOr(value), MAX_QUOTE_LENGTH);
  const words = normalise(quote);
  return codePointLength(words) >= MIN_QUOTE_LENGTH && evidence.includes(words) ? quote : '';
}

const SPACES = new RegExp(`${SPACE_CLASS}+`, 'g');

const normalise = (text: string): string => strip(text.replace(SPACES, ' ')).toLowerCase();

/** One line without control characters. */
const plainLine = (value: unknown, length: number): string =>
  takeCodePoints(
    strip(
      toText(value)
        .replace(/[\x00-\x1f\x7f-\x9f]/g, ' ')
        .replace(SPACES, ' '),
    ),
    length,
  );

type Answer = Readonly<Record<string, unknown>>;

const toRecord = (value: unknown): Answer =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Answer) : {};
