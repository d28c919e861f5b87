import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TriageRemediation } from '../../src/core/triage.ts';
import { NO_FACTS } from '../../src/risk/facts.ts';
import { type FindingRow, NO_INTEL } from '../../src/risk/row.ts';
import { groupFindings, rankRow } from '../../src/triage/ranked-finding.ts';
import { toRemediations } from '../../src/triage/remediations.ts';
import { NOTHING_STORED } from '../../src/triage/stored.ts';
import { anyRow } from '../risk/rows.ts';
import { nucleiRow } from './world.ts';

const CONTEXT = { facts: NO_FACTS, intel: NO_INTEL, storedOf: () => NOTHING_STORED };
const TARGET = { repository: 'acme/shop', branch: 'main' };

const groupsOf = (rows: readonly FindingRow[]) =>
  groupFindings(rows.map((row, at) => rankRow(row, String(row.id ?? `row-${at}`), CONTEXT)));
const fixesOf = (rows: readonly FindingRow[]) => toRemediations(groupsOf(rows), TARGET);
const fixOf = (row: FindingRow) => fixesOf([row])[0];

const lodash: FindingRow = {
  id: 'GHSA-1',
  label: 'Vulnerability',
  source: 'osv',
  name: 'Prototype pollution in lodash',
  severity: 'moderate',
  package_purl: 'pkg:npm/lodash',
  package_name: 'lodash',
  package_version: '4.17.20',
  fixed_version: '4.17.21',
};

describe('names, kinds and solutions', () => {
  it('of a package', () => {
    expect(fixOf(lodash)).toMatchObject({
      groupKey: 'pkg:npm/lodash',
      title: 'Upgrade npm/lodash',
      solution: 'Upgrade `lodash` to 4.17.21.',
      remediationType: 'dependency_upgrade',
      category: 'dependency',
      severity: 'medium',
      targetRepo: 'acme/shop',
      targetBranch: 'main',
    });
    expect(fixOf({ ...lodash, fixed_version: '' })?.solution).toBe(
      'Upgrade `lodash` to a version without this advisory.',
    );
  });

  it.each<[string, FindingRow, object]>([
    ['a CVE', nucleiRow('v1', { cve_ids: ['CVE-2024-12345'] }), { title: 'CVE-2024-12345 - SQL injection in search' }],
    [
      'a malicious package',
      { ...lodash, id: 'MAL-2024-1', label: 'MalPackageFinding' },
      { title: 'Remove malicious package (mal-2024-1)', remediationType: 'dependency_upgrade' },
    ],
    [
      'a secret',
      { id: 's1', label: 'Secret', name: 'AWS key', secret_type: 'AWS', sample: 'AKIA', severity: 'high' },
      { title: 'Rotate exposed secret: AWS key', remediationType: 'manual_review', category: 'secret' },
    ],
    [
      'a check',
      { id: 'c1', label: 'Vulnerability', source: 'security_check', type: 'cors_misconfiguration', severity: 'high' },
      { remediationType: 'config_change', category: 'hardening' },
    ],
    [
      'a secret in the code',
      {
        id: 'g1',
        label: 'CodeFinding',
        source: 'gitleaks',
        cwe_ids: ['CWE-798'],
        rule_id: 'aws',
        path: 'a.py',
        severity: 'high',
      },
      { remediationType: 'manual_review', category: 'secret', estimatedFiles: 1 },
    ],
    ['anything else', nucleiRow('v1'), { remediationType: 'code_fix', category: 'vulnerability', estimatedFiles: 0 }],
  ])('of %s', (_, row, expected) => {
    expect(fixOf(row)).toMatchObject(expected);
  });
});

describe('which and in what order', () => {
  it('those with an open member above T4, best first, counted from 1', () => {
    const rows = [
      nucleiRow('low', { severity: 'info', type: 'x', name: 'Panel' }),
      nucleiRow('fixed', { remediated: true }),
      nucleiRow('a', { severity: 'medium' }),
      nucleiRow('kev', { cisa_kev: true, severity: 'critical' }),
    ];
    expect(fixesOf(rows).map(({ groupKey, priority, tier }) => [groupKey, priority, tier])).toEqual([
      ['nuclei:sqli-kev', 1, 'T1'],
      ['nuclei:sqli-a', 2, 'T2'],
    ]);
  });

  it('members of one fix are one entry', () => {
    const one = (id: string, host: string, rest: FindingRow = {}) =>
      nucleiRow(id, { template_id: 'same', triage_host: host, ...rest });
    const hosts = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h6'];
    const rows = hosts.map((host, at) =>
      one(`v${at}`, host, { cvss_score: at, severity: at === 2 ? 'critical' : 'low' }),
    );
    const [fix, ...rest] = fixesOf([...rows, one('done', 'h7', { remediated: true })]);
    expect(rest).toEqual([]);
    expect(fix).toMatchObject({
      affectedAssetCount: 7,
      liveMemberCount: 7,
      severity: 'critical',
      cvssScore: 6,
      exploitAvailable: false,
    });
    expect(fix?.affectedAssets).toHaveLength(5);
    expect(fix?.description).toContain('The same fix resolves 8 findings, 7 of them open.');
  });

  it('known exploitation comes from the row alone; an exploit from proof or a public one', () => {
    expect(fixOf(nucleiRow('v1', { cisa_kev: true }))).toMatchObject({ cisaKev: true, exploitAvailable: true });
    expect(fixOf(nucleiRow('v1', { has_exploit: true }))).toMatchObject({ cisaKev: false, exploitAvailable: true });
    expect(fixOf(nucleiRow('v1', { confirmed_exploits: 1 }))).toMatchObject({ exploitAvailable: true });
  });
});

describe('any rows', () => {
  it('give fixes that the schema takes, in order, each group once, none of them for a closed group', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 20 }), rows => {
        const groups = groupsOf(rows);
        const fixes = toRemediations(groups, TARGET);
        for (const fix of fixes) TriageRemediation.parse(fix);
        expect(fixes.map(({ priority }) => priority)).toEqual(fixes.map((_, at) => at + 1));
        const open = groups.filter(({ tier, liveCount }) => tier !== 'T4' && liveCount > 0);
        expect(fixes.map(({ groupKey }) => groupKey)).toEqual(open.map(({ key }) => key));
        const scores = fixes.map(({ priorityScore }) => priorityScore);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
      }),
      { numRuns: 200 },
    );
  });

  it('texts stay within their bounds whatever the names are', () => {
    const long = fc.string({ unit: 'grapheme', minLength: 0, maxLength: 3_000 });
    fc.assert(
      fc.property(long, long, long, (name, path, id) => {
        const [fix] = fixesOf([nucleiRow(id, { name, path, triage_host: path, template_id: 't' })]);
        expect([...(fix?.title ?? '')].length).toBeLessThanOrEqual(120);
        expect([...(fix?.description ?? '')].length).toBeLessThanOrEqual(600);
        expect([...(fix?.findingIds[0] ?? '')].length).toBeLessThanOrEqual(200);
      }),
      { numRuns: 100 },
    );
  });
});
