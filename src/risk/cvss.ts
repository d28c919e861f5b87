import {
  V2,
  V2_PRIVILEGES,
  V3,
  V3_MAX_EXPLOITABILITY,
  V3_MAX_IMPACT,
  V4_REQUIREMENT_FACTOR,
  type Weights,
} from './data/cvss-weights.ts';
import { strip, textOr } from './python-values.ts';
import type { FindingRow } from './row.ts';

/** A vector as shares of the worst: impact and exploitability 0..1, null when the text holds no metric. */
export interface Cvss {
  readonly version: '' | '2' | '3' | '4';
  readonly impact: number | null;
  readonly exploitability: number | null;
  /** Letters of the vector, empty where it has none. */
  readonly privilegesRequired: string;
  readonly userInteraction: string;
  readonly attackVector: string;
  readonly attackComplexity: string;
}

export const NO_CVSS: Cvss = {
  version: '',
  impact: null,
  exploitability: null,
  privilegesRequired: '',
  userInteraction: '',
  attackVector: '',
  attackComplexity: '',
};

/** Vectors repeat from row to row; a full memory starts anew. */
const MAX_VECTORS = 4_096;
const known = new Map<string, Cvss>();

/** The first vector of a row that is not empty, parsed. */
export function cvssOf(row: FindingRow): Cvss {
  const value = textOr(row.cvss_vector) || textOr(row.cvss_metrics) || textOr(row.cve_cvss_vector);
  if (value === '') return NO_CVSS;
  const remembered = known.get(value);
  if (remembered !== undefined) return remembered;
  const parsed = parseCvss(value);
  if (known.size >= MAX_VECTORS) known.clear();
  if (value.length <= 200) known.set(value, parsed);
  return parsed;
}

/** Reads a vector of CVSS 2, 3.x or 4.0 (version 4 by an approximation); any text is accepted. */
export function parseCvss(value: unknown): Cvss {
  const text = strip(textOr(value)).toUpperCase();
  const metrics = new Map<string, string>();
  for (const [, name, letter] of text.matchAll(/([A-Z]{1,3}):([A-Z]+)/g)) metrics.set(name ?? '', letter ?? '');
  if (metrics.size === 0) return NO_CVSS;
  if (text.startsWith('CVSS:4')) return toV4(metrics);
  if (text.startsWith('CVSS:3') || (metrics.has('UI') && metrics.has('S'))) return toV3(metrics);
  if (metrics.has('AU')) return toV2(metrics);
  return metrics.has('UI') ? toV3(metrics) : toV2(metrics);
}

type Metrics = ReadonlyMap<string, string>;

function weight(weights: Weights, metrics: Metrics, name: string): number {
  const letter = metrics.get(name);
  return letter !== undefined && Object.hasOwn(weights, letter)
    ? (weights[letter] ?? weights.missing)
    : weights.missing;
}

/** Share of the three protection goals that is lost. */
const lossOf = (weights: Weights, metrics: Metrics, [c, i, a]: readonly [string, string, string]): number =>
  1 - (1 - weight(weights, metrics, c)) * (1 - weight(weights, metrics, i)) * (1 - weight(weights, metrics, a));

function toV3(metrics: Metrics): Cvss {
  const changed = metrics.get('S') === 'C';
  const loss = lossOf(V3.CIA, metrics, ['C', 'I', 'A']);
  const impact = changed ? 7.52 * (loss - 0.029) - 3.25 * (loss - 0.02) ** 15 : 6.42 * loss;
  return {
    version: '3',
    impact: Math.min(1, Math.max(0, impact) / V3_MAX_IMPACT),
    exploitability: v3Exploitability(metrics, changed ? V3.PR_CHANGED : V3.PR, 1),
    ...lettersOf(metrics),
  };
}

function toV4(metrics: Metrics): Cvss {
  const loss = Math.max(lossOf(V3.CIA, metrics, ['VC', 'VI', 'VA']), lossOf(V3.CIA, metrics, ['SC', 'SI', 'SA']));
  const requirement = metrics.get('AT') === 'P' ? V4_REQUIREMENT_FACTOR : 1;
  return {
    version: '4',
    impact: Math.min(1, Math.max(0, (6.42 * loss) / V3_MAX_IMPACT)),
    exploitability: v3Exploitability(metrics, V3.PR, requirement),
    ...lettersOf(metrics),
  };
}

function v3Exploitability(metrics: Metrics, privileges: Weights, factor: number): number {
  const product =
    8.22 *
    weight(V3.AV, metrics, 'AV') *
    weight(V3.AC, metrics, 'AC') *
    weight(privileges, metrics, 'PR') *
    weight(V3.UI, metrics, 'UI');
  return Math.min(1, (product * factor) / V3_MAX_EXPLOITABILITY);
}

function toV2(metrics: Metrics): Cvss {
  const loss = lossOf(V2.CIA, metrics, ['C', 'I', 'A']);
  const product = 20 * weight(V2.AV, metrics, 'AV') * weight(V2.AC, metrics, 'AC') * weight(V2.AU, metrics, 'AU');
  return {
    version: '2',
    impact: Math.min(1, (10.41 * loss) / 10),
    exploitability: Math.min(1, product / 10),
    ...lettersOf(metrics),
    privilegesRequired: V2_PRIVILEGES[metrics.get('AU') ?? ''] ?? '',
    userInteraction: '',
  };
}

const lettersOf = (metrics: Metrics) => ({
  privilegesRequired: metrics.get('PR') ?? '',
  userInteraction: metrics.get('UI') ?? '',
  attackVector: metrics.get('AV') ?? '',
  attackComplexity: metrics.get('AC') ?? '',
});
