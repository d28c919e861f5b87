import { setFlagsFromString } from 'node:v8';

/** The flag's name in V8 11, which Node 20 and 21 have; later ones count calls and wait long enough by themselves. */
const BUDGET = '--interrupt-budget=500000';

/**
 * Makes V8 wait longer before it optimizes a function: a review runs most of its code a few times while the sandbox needs
 * both processors, and a sixth of its processor time went into optimized code that hardly ran. What runs long is
 * optimized all the same.
 */
export function optimizeLate(): void {
  if (process.versions.v8.startsWith('11.')) setFlagsFromString(BUDGET);
}
