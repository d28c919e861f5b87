import { SILENT_LOG } from '../../src/core/log.ts';
import { createBudget } from '../../src/model/budget.ts';
import type { Model } from '../../src/model/model.ts';
import { findPrices } from '../../src/model/prices.ts';
import type { FindingRow } from '../../src/risk/row.ts';
import type { TriageRunInput } from '../../src/triage/run-triage.ts';
import type { TriageStore } from '../../src/triage/store.ts';
import { TRIAGE_MAX_CALLS, TRIAGE_SHARES, type TriageModel } from '../../src/triage/triage-model.ts';

export const MODEL = 'claude-sonnet-5-5';
export const NOW = Date.parse('2027-01-02T03:04:05Z');
export const BOUNDARY = 'k3f9q2z7';

/** A finding of nuclei with a response that shows what it found. */
export const nucleiRow = (id: string, rest: FindingRow = {}): FindingRow => ({
  id,
  label: 'Vulnerability',
  source: 'nuclei',
  name: 'SQL injection in search',
  severity: 'high',
  type: 'sqli',
  template_id: `sqli-${id}`,
  matched_at: `https://app.example.test/${id}`,
  matcher_status: true,
  triage_host: 'https://app.example.test',
  raw_response: 'HTTP/1.1 500 Internal Server Error\nYou have an error in your SQL syntax near',
  seen_updated_at: '2027-01-01T00:00:00Z',
  ...rest,
});

export function triageModel(
  model: Model,
  rest: { totalUsd?: number; deadline?: number; now?: () => number } = {},
): TriageModel {
  const { totalUsd = 5, now = () => NOW, deadline = now() + 3_600_000 } = rest;
  const budget = createBudget({
    totalUsd,
    shares: TRIAGE_SHARES,
    maxCalls: TRIAGE_MAX_CALLS,
    deadline,
    prices: findPrices([MODEL], {}),
    now,
  });
  return { model, name: MODEL, effort: 'medium', budget };
}

export const runInput = (store: TriageStore, rest: Partial<TriageRunInput> = {}): TriageRunInput => ({
  store,
  start: { trigger: 'local', automatic: false },
  own: null,
  target: { repository: 'acme/shop', branch: 'main' },
  intelFolder: null,
  model: null,
  reviewBudget: 150,
  log: SILENT_LOG,
  now: () => NOW,
  random: () => BOUNDARY,
  signal: new AbortController().signal,
  ...rest,
});
