import { isTruthy, toInteger, toList, toNumber } from './python-values.ts';
import type { CveIntel, DetectorLabels, Intel, PortSight, ProjectFacts } from './row.ts';

/**
 * Facts from their plain form: lists of hosts and ids, objects by host, package or detector, all by their stored names
 * (`live_hosts`, `port_hosts`, …). What is absent or of another type is empty.
 */
export function parseFacts(value: unknown): ProjectFacts {
  const raw = toRecord(value);
  return {
    liveHosts: toSet(raw['live_hosts']),
    authRequiredHosts: toSet(raw['auth_required_hosts']),
    originExposedHosts: toSet(raw['origin_exposed_hosts']),
    cdnOnlyHosts: toSet(raw['cdn_only_hosts']),
    threatIntelHosts: toSet(raw['threat_intel_hosts']),
    compromisedHosts: toSet(raw['compromised_hosts']),
    sensitiveHosts: toSet(raw['sensitive_hosts']),
    loginHosts: toSet(raw['login_hosts']),
    credentialHosts: toSet(raw['credential_hosts']),
    injectableAuthHosts: toSet(raw['injectable_auth_hosts']),
    goneHosts: toSet(raw['gone_hosts']),
    provenCveIds: toSet(raw['proven_cve_ids']),
    provenFindingIds: toSet(raw['proven_finding_ids']),
    portHosts: toMap(raw['port_hosts'], toPortSight),
    packageExposure: toMap(raw['package_exposure'], toExposure),
    detectorLabels: toMap(raw['detector_labels'], toLabels),
  };
}

/** Intelligence from `{CVE-ID: {kev, has_poc, has_template, epss_score}}`; only the typed fields are kept. */
export function parseIntel(value: unknown): Intel {
  return toMap(value, toCveIntel);
}

function toCveIntel(value: unknown): CveIntel {
  const raw = toRecord(value);
  const epssScore = toNumber(raw['epss_score']);
  return {
    kev: isTruthy(raw['kev']),
    hasPoc: isTruthy(raw['has_poc']),
    hasTemplate: isTruthy(raw['has_template']),
    ...(epssScore === undefined ? {} : { epssScore }),
  };
}

const toPortSight = (value: unknown): PortSight | undefined =>
  value === 'active' || value === 'passive' ? value : undefined;

const toExposure = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function toLabels(value: unknown): DetectorLabels | undefined {
  const raw = toRecord(value);
  const real = Math.max(0, toInteger(raw['real'], 0));
  const fp = Math.max(0, toInteger(raw['fp'], 0));
  return real + fp === 0 ? undefined : { real, fp };
}

const toSet = (value: unknown): ReadonlySet<string> =>
  new Set(toList(value).filter((item): item is string => typeof item === 'string'));

function toMap<Item>(value: unknown, parse: (item: unknown) => Item | undefined): ReadonlyMap<string, Item> {
  const map = new Map<string, Item>();
  for (const [key, item] of Object.entries(toRecord(value))) {
    const parsed = parse(item);
    if (parsed !== undefined) map.set(key, parsed);
  }
  return map;
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** The facts of a project of which nothing is known. */
export const NO_FACTS: ProjectFacts = parseFacts({});
