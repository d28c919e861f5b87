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

/** As a factor is stored and shown: four decimals. */
export const toStoredFactor = ({ value, evidence }: Factor): Factor => ({ value: roundTo(value, 4), evidence });
