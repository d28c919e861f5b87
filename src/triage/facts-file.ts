import { z } from 'zod';
import { CypherFixError } from '../core/errors.ts';
import { parseFacts, parseIntel } from '../risk/facts.ts';
import { type Intel, NO_INTEL, type ProjectFacts } from '../risk/row.ts';

const hosts = z.array(z.string()).exactOptional();
const count = z.int().nonnegative();

/** The file of `--facts`: what is known of the project around its findings. All of it may be absent. */
export const FactsFile = z.strictObject({
  live_hosts: hosts,
  auth_required_hosts: hosts,
  origin_exposed_hosts: hosts,
  cdn_only_hosts: hosts,
  threat_intel_hosts: hosts,
  compromised_hosts: hosts,
  sensitive_hosts: hosts,
  login_hosts: hosts,
  credential_hosts: hosts,
  injectable_auth_hosts: hosts,
  gone_hosts: hosts,
  proven_cve_ids: hosts,
  proven_finding_ids: hosts,
  port_hosts: z.record(z.string(), z.enum(['active', 'passive'])).exactOptional(),
  package_exposure: z.record(z.string(), z.enum(['served', 'repo', 'sbom'])).exactOptional(),
  detector_labels: z.record(z.string(), z.strictObject({ real: count, fp: count })).exactOptional(),
  cve_intel: z
    .record(
      z.string().regex(/^CVE-\d{4}-\d{4,7}$/i, 'expected a CVE id'),
      z.strictObject({
        kev: z.boolean().exactOptional(),
        has_poc: z.boolean().exactOptional(),
        has_template: z.boolean().exactOptional(),
        epss_score: z.number().min(0).max(1).exactOptional(),
      }),
    )
    .exactOptional(),
});

export interface FactsReading {
  readonly facts: ProjectFacts;
  readonly intel: Intel;
}

/** Facts and CVE intelligence of a file. Throws CypherFixError('usage') with file and key of every fault. */
export function parseFactsFile(text: string, fileName: string): FactsReading {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\s+/g, ' ').slice(0, 160) : 'unreadable';
    throw new CypherFixError('usage', `${fileName}: no JSON: ${reason}`);
  }
  const parsed = FactsFile.safeParse(raw);
  if (!parsed.success) {
    const faults = parsed.error.issues.slice(0, MAX_FAULTS).map(({ path, message, code, ...issue }) => {
      const key = path.map(String).join('.') || 'document';
      const unknown =
        code === 'unrecognized_keys' && 'keys' in issue ? `unknown key ${issue.keys.join(', ')}` : message;
      return `${fileName}: ${key}: ${unknown}`;
    });
    throw new CypherFixError('usage', faults.join('\n'), { hint: 'triage --help names the keys of a facts file' });
  }
  const { cve_intel: cves, ...facts } = parsed.data;
  const upper = Object.fromEntries(Object.entries(cves ?? {}).map(([id, known]) => [id.toUpperCase(), known]));
  return {
    facts: parseFacts({ ...facts, proven_cve_ids: facts.proven_cve_ids?.map(id => id.toUpperCase()) }),
    intel: cves === undefined ? NO_INTEL : parseIntel(upper),
  };
}

const MAX_FAULTS = 20;
