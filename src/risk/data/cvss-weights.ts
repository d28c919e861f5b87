/** Weights of CVSS 2.0, 3.0 and 3.1 (FIRST); `missing` stands for an absent metric and an unknown letter alike. */
export interface Weights {
  readonly missing: number;
  readonly [letter: string]: number;
}

export const V3 = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2, missing: 0.85 },
  AC: { L: 0.77, H: 0.44, missing: 0.77 },
  UI: { N: 0.85, R: 0.62, missing: 0.85 },
  PR: { N: 0.85, L: 0.62, H: 0.27, missing: 0.85 },
  PR_CHANGED: { N: 0.85, L: 0.68, H: 0.5, missing: 0.85 },
  CIA: { H: 0.56, L: 0.22, N: 0, missing: 0 },
} as const satisfies Record<string, Weights>;

export const V2 = {
  AV: { L: 0.395, A: 0.646, N: 1, missing: 1 },
  AC: { H: 0.35, M: 0.61, L: 0.71, missing: 0.71 },
  AU: { M: 0.45, S: 0.56, N: 0.704, missing: 0.704 },
  CIA: { N: 0, P: 0.275, C: 0.66, missing: 0 },
} as const satisfies Record<string, Weights>;

/** What an authentication letter of version 2 means as privileges of version 3. */
export const V2_PRIVILEGES: Readonly<Record<string, string>> = { N: 'N', S: 'L', M: 'H' };

/** The largest base sub-scores of version 3: impact and exploitability are shares of them. */
export const V3_MAX_IMPACT = 6.05;
export const V3_MAX_EXPLOITABILITY = 3.89;

/** Version 4 has no formula; its attack requirement is taken as a factor on exploitability. */
export const V4_REQUIREMENT_FACTOR = 0.85;
