import { NO_FACTS } from '../risk/facts.ts';
import { isProven } from '../risk/proven.ts';
import type { Stored } from './stored-layers.ts';

/** Kinds of chain findings that prove what they confirm. */
export const PROOF_TYPES = [
  'exploit_success',
  'access_gained',
  'privilege_escalation',
  'credential_found',
  'vulnerability_confirmed',
] as const;

/**
 * Whether the graph, as it is now, proves the finding: an exploit, a working credential, a malicious package, or what
 * its query found as `confirmed`. Proof of the host alone is none.
 */
export const isProvenNow = (node: Stored, label: string, id: string): boolean =>
  node['confirmed'] === true ||
  isProven({ label, id, validation_status: node['validation_status'], verdict: node['verdict'] }, NO_FACTS, []);
