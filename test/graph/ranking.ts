import type { RankingRow } from '../../src/graph/ranking-row.ts';
import { NO_FACTS } from '../../src/risk/facts.ts';
import { toBaseLayer } from '../../src/risk/layers.ts';
import { type FindingRow, NO_INTEL } from '../../src/risk/row.ts';
import { scoreRow } from '../../src/risk/score.ts';

/** `updated_at` of seeded findings. */
export const SEEN = '2026-01-01T00:00:00Z';

export const idOf = (index: number): string => `v${String(index).padStart(5, '0')}`;

/** What a run would publish of a seeded finding. */
export function toRankingRow(id: string, changes: Partial<RankingRow> = {}, row: FindingRow = {}): RankingRow {
  const finding = {
    id,
    label: changes.label ?? 'Vulnerability',
    source: 'nuclei',
    severity: 'critical',
    name: 'RCE',
    ...row,
  };
  const score = scoreRow(finding, NO_FACTS, NO_INTEL);
  return {
    label: changes.label ?? 'Vulnerability',
    id,
    seenUpdatedAt: SEEN,
    base: toBaseLayer(score),
    evidenceHash: 'e'.repeat(40),
    signals: score.signals,
    host: 'host.example',
    groupKey: `finding:${id}`,
    detector: 'nuclei',
    intelDate: '2026-01-01',
    proof: [],
    review: null,
    ...changes,
  };
}

export const toRankingRows = (count: number, changes: Partial<RankingRow> = {}): RankingRow[] =>
  Array.from({ length: count }, (_, index) => toRankingRow(idOf(index), changes));
