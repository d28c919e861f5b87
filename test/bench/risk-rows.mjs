// Rows for the bench of the score model: the columns and values that the reference's recorded pairs have. `sparse` rows
// hold about half of the columns, each row others; `full` rows hold every column of a query, most of them null.

const SOURCES = [
  'nuclei',
  'gvm',
  'security_check',
  'osv',
  'retirejs',
  'trufflehog',
  'js_recon',
  'takeover_scan',
  'cache_poisoning',
  'graphql_scan',
  'ai_attack',
  'shodan',
  'nmap_nse',
  'github_hunt',
  'guarddog',
  'origin_discovery',
  'newtool',
  '',
];
const LABELS = [
  'Vulnerability',
  'Vulnerability',
  'Vulnerability',
  'Vulnerability',
  'Vulnerability',
  'Secret',
  'GithubSecret',
  'MultiscannerFinding',
  'JsReconFinding',
  'MalPackageFinding',
  'ExploitGvm',
];
const VECTORS = [
  '',
  'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  'CVSS:3.1/AV:N/AC:H/PR:L/UI:R/S:U/C:H/I:H/A:H',
  'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
  'CVSS:3.1/AV:A/AC:L/PR:H/UI:N/S:C/C:L/I:L/A:N',
  'CVSS:4.0/AV:N/AC:L/AT:P/PR:L/UI:P/VC:H/VI:L/VA:N/SC:H/SI:N/SA:N',
  'AV:N/AC:L/Au:N/C:C/I:C/A:C',
];

const COLUMNS = {
  severity: ['critical', 'high', 'medium', 'low', 'info', 'unknown', '7.5'],
  name: ['Missing header', 'Outdated library with a known weakness', 'CVE-2021-44228 in lib'],
  cvss_vector: VECTORS,
  cvss_score: [0, 3.1, 7, 9.8, '9.8'],
  cisa_kev: [false, false, false, false, true],
  has_exploit: [false, false, true],
  type: ['open_redirect', 'missing_hsts', 'sqli', 'brute_force', 'subdomain_takeover', 'foo'],
  category: ['xss', 'rce', 'source_map', 'enforcement', 'SQLi'],
  template_id: ['tech-detect', 'CVE-2021-44228-log4j-rce', 'http/exposed-panel', 'source-map'],
  matcher_status: [true, false, 'true'],
  is_dast_finding: [true, false],
  qod: [0, 30, 70, 80, 95, '80'],
  qod_type: ['remote_banner', 'exploit', 'remote_vul', 'package'],
  state: ['vulnerable', 'not vulnerable'],
  verdict: ['confirmed', 'likely', 'manual_review', 'suspicious'],
  confidence_tier: ['confirmed', 'strong', 'tentative'],
  ai_asr: [0.2, 0.5, 0.9],
  ai_oracle_kind: ['classifier', 'regex'],
  introspection_enabled: [false, true],
  package_name: ['lodash', 'express', 'left-pad'],
  package_purl: ['pkg:npm/lodash@4.17.20', 'pkg:pypi/x@1'],
  package_version: ['4.17.20', '1.0.0'],
  confidence_score: [50, 70, 90],
  confidence: ['high', 'low', 0.5, 85],
  detector_name: ['AWS', 'GitHub token', 'Private IP', 'Generic API Key'],
  secret_type: ['password', 'token', 'uuid'],
  finding_type: ['api_key', 'internal_ip', 'cloud_storage', 'xyz'],
  validation_status: ['unvalidated', 'unknown'],
  raw_response: ['HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: text/html\r\n\r\n<html><body>hello</body></html>'],
  evidence: ['the header Strict-Transport-Security is not set', 'matched in the body of the answer'],
  description: ['The server answers without the header that tells browsers to use TLS only.'],
  repository_public: [true, false],
  oid: ['1.3.6.1.4.1.25623.1.0.1', '1.3.6.1.4.1.25623.1.0.2'],
  key_type: ['aws'],
};
const LISTS = {
  cve_ids: [[], [], ['CVE-2021-1'], ['cve-2021-1', 'CVE-2022-2']],
  tags: [[], ['tech'], ['rce', 'cve2021'], ['exposure'], ['misconfig', 'cve']],
  extracted_results: [[], ['v1.2']],
};

/** `count` rows of `sparse` or `full` form, the same at every run. */
export function makeRows(kind, count) {
  const random = generator(kind === 'sparse' ? 7 : 11);
  const pick = list => list[Math.floor(random() * list.length)];
  const hosts = Array.from({ length: 200 }, (_, index) => `https://app${index}.example.test/`);
  return Array.from({ length: count }, (_, index) => {
    const row = { id: `f${index}`, label: pick(LABELS), source: pick(SOURCES), triage_host: pick(hosts) };
    for (const [column, values] of Object.entries({ ...COLUMNS, ...LISTS })) {
      const isSet = random() < 0.5;
      if (isSet) row[column] = pick(values);
      else if (kind === 'full') row[column] = null;
    }
    return row;
  });
}

export function makeFacts() {
  const hosts = (from, to) =>
    Array.from({ length: to - from }, (_, index) => `https://app${from + index}.example.test/`);
  return {
    live_hosts: hosts(0, 100),
    sensitive_hosts: hosts(90, 120),
    login_hosts: hosts(90, 110),
    credential_hosts: hosts(100, 130),
    threat_intel_hosts: hosts(120, 125),
    cdn_only_hosts: hosts(130, 160),
    port_hosts: Object.fromEntries(hosts(140, 180).map(host => [host, 'active'])),
    package_exposure: { 'pkg:npm/lodash@4.17.20': 'served', lodash: 'repo' },
    detector_labels: { 'nuclei:tech-detect': { real: 1, fp: 9 }, gvm: { real: 4, fp: 2 } },
  };
}

export function makeIntel() {
  return {
    'CVE-2021-1': { kev: false, has_poc: true, has_template: false, epss_score: 0.2 },
    'CVE-2022-2': { kev: false, has_poc: false, has_template: true, epss_score: 0.004 },
  };
}

/** A small generator (mulberry32), so that every run measures the same rows. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
