import { describe, expect, test } from 'vitest';
import type { FactorName } from '../../src/risk/factor.ts';
import { detectorKey } from '../../src/risk/learn.ts';
import type { FindingRow } from '../../src/risk/row.ts';
import { score } from './rows.ts';

const V31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';

type Case = readonly [evidence: string, value: number, row: FindingRow, facts?: unknown, intel?: unknown];

function check(name: FactorName, cases: readonly Case[]) {
  test.each(cases.map(c => [c[0], c] as const))(`${name}: %s`, (_, [evidence, value, row, facts, intel]) => {
    expect(score({ id: 'f', ...row }, facts, intel).storedFactors[name]).toEqual({ value, evidence });
  });
}

describe('confidence', () => {
  check('C', [
    ['proven: an exploit or a validated credential', 1, { label: 'ExploitGvm' }],
    ['a deterministic check, not a detection', 1, { source: 'security_check' }],
    [
      'nuclei matched and extracted proof from the response',
      0.95,
      { source: 'nuclei', matcher_status: 'true', extracted_results: ['x'] },
    ],
    [
      'a nuclei DAST matcher hit',
      0.95,
      { source: 'nuclei', matcher_status: 'yes', is_dast_finding: true, extracted_results: [] },
    ],
    ['detected by nuclei', 0.75, { source: 'Nuclei ', matcher_status: 'on', extracted_results: ['x'] }],
    ['GVM QoD 95, active detection', 0.95, { source: 'gvm', qod: '95' }],
    ['GVM QoD exploit, active detection', 0.95, { source: 'gvm', qod: 'inf', qod_type: 'exploit' }],
    ['GVM QoD 70, banner or version detection', 0.75, { source: 'gvm', qod: 70.9 }],
    ['GVM QoD 0, a weak detection', 0.4, { source: 'gvm', qod: 0 }],
    ['detected by gvm', 0.75, { source: 'gvm', qod: 'inf' }],
    ['the NSE script reported VULNERABLE', 0.95, { source: 'nmap_nse', state: 'VULNERABLE' }],
    ['the takeover was confirmed', 0.95, { source: 'takeover_scan', verdict: 'confirmed' }],
    ['the takeover looks likely', 0.75, { source: 'takeover_scan', verdict: 'likely' }],
    ['the tool asked for a manual review', 0.25, { source: 'takeover_scan', verdict: 'manual_review' }],
    ['detected by takeover_scan', 0.75, { source: 'takeover_scan', verdict: 'Confirmed' }],
    ['the cache poisoning was confirmed', 0.95, { source: 'cache_poisoning', confidence_tier: 'confirmed' }],
    ['strong cache-poisoning evidence', 0.75, { source: 'cache_poisoning', confidence_tier: 'strong' }],
    ['tentative cache-poisoning evidence', 0.25, { source: 'cache_poisoning', confidence_tier: 'tentative' }],
    [
      'attack success rate 62%, judged by classifier',
      0.95,
      { source: 'ai_attack', ai_asr: 0.625, ai_oracle_kind: 'classifier' },
    ],
    ['GraphQL introspection answered', 0.95, { source: 'graphql_cop', introspection_enabled: true }],
    ["an advisory against the package's exact version", 0.9, { source: 'osv', package_version: '1.0.0' }],
    ['an advisory against a package with no known version', 0.4, { source: 'retirejs' }],
    ['GuardDog could not analyse this package', 0.1, { source: 'guarddog', soft_error: true }],
    ['a GuardDog heuristic, not a confirmation', 0.25, { source: 'guarddog' }],
    ['origin confidence 70', 0.75, { source: 'origin_discovery', confidence_score: '70' }],
    ['a weak origin match', 0.4, { source: 'origin_discovery', confidence_score: 69 }],
    ['the JS scanner is confident', 0.75, { source: 'js_recon', confidence: 'high' }],
    ['medium JS-scanner confidence', 0.6, { source: 'jsluice', confidence: 50 }],
    ['the JS scanner is unsure', 0.25, { source: 'jsluice', confidence: 'low' }],
    ['detected by shodan', 0.4, { source: 'shodan' }],
    ['a secret found in a repository, never validated', 0.6, { label: 'GithubSecret' }],
    ['a supply-chain finding', 0.25, { label: 'MalPackageFinding', verdict: 'suspicious' }],
    ['unknown source newtool: using the default', 0.75, { source: 'newtool' }],
    ['unknown source (none): using the default', 0.75, { label: 'Vulnerability' }],
  ]);

  test('verdicts of people move it, down to 0.1 and never above 0.99; proof is exempt', () => {
    const check = (real: number, fp: number, row: FindingRow = { source: 'shodan' }) =>
      score({ id: 'f', ...row }, { detector_labels: { shodan: { real, fp } } }).storedFactors.C;
    expect(check(0, 1_000)).toEqual({ value: 0.1, evidence: 'detected by shodan; you judged 0 of 1000 of these real' });
    expect(check(10_000, 0).value).toBe(0.99);
    expect(check(0, 0)).toEqual({ value: 0.4, evidence: 'detected by shodan' });
    expect(check(0, 50, { source: 'shodan', validation_status: 'validated' }).value).toBe(1);
  });

  test('a detector is known by its check, and no value can forge the key of another', () => {
    const key = (row: FindingRow) => detectorKey(row);
    expect(key({ source: 'nuclei', template_id: 'gvm:1.2 x' })).toBe('nuclei:gvm-1.2-x');
    expect([key({ source: 'osv', cve_ids: ['CVE-2021-1'] }), key({ label: 'Vulnerability' }), key({})]).toEqual([
      'osv',
      'label:vulnerability',
      'label:unknown',
    ]);
    expect(key({ label: 'CodeFinding', source: 'ruff', rule_id: 'S602' })).toBe('code:ruff:s602');
  });
});

