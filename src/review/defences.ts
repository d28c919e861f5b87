import { stripInvisible } from '../core/untrusted.ts';
import { anchorQuote } from './anchor.ts';
import { stripComments } from './hidden-text.ts';
import { markData, neutraliseMarkers } from './markers.ts';
import { redactLines } from './redact-lines.ts';
import { confinePath } from './tools/confine-path.ts';

/**
 * What stands between untrusted text and a review, each as one function, so that a test can take one away and see an
 * attack succeed. The product uses DEFENCES and nothing else.
 */
export interface Defences {
  readonly stripInvisible: typeof stripInvisible;
  readonly stripComments: typeof stripComments;
  readonly neutraliseMarkers: typeof neutraliseMarkers;
  readonly markData: typeof markData;
  readonly redactLines: typeof redactLines;
  readonly confinePath: typeof confinePath;
  /** Which role may run the repository's tests. */
  readonly mayRunTests: (role: string) => boolean;
  /** Ids that a model may speak of: those that it was given. */
  readonly isKnownId: (id: string, given: ReadonlySet<string>) => boolean;
  /** A finding stands where its quote stands; a quote that the head does not hold stands nowhere. */
  readonly anchorQuote: typeof anchorQuote;
}

export const DEFENCES: Defences = {
  stripInvisible,
  stripComments,
  neutraliseMarkers,
  markData,
  redactLines,
  confinePath,
  mayRunTests: role => role === 'correctness',
  isKnownId: (id, given) => given.has(id),
  anchorQuote,
};
