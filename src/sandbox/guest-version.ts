// Written by .github/generate.mjs.

/** What the program of sandbox/go/guest calls itself that belongs to this version of CypherFix. */
export const GUEST_VERSION = '4fe99b2f518b994d';