describe('likelihood', () => {
  const epss = (epss_score: number) => ({ 'CVE-2021-1': { epss_score } });
  const cve = { cve_ids: ['cve-2021-1 '] };
  check('L', [
    ['proven by an exploit', 1, { confirmed_exploits: true }],
    ['listed in CISA KEV', 0.9, { cisa_kev: 'yes' }],
    ['EPSS 0.50', 0.8, cve, {}, epss(0.5)],
    ['EPSS 0.10', 0.6, cve, {}, epss(0.1)],
    ['EPSS 0.01', 0.4, cve, {}, epss(0.01)],
    ['the unclassified class prior', 0.3, cve, {}, epss(0.005)],
    ['a confirmed sqli finding', 0.7, { category: 'SQLi', state: 'vulnerable' }],
    ['a confirmed unclassified finding', 0.7, { template_id: 'http/log4j-rce', matcher_status: 'true' }],
    ['a usable credential', 0.6, { raw_response: 'A=1\r\nSECRET_KEY = abc' }],
    ['a usable credential', 0.6, { evidence: '-----BEGIN EC PRIVATE KEY-----' }],
    ['a public proof of concept', 0.5, { has_exploit: true }],
    ['CVSS v3 exploitability 1.00', 0.5995, { cvss_vector: V31, has_exploit: true }],
    ['the sqli class prior', 0.7, { category: 'sqli', has_exploit: true, cvss_vector: V31 }],
    [
      'the ssrf class prior; a victim must act, high attack complexity',
      0.392,
      { type: 'ssrf', cvss_vector: 'AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:H/A:H' },
    ],
    [
      'listed in CISA KEV; the agent compromised this host, the host appears in threat intelligence, a dangerous combination on this host',
      1,
      { cisa_kev: true, host: 'h' },
      { compromised_hosts: ['h'], threat_intel_hosts: ['h'], credential_hosts: ['h'], login_hosts: ['h'] },
    ],
  ]);

  test('modifiers apply to proof too, and heat stops at 1.5', () => {
    const facts = { compromised_hosts: ['h'], threat_intel_hosts: ['h'], injectable_auth_hosts: ['h'] };
    const vector = 'AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:H/A:H';
    expect(score({ id: 'f', host: 'h', cvss_vector: vector, verdict: 'malicious' }, facts).factors.L).toBe(
      1 * (0.7 * 0.8 * 1.5),
    );
    expect(score({ id: 'f', host: 'h' }, facts).factors.L).toBeCloseTo(0.45, 12);
  });

  test('word ends are those of Python, and a line break inside a list item is written as two characters', () => {
    const prior = (row: FindingRow) => score({ id: 'f', ...row }).factors.L;
    expect(prior({ raw_response: 'éDB_PASSWORD=x' })).toBe(0.3);
    expect(prior({ raw_response: 'x DB_PASSWORD=x' })).toBe(0.6);
    expect(prior({ extracted_results: ['a\nDB_PASSWORD=x'] })).toBe(0.3);
    expect(prior({ raw_response: 'AKIAABCDEFGHIJKLMNOPQ' })).toBe(0.3);
    expect(prior({ raw_response: 'db_password=x' })).toBe(0.3);
  });

  test('of several CVEs the worst of each counts', () => {
    const intel = {
      'CVE-2021-1': { kev: false, has_poc: true, epss_score: 0.05 },
      'CVE-2022-2': { kev: true, has_poc: false, epss_score: 0.2 },
    };
    const both = score({ id: 'f', cve_ids: ['CVE-2021-1', 'cve-2022-2'] }, {}, intel);
    expect(both.signals).toEqual(['KEV', 'EPSS 0.20', 'public PoC']);
    expect(both.tierInputs).toEqual({ proven: false, kev: true });
  });

  test('words of proof count only as they stand', () => {
    const proven = (row: FindingRow) => score({ id: 'f', ...row }).proven;
    expect([
      proven({ validation_status: 'validated' }),
      proven({ verdict: 'malicious' }),
      proven({ id: 'mal-2024-1' }),
    ]).toEqual([true, true, true]);
    expect([
      proven({ validation_status: ' Validated' }),
      proven({ verdict: 'MALICIOUS' }),
      proven({ confirmed_exploits: 0.5 }),
    ]).toEqual([false, false, false]);
    expect(score({ id: 'f', validation_status: 'Unvalidated', validated_at: 'x' }).state).toBe('open');
  });

  test('a class name must stand alone', () => {
    const signals = (row: FindingRow) => score({ id: 'f', ...row }).signals;
    for (const word of ['source_map', 'brute_force', 'resource_exposure', 'enforcement', 'helfire', 'commerce']) {
      expect([word, signals({ category: word })]).toEqual([word, []]);
    }
    expect(signals({ category: 'x', type: 'subdomain_takeover' })).toEqual(['subdomain_takeover']);
    expect(signals({ category: 'rce', type: 'sqli' })).toEqual(['sqli']);
  });
});

