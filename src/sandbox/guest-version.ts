// Written by .github/generate.mjs.

/** What the program of sandbox/go/guest calls itself that belongs to this version of CypherFix. */
export const GUEST_VERSION = 'c9ccfaad1782382b';
