import { parseFacts } from '../risk/facts.ts';
import { toInteger, toList } from '../risk/python-values.ts';
import type { ProjectFacts } from '../risk/row.ts';
import type { Row } from './graph.ts';

/** One query each, `cypher/facts-NAME.cypher`. */
export const FACT_SETS = [
  'live-hosts',
  'auth-required-hosts',
  'port-hosts',
  'origin-exposed-hosts',
  'cdn-only-hosts',
  'threat-intel-hosts',
  'proof',
  'confirmed-exploits',
  'package-exposure',
  'login-hosts',
  'internal-hosts',
  'credential-hosts',
  'injectable-auth-hosts',
  'gone-hosts',
  'detector-labels',
] as const;

export type FactSet = (typeof FACT_SETS)[number];

/** One piece of proof, as it is stored on a finding. */
export interface ProofLink {
  readonly chain_id: string;
  readonly finding_type: string;
}

/** Databases and caches that nobody should reach from outside. */
const SENSITIVE_PORTS: ReadonlySet<unknown> = new Set([3306, 5432, 6379, 9200, 27017, 1433, 5984, 11211]);

/**
 * The facts from the rows of their queries; a set without rows is empty. Pure. Hosts keep every spelling that the graph
 * has (name, address, URL): a finding matches whichever its own host has.
 */
export function reduceFacts(sets: ReadonlyMap<FactSet, readonly Row[]>): {
  facts: ProjectFacts;
  proofByHost: ReadonlyMap<string, readonly ProofLink[]>;
} {
  const rowsOf = (set: FactSet): readonly Row[] => sets.get(set) ?? [];
  const hostsOf = (set: FactSet): string[] => textsOf(rowsOf(set).map(row => row['host']));

  const live = textsOf(rowsOf('live-hosts').flatMap(row => [row['host'], ...toList(row['names'])]));
  const login = hostsOf('login-hosts');
  const ports = reducePorts(rowsOf('port-hosts'));
  const proof = reduceProof(rowsOf('proof'));
  const known = new Set([...live, ...ports.sights.keys()]);
  const exploited = textsOf(rowsOf('confirmed-exploits').map(row => row['cve_id']));

  const facts = parseFacts({
    live_hosts: live,
    auth_required_hosts: hostsOf('auth-required-hosts'),
    origin_exposed_hosts: hostsOf('origin-exposed-hosts'),
    cdn_only_hosts: hostsOf('cdn-only-hosts'),
    threat_intel_hosts: textsOf(rowsOf('threat-intel-hosts').flatMap(row => toList(row['hosts']))),
    compromised_hosts: [...proof.byHost.keys()],
    sensitive_hosts: [...login, ...ports.sensitive, ...hostsOf('internal-hosts')],
    login_hosts: login,
    credential_hosts: hostsOf('credential-hosts'),
    injectable_auth_hosts: hostsOf('injectable-auth-hosts'),
    gone_hosts: hostsOf('gone-hosts').filter(host => !known.has(host)),
    proven_cve_ids: [...proof.cveIds, ...exploited.map(id => id.toUpperCase())],
    proven_finding_ids: proof.findingIds,
    port_hosts: Object.fromEntries(ports.sights),
    package_exposure: reduceExposure(rowsOf('package-exposure')),
    detector_labels: reduceLabels(rowsOf('detector-labels')),
  });
  return { facts, proofByHost: proof.byHost };
}

/** Trimmed; what writers leave where they have nothing is nothing. */
function textsOf(values: readonly unknown[]): string[] {
  const texts: string[] = [];
  for (const value of values) {
    if (typeof value !== 'string') continue;
    const text = value.trim();
    if (text !== '' && text !== '[]' && text !== 'None') texts.push(text);
  }
  return texts;
}

function reducePorts(rows: readonly Row[]) {
  const sights = new Map<string, string>();
  const sensitive: string[] = [];
  for (const row of rows) {
    const [host] = textsOf([row['host']]);
    if (host === undefined) continue;
    if (sights.get(host) !== 'active') sights.set(host, row['sight'] === 'active' ? 'active' : 'passive');
    if (toList(row['ports']).some(port => SENSITIVE_PORTS.has(port))) sensitive.push(host);
  }
  return { sights, sensitive };
}

function reduceProof(rows: readonly Row[]) {
  const byHost = new Map<string, ProofLink[]>();
  const cveIds: string[] = [];
  const findingIds: string[] = [];
  for (const row of rows) {
    cveIds.push(...textsOf(toList(row['cve_ids'])).map(id => id.toUpperCase()));
    findingIds.push(...textsOf(toList(row['finding_ids'])));
    const link = { chain_id: String(row['chain_id'] ?? ''), finding_type: String(row['finding_type'] ?? '') };
    for (const host of new Set(textsOf(toList(row['hosts'])))) {
      const links = byHost.get(host);
      if (links === undefined) byHost.set(host, [link]);
      else links.push(link);
    }
  }
  return { byHost, cveIds, findingIds };
}

function reduceExposure(rows: readonly Row[]): Record<string, unknown> {
  const exposure: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const row of rows) {
    const [name] = textsOf([row['package']]);
    if (name !== undefined && rankOfExposure(row['exposure']) > rankOfExposure(exposure[name])) {
      exposure[name] = row['exposure'];
    }
  }
  return exposure;
}

const rankOfExposure = (exposure: unknown): number => ['sbom', 'repo', 'served'].indexOf(String(exposure));

function reduceLabels(rows: readonly Row[]): Record<string, { real: number; fp: number }> {
  const labels: Record<string, { real: number; fp: number }> = Object.create(null) as Record<
    string,
    { real: number; fp: number }
  >;
  for (const row of rows) {
    const [detector] = textsOf([row['detector']]);
    if (detector === undefined) continue;
    const before = labels[detector] ?? { real: 0, fp: 0 };
    labels[detector] = { real: before.real + toInteger(row['real'], 0), fp: before.fp + toInteger(row['fp'], 0) };
  }
  return labels;
}