describe('impact', () => {
  check('I', [
    ['CVSS v3 impact 0.97', 0.9708, { cvss_vector: V31 }],
    ['CVSS score 7.0', 0.7, { cvss_score: 7 }],
    ['CVSS score 5.5', 0.55, { cvss_score: 0, cve_cvss: '5.5' }],
    ['severity moderate', 0.45, { severity: ' Moderate' }],
    ['severity high', 0.75, { severity: 'high', cvss_score: -1 }],
    ['the advisory was never graded', 0.45, { source: 'osv', severity: 'info' }],
    ['the advisory was never graded', 0.45, { source: 'internetdb' }],
    ['the rce class default', 0.75, { category: 'rce', severity: 'n/a' }],
    [
      "the hardening class caps this (the scanner's severity is the same for every finding it writes)",
      0.1,
      { source: 'security_check', type: 'missing_hsts', severity: 'high' },
    ],
    ['severity info', 0.02, { source: 'security_check', type: 'missing_hsts', severity: 'info' }],
    ['a fingerprint, not a weakness', 0.02, { tags: ['Tech'], severity: 'critical' }],
    ['a fingerprint, not a weakness', 0, { tags: ['tech'], cvss_vector: 'AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N' }],
    ['a fingerprint, not a weakness', 0.02, { tags: ['tech'], host: 'h' }, { sensitive_hosts: ['h'] }],
    ['severity high; on a sensitive asset', 0.9, { severity: 'high', host: 'h' }, { sensitive_hosts: ['h'] }],
    ['CVSS score 10.0; on a sensitive asset', 1.2, { cvss_score: 10, host: 'h' }, { sensitive_hosts: ['h'] }],
  ]);
});

describe('reach', () => {
  const at = { host: 'h' };
  const pkg = { package_purl: 'pkg:npm/x@1' };
  check('R', [
    ['the vector needs local or physical access', 0.3, { cvss_vector: 'AV:P/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    ['the vector needs adjacent network access', 0.5, { cvss_vector: 'AV:A/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    ['behind a CDN, but the origin is exposed', 1, at, { origin_exposed_hosts: ['h'], cdn_only_hosts: ['h'] }],
    ['the package is served by a live site', 1, pkg, { package_exposure: { 'pkg:npm/x@1': 'served' } }],
    [
      'the package is only in a sbom, deployment not confirmed',
      0.7,
      { package_name: 'x' },
      { package_exposure: { x: 'sbom' } },
    ],
    ['the URL answered 401/403, so a login is needed', 0.6, at, { live_hosts: ['h'], auth_required_hosts: ['h'] }],
    ['a live endpoint on this host', 1, { triage_host: 'h', host: 'other' }, { live_hosts: ['h'] }],
    ['an open port found by an active scan', 1, at, { port_hosts: { h: 'active' } }],
    ['the port was only seen passively', 0.7, at, { port_hosts: { h: 'passive' } }],
    ['the repository is public', 1, { source: 'trufflehog', repository_public: 'true' }],
    ['the vector needs an account', 0.6, { cvss_vector: 'AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H' }],
    ['the vector needs an account', 0.6, { cvss_vector: '(AV:N/AC:M/Au:S/C:P/I:N/A:N)' }],
    ['behind a CDN with no origin found', 0.7, at, { cdn_only_hosts: ['h'] }],
    ['no reachability evidence either way', 0.8, at],
  ]);
});

test('chips are written in order, for closed findings too', () => {
  const facts = { live_hosts: ['h'], compromised_hosts: ['h'], sensitive_hosts: ['h'], origin_exposed_hosts: ['h'] };
  const row = {
    id: 'f',
    host: 'h',
    cve_ids: ['CVE-2021-1'],
    category: 'sqli',
    cvss_vector: V31,
    stale_since: 'x',
    verdict: 'malicious',
  };
  const intel = { 'CVE-2021-1': { kev: true, has_poc: true, epss_score: 0 } };
  expect(score(row, facts, intel).signals).toEqual([
    'proven',
    'KEV',
    'EPSS 0.00',
    'public PoC',
    'live endpoint',
    'hot host',
    'sensitive asset',
    'origin exposed',
    'CVSS v3',
    'sqli',
  ]);
});

test('a source without a row is warned of once it has a name', () => {
  expect(score({ id: 'f', source: 'newtool' }).warnings).toEqual(["source 'newtool' has no confidence row"]);
  expect(score({ id: 'f' }).warnings).toEqual([]);
});
