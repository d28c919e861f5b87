import fc from 'fast-check';
import { parseFacts, parseIntel } from '../../src/risk/facts.ts';
import type { FindingRow } from '../../src/risk/row.ts';
import { scoreRow } from '../../src/risk/score.ts';

/** Scores a row with facts and intelligence in their plain form. */
export const score = (row: FindingRow, facts: unknown = {}, intel: unknown = {}) =>
  scoreRow(row, parseFacts(facts), parseIntel(intel));

export const HOSTS = ['h1', 'h2', 'https://app.example.test/'] as const;

const VECTORS = [
  'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  'CVSS:3.1/AV:N/AC:H/PR:L/UI:R/S:U/C:L/I:N/A:N',
  'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N',
  'CVSS:4.0/AV:N/AC:L/AT:P/PR:L/UI:P/VC:H/VI:L/VA:N/SC:H/SI:N/SA:N',
  'AV:L/AC:L/Au:N/C:C/I:C/A:C',
  'sqli',
];

const COLUMNS: Record<string, readonly unknown[]> = {
  label: [
    'Vulnerability',
    'Secret',
    'GithubSecret',
    'JsReconFinding',
    'MalPackageFinding',
    'ExploitGvm',
    'CodeFinding',
  ],
  source: ['nuclei', 'gvm', 'security_check', 'osv', 'trufflehog', 'js_recon', 'shodan', 'ast-grep', 'newtool', ''],
  severity: ['critical', 'high', 'medium', 'low', 'info', 'unknown', '7.5', '95'],
  triage_host: HOSTS,
  cvss_vector: VECTORS,
  cvss_score: [0, 3.1, 7, '9.8', 10],
  cve_ids: [[], ['CVE-2021-1'], ['cve-2021-1', 'CVE-2022-2']],
  cisa_kev: [true, false, 'true', 'no'],
  has_exploit: [true, false],
  type: ['sqli', 'missing_hsts', 'open_redirect', 'brute_force', 'subdomain_takeover'],
  category: ['xss', 'rce', 'source_map', 'ssrf'],
  tags: [[], ['tech'], ['exposure'], ['rce', 'cve2021'], ['Panel']],
  matcher_status: [true, false, 'true'],
  extracted_results: [[], ['v1.2'], ['DB_PASSWORD=hunter22']],
  qod: [0, 30, 70, '80', 95, 98],
  qod_type: ['exploit', 'remote_banner'],
  state: ['vulnerable', 'not vulnerable'],
  verdict: ['confirmed', 'malicious', 'suspicious', 'likely'],
  validation_status: ['validated', 'unvalidated'],
  validated_at: ['2026-01-01T00:00:00Z'],
  remediated: [true, false],
  stale_since: ['2026-01-01'],
  confidence: ['high', 'low', 0.5, 85],
  cwe_ids: [['CWE-89'], ['CWE-798'], ['CWE-614'], []],
  detector_name: ['AWS', 'Private IP', 'Generic API Key'],
  package_purl: ['pkg:npm/lodash@4.17.20'],
  package_version: ['4.17.20'],
  repository_public: [true, false],
};

/** Rows as the graph holds them: any of the columns, with values that their writers use. */
export const anyRow: fc.Arbitrary<FindingRow> = fc
  .record(Object.fromEntries(Object.entries(COLUMNS).map(([column, values]) => [column, fc.constantFrom(...values)])), {
    requiredKeys: [],
  })
  .chain(row => fc.nat(9_999).map(number => ({ id: `f${number}`, ...row })));

/** Rows with values of every type in every column. */
export const brokenRow: fc.Arbitrary<FindingRow> = fc.record(
  Object.fromEntries(
    [...Object.keys(COLUMNS), 'id', 'name', 'raw_response', 'ai_asr', 'confirmed_exploits', 'tools', 'path'].map(
      column => [
        column,
        fc.oneof(
          fc.anything(),
          fc.constantFrom(
            'inf',
            'nan',
            '1e999',
            Number.NaN,
            Number.POSITIVE_INFINITY,
            '9'.repeat(400),
            true,
            -1,
            '',
            [null],
            {},
          ),
        ),
      ],
    ),
  ),
  { requiredKeys: [] },
);

const hostList = fc.subarray([...HOSTS]);

export const anyFacts = fc.record(
  {
    live_hosts: hostList,
    auth_required_hosts: hostList,
    origin_exposed_hosts: hostList,
    cdn_only_hosts: hostList,
    threat_intel_hosts: hostList,
    compromised_hosts: hostList,
    sensitive_hosts: hostList,
    login_hosts: hostList,
    credential_hosts: hostList,
    injectable_auth_hosts: hostList,
    gone_hosts: hostList,
    proven_cve_ids: fc.subarray(['CVE-2022-2']),
    port_hosts: fc.dictionary(fc.constantFrom(...HOSTS), fc.constantFrom('active', 'passive')),
    package_exposure: fc.constantFrom({}, { 'pkg:npm/lodash@4.17.20': 'served' }, { 'pkg:npm/lodash@4.17.20': 'repo' }),
    detector_labels: fc.constantFrom({}, { gvm: { real: 3, fp: 9 }, 'nuclei:tech-detect': { real: 0, fp: 40 } }),
  },
  { requiredKeys: [] },
);

export const anyIntel = fc.dictionary(
  fc.constantFrom('CVE-2021-1', 'CVE-2022-2'),
  fc.record({ kev: fc.boolean(), has_poc: fc.boolean(), epss_score: fc.constantFrom(0, 0.004, 0.05, 0.2, 0.97) }),
);
