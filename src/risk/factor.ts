import { roundTo } from './rounding.ts';

/** One of the four numbers of a score with the reason for it, in words for people. */
export interface Factor {
  readonly value: number;
  readonly evidence: string;
}

export interface Factors<Value = Factor> {
  /** 0..1: is it real? */
  readonly C: Value;
  /** 0..1: will somebody exploit it? */
  readonly L: Value;
  /** 0..1.2: what would be lost? */
  readonly I: Value;
  /** 0..1: can an attacker get there? */
  readonly R: Value;
}

export const FACTOR_NAMES = ['C', 'L', 'I', 'R'] as const;
export type FactorName = (typeof FACTOR_NAMES)[number];

/** As a factor is stored and shown: four decimals. Most factors come from tables and are shared, not copied. */
export function toStoredFactor(factor: Factor): Factor {
  const value = roundTo(factor.value, 4);
  return value === factor.value ? factor : { value, evidence: factor.evidence };
}

/** A factor for each row of a table or vector, made once: 100,000 findings then share their texts. */
export function shareFactors<Key extends object>(make: (key: Key) => Factor): (key: Key) => Factor {
  const made = new WeakMap<Key, Factor>();
  return key => {
    let factor = made.get(key);
    if (factor === undefined) {
      factor = make(key);
      made.set(key, factor);
    }
    return factor;
  };
}
