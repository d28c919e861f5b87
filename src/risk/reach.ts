import { codeReachOf, publicCodeOf } from './code-factors.ts';
import type { ScoringContext } from './context.ts';
import type { Factor } from './factor.ts';
import { isTruthy, textOr } from './python-values.ts';
import type { FindingRow, ProjectFacts } from './row.ts';

const LOCAL: Factor = { value: 0.3, evidence: 'the vector needs local or physical access' };
const ADJACENT: Factor = { value: 0.5, evidence: 'the vector needs adjacent network access' };
const ORIGIN: Factor = { value: 1, evidence: 'behind a CDN, but the origin is exposed' };
const SERVED: Factor = { value: 1, evidence: 'the package is served by a live site' };
const LOGIN: Factor = { value: 0.6, evidence: 'the URL answered 401/403, so a login is needed' };
const LIVE: Factor = { value: 1, evidence: 'a live endpoint on this host' };
const OPEN_PORT: Factor = { value: 1, evidence: 'an open port found by an active scan' };
const SEEN_PORT: Factor = { value: 0.7, evidence: 'the port was only seen passively' };
const PUBLIC_REPOSITORY: Factor = { value: 1, evidence: 'the repository is public' };
const ACCOUNT: Factor = { value: 0.6, evidence: 'the vector needs an account' };
const CDN: Factor = { value: 0.7, evidence: 'behind a CDN with no origin found' };
const UNKNOWN: Factor = { value: 0.8, evidence: 'no reachability evidence either way' };

const REPOSITORY_SOURCES: ReadonlySet<string> = new Set([
  'github_hunt',
  'github',
  'git',
  'trufflehog',
  'github_experimental',
]);

/** R: can an attacker get there? The first rule that applies. */
export function reachOf({ row, source, host, cvss, facts }: ScoringContext): Factor {
  if (row.label === 'CodeFinding') {
    return codeReachOf(row) ?? deploymentOf(row, host, facts) ?? publicCodeOf(row) ?? UNKNOWN;
  }
  if (cvss.attackVector === 'L' || cvss.attackVector === 'P') return LOCAL;
  if (cvss.attackVector === 'A') return ADJACENT;
  const deployed = deploymentOf(row, host, facts);
  if (deployed !== undefined) return deployed;
  if (REPOSITORY_SOURCES.has(source) && isTruthy(row.repository_public)) return PUBLIC_REPOSITORY;
  if (cvss.privilegesRequired === 'L' || cvss.privilegesRequired === 'H') return ACCOUNT;
  return facts.cdnOnlyHosts.has(host) ? CDN : UNKNOWN;
}

function deploymentOf(row: FindingRow, host: string, facts: ProjectFacts): Factor | undefined {
  if (facts.originExposedHosts.has(host)) return ORIGIN;
  if (facts.packageExposure.size > 0) {
    const exposure = facts.packageExposure.get(textOr(row.package_purl) || textOr(row.package_name));
    if (exposure === 'served') return SERVED;
    if (exposure === 'repo' || exposure === 'sbom') {
      return { value: 0.7, evidence: `the package is only in a ${exposure}, deployment not confirmed` };
    }
  }
  if (facts.liveHosts.has(host)) return facts.authRequiredHosts.has(host) ? LOGIN : LIVE;
  const port = facts.portHosts.get(host);
  return port === undefined ? undefined : port === 'active' ? OPEN_PORT : SEEN_PORT;
}
