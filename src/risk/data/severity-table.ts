/** I by a severity word. */
export const SEVERITY_IMPACT: Readonly<Record<string, number>> = {
  critical: 1,
  high: 0.75,
  medium: 0.45,
  moderate: 0.45,
  low: 0.2,
  info: 0.02,
  informational: 0.02,
  none: 0.02,
};

/** Least number (0 to 10) for each word, the worst first; what is above 0 is low, the rest info. */
export const SEVERITY_FLOORS: readonly (readonly [floor: number, word: string])[] = [
  [9, 'critical'],
  [7, 'high'],
  [4, 'medium'],
];

/** Words that say that nobody graded the finding. */
export const UNGRADED_WORDS: ReadonlySet<string> = new Set(['', 'unknown', 'n/a', '-']);

/** I of an advisory that was never graded. */
export const IMPACT_UNGRADED = 0.45;
/** Sources whose info or absent severity means "never graded". */
export const UNGRADED_SOURCES: ReadonlySet<string> = new Set(['osv', 'internetdb']);

/** Nothing at or below this has an impact; what a fingerprint is capped at. */
export const IMPACT_NONE = 0.02;
export const SENSITIVE_ASSET_FACTOR = 1.2;
export const MAX_IMPACT = 1.2;

/** Tags by which a template says that it recognises something and finds no weakness. */
export const FINGERPRINT_TAGS: ReadonlySet<string> = new Set(['tech', 'detect', 'detection', 'panel', 'favicon']);
