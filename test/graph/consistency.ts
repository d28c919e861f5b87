import { expect } from 'vitest';
import { PUBLISH_BATCH } from '../../src/graph/publish-ranking.ts';
import type { TestProject } from './project.ts';

/** Everything that a run publishes, as it stands. */
export interface Published {
  /** By batch: the runs whose ranking its findings hold; empty text for none. */
  readonly batches: readonly (readonly string[])[];
  /** The runs that the stored remediations come from. */
  readonly remediationRuns: readonly string[];
  readonly groupKeys: readonly string[];
  /** All of it, to compare. */
  readonly snapshot: unknown;
}

export async function readPublished(project: TestProject): Promise<Published> {
  const findings = await project.run('MATCH (n:Vulnerability {project_id: $projectId}) RETURN n ORDER BY n.id');
  const remediations = await project.run(
    'MATCH (m:Remediation {project_id: $projectId}) RETURN m ORDER BY m.group_key',
  );
  const nodes = findings.map(row => row['n'] as Record<string, unknown>);
  const items = remediations.map(row => row['m'] as Record<string, unknown>);
  for (const node of [...nodes, ...items]) expect(node).not.toHaveProperty('_triage_lock');
  const batches: string[][] = [];
  for (let start = 0; start < nodes.length; start += PUBLISH_BATCH) {
    batches.push(distinct(nodes.slice(start, start + PUBLISH_BATCH), 'triage_run_id'));
    // One transaction writes both layers of a finding.
    for (const node of nodes.slice(start, start + PUBLISH_BATCH)) {
      expect('triage_base_tier' in node).toBe('triage_tier' in node);
    }
  }
  return {
    batches,
    remediationRuns: distinct(items, 'triage_run_id'),
    groupKeys: items.map(item => String(item['group_key'])),
    snapshot: { nodes, items },
  };
}

/** No batch is half-written, and neither is the list of remediations. */
export function expectWhole({ batches, remediationRuns }: Published): void {
  for (const runs of batches) expect(runs.length).toBe(1);
  expect(remediationRuns.length).toBeLessThanOrEqual(1);
}

/** All of it is of one run. */
export function expectOf(published: Published, runId: string): void {
  for (const runs of published.batches) expect(runs).toEqual([runId]);
  expect(published.remediationRuns).toEqual([runId]);
  expect(published.groupKeys).toEqual([`of ${runId}`, 'of every run'].sort());
}

const distinct = (nodes: readonly Record<string, unknown>[], name: string): string[] => [
  ...new Set(nodes.map(node => String(node[name] ?? ''))),
];
