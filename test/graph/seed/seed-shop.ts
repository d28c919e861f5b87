import type { Graph } from '../../../src/graph/graph.ts';
import type { Tenant } from '../../../src/graph/tenant.ts';
import { loadNodes, type SeedNode } from './load-nodes.ts';
import { FINDING_NODES, FINDING_RELATIONS } from './shop-findings.ts';
import { SURFACE_NODES, SURFACE_RELATIONS } from './shop-surface.ts';

const FINDING_LABEL = /Finding$|^Vulnerability$|^ExploitGvm$|Secret$|File$/;

/**
 * Writes the shop for a tenant: the full schema, a muted twin of every finding beside it, and a neighbour's project with
 * the same names, of which nothing may ever be seen.
 */
export async function seedShop(graph: Graph, tenant: Tenant): Promise<void> {
  const muted = FINDING_NODES.filter(([, label]) => FINDING_LABEL.test(label)).map(
    ([key, label, properties]): SeedNode => [
      `muted ${key}`,
      `${label}|Muted`,
      { ...properties, ...mutedKeys(properties) },
    ],
  );
  const nodes = [...SURFACE_NODES, ...FINDING_NODES];
  const relations = [...SURFACE_RELATIONS, ...FINDING_RELATIONS];
  await loadNodes(graph, tenant, [...nodes, ...muted], relations);
  await loadNodes(graph, { ...tenant, projectId: `${tenant.projectId}-neighbour` }, nodes.map(inNeighbour), relations);
}

const mutedKeys = (properties: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    ['id', 'finding_id', 'fingerprint']
      .filter(name => typeof properties[name] === 'string')
      .map(name => [name, `muted-${properties[name]}`]),
  );

/** Hosts of the neighbour have other names, so that one that gets through shows. CVE nodes are everybody's. */
const inNeighbour = ([key, label, properties]: SeedNode): SeedNode => [
  key,
  label,
  label === 'CVE' || FINDING_LABEL.test(label)
    ? properties
    : Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [
          name,
          typeof value === 'string' && ['name', 'url', 'address', 'purl', 'target_host'].includes(name)
            ? `neighbour-${value}`
            : value,
        ]),
      ),
];
