import { gunzipSync } from 'node:zlib';
import { parseCvss } from '../../src/risk/cvss.ts';
import { hashEvidence, renderEvidence } from '../../src/risk/evidence.ts';
import { parseFacts, parseIntel } from '../../src/risk/facts.ts';
import { normaliseConfidence, normaliseSeverity } from '../../src/risk/grades.ts';
import { groupRisk } from '../../src/risk/group.ts';
import { groupKeyOf } from '../../src/risk/group-key.ts';
import { combineLayers, type DecisionLayer, type ReviewLayer, toBaseLayer } from '../../src/risk/layers.ts';
import { detectorKey, learnedConfidence } from '../../src/risk/learn.ts';
import { redactEvidence } from '../../src/risk/redact.ts';
import { validateReview } from '../../src/risk/review.ts';
import type { FindingRow } from '../../src/risk/row.ts';
import { explainScore, scoreRow } from '../../src/risk/score.ts';
import { tierOf } from '../../src/risk/tier.ts';

/** A recorded call of the model: one line of a pairs file. */
export interface Pair {
  readonly line: number;
  readonly fn: string;
  readonly args: Args;
  readonly expected: unknown;
}

// The arguments are what was recorded; each function below takes its own.
// biome-ignore lint/suspicious/noExplicitAny: recorded arguments have no one type
type Args = Readonly<Record<string, any>>;

/** A pairs file that cannot be read; the message names the line. */
export class BadPairs extends Error {}

/** The pairs of a file, one JSON object a line, gzip or not; empty lines are skipped. */
export function parsePairs(bytes: Uint8Array): Pair[] {
  const pairs: Pair[] = [];
  for (const [index, text] of decode(bytes).split('\n').entries()) {
    if (text.trim() !== '') pairs.push(parsePair(text, index + 1));
  }
  if (pairs.length === 0) throw new BadPairs('holds no pairs');
  return pairs;
}

function decode(bytes: Uint8Array): string {
  try {
    const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch (error) {
    throw new BadPairs(`is neither UTF-8 text nor a gzip of it: ${(error as Error).message}`);
  }
}

function parsePair(text: string, line: number): Pair {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadPairs(`line ${line} is not JSON: ${(error as Error).message}`);
  }
  const { fn, args, expected } = isRecord(value) ? value : {};
  if (typeof fn !== 'string' || !isRecord(args) || expected === undefined) {
    throw new BadPairs(`line ${line} is no pair: fn (text), args (object) and expected are needed`);
  }
  return { line, fn, args, expected };
}

/** Undefined when the model gives what was recorded, else where they part. */
export function checkPair({ fn, args, expected }: Pair): string | undefined {
  if (!Object.hasOwn(FUNCTIONS, fn)) return `no function ${JSON.stringify(fn)}`;
  try {
    return differ(FUNCTIONS[fn]?.(args), expected, '');
  } catch (error) {
    return `threw ${error}`;
  }
}

const FUNCTIONS: Readonly<Record<string, (args: Args) => unknown>> = {
  score: toScore,
  score_combine: toCombined,
  group_key: ({ finding }) => groupKeyOf(finding),
  detector_key: ({ finding }) => detectorKey(finding),
  bundle: ({ finding }) => {
    const text = renderEvidence(finding);
    return { text, hash: hashEvidence(text) };
  },
  redact: ({ text }) => redactEvidence(text),
  group_risk: ({ risks }) => groupRisk(risks),
  validate_review: toValidated,
  cvss: toCvss,
  severity: ({ value }) => normaliseSeverity(value),
  confidence: ({ value }) => normaliseConfidence(value),
  learned: ({ base, real, fp }) => learnedConfidence(base, real, fp),
  tier: ({ inputs, c, l, i, r }) => {
    const { tier, why } = tierOf(inputs, { C: c, L: l, I: i, R: r });
    return [tier, why];
  },
};

const scoreOf = ({ finding, facts, intel }: Args) =>
  scoreRow(finding as FindingRow, parseFacts(facts), parseIntel(intel));

function toScore(args: Args) {
  const score = scoreOf(args);
  const { storedFactors, tierRule, tierInputs, ...rest } = score;
  return {
    ...rest,
    explanation: explainScore(score),
    stored_factors: storedFactors,
    tier_rule: tierRule,
    tier_inputs: tierInputs,
  };
}

function toCombined(args: Args) {
  const { tierRule, decidedBy, ...rest } = combineLayers({
    base: toBaseLayer(scoreOf(args)),
    review: args['review'] === undefined ? undefined : toReview(args['review']),
    decision: args['decision'] as DecisionLayer | undefined,
    evidenceHash: args['evidence_hash'],
    provenNow: args['proven_now'],
  });
  return { ...rest, tier_rule: tierRule, decided_by: decidedBy };
}

const toReview = (review: Args): ReviewLayer => ({
  verdict: review['verdict'],
  evidenceHash: review['evidence_hash'],
  channel: review['channel'],
  impactMultiplier: review['impact_multiplier'],
  impactQuote: review['impact_quote'],
  disputedFacts: review['disputed_facts'],
});

function toValidated({ item, bundle, row }: Args) {
  const { impactMultiplier, impactQuote, disputedFacts, evidenceQuote, fixLever, ...rest } = validateReview(
    item,
    bundle,
    row,
  );
  return {
    ...rest,
    impact_multiplier: impactMultiplier,
    impact_quote: impactQuote,
    disputed_facts: disputedFacts,
    evidence_quote: evidenceQuote,
    fix_lever: fixLever,
  };
}

function toCvss({ vector }: Args) {
  const cvss = parseCvss(vector);
  return {
    version: cvss.version,
    impact: cvss.impact,
    exploitability: cvss.exploitability,
    privileges_required: cvss.privilegesRequired,
    user_interaction: cvss.userInteraction,
    attack_vector: cvss.attackVector,
    attack_complexity: cvss.attackComplexity,
  };
}

/** A power may differ in its last bit between languages; everything else is the same to the bit. */
const TOLERANCE = 1e-12;

function differ(actual: unknown, expected: unknown, path: string): string | undefined {
  if (typeof actual === 'number' && typeof expected === 'number') {
    return Math.abs(actual - expected) <= TOLERANCE ? undefined : show(actual, expected, path);
  }
  if (!isObject(actual) || !isObject(expected) || Array.isArray(actual) !== Array.isArray(expected)) {
    return actual === expected ? undefined : show(actual, expected, path);
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const difference = differ(actual[key], expected[key], `${path}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

const show = (actual: unknown, expected: unknown, path: string): string =>
  `${path === '' ? 'result' : path.slice(1)} is ${JSON.stringify(actual)}, recorded ${JSON.stringify(expected)}`;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value);
