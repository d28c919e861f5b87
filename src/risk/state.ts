import { isPresent, isTruthy } from './python-values.ts';
import type { FindingRow, ProjectFacts } from './row.ts';

/** `false_positive` comes from a review or a person, never from a row. */
export type State = 'open' | 'fixed' | 'gone' | 'inactive' | 'false_positive';

export interface StateDecision {
  readonly state: State;
  /** Why it is not open. */
  readonly why: string;
}

const OPEN: StateDecision = { state: 'open', why: '' };
const PATCHED: StateDecision = { state: 'fixed', why: 'the scanner confirmed it is patched' };
const STALE: StateDecision = { state: 'fixed', why: 'the last scan of this source no longer reports it' };
const DEAD: StateDecision = { state: 'inactive', why: 'the credential was tested and does not work' };
const GONE: StateDecision = { state: 'gone', why: 'the host has no live endpoint and no open port' };

/** Whether there is anything left to do about a finding. */
export function stateOf(row: FindingRow, host: string, facts: ProjectFacts): StateDecision {
  if (isTruthy(row.remediated)) return PATCHED;
  if (isPresent(row.stale_since)) return STALE;
  if (row.validation_status === 'unvalidated' && isPresent(row.validated_at)) return DEAD;
  return facts.goneHosts.has(host) ? GONE : OPEN;
}

/** States that a scan or the graph decided; reviews and verdicts do not reopen them. */
export const isResolved = (state: State): boolean => state === 'fixed' || state === 'gone' || state === 'inactive';
