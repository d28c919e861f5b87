import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { assignGroups, type Member } from '../../src/risk/group.ts';
import { groupKeyOf } from '../../src/risk/group-key.ts';

describe('keys', () => {
  test('of several CVEs in several fields the lowest names the group', () => {
    const row = { source: 'osv', package_purl: 'pkg:npm/a@1', cve_ids: ['x CVE-2022-5000', 'cve-2021-44228'] };
    expect(groupKeyOf(row)).toBe('cve:cve-2021-44228');
    expect(groupKeyOf({ ...row, name: 'CVE-2020-0001 again' })).toBe('cve:cve-2020-0001');
    expect(groupKeyOf({ ...row, id: 'cve-2019-1234567' })).toBe('cve:cve-2019-1234567');
    expect(groupKeyOf({ ...row, description: 'see CVE-2018-0001, CVE-2017-0001' })).toBe('cve:cve-2017-0001');
  });

  test('a secret is its hash, trimmed; without a value its detector and host', () => {
    const hash = createHash('sha256').update('s3cret').digest('hex').slice(0, 32);
    expect(groupKeyOf({ label: 'Secret', raw_secret: ' s3cret\n', triage_host: 'h' })).toBe(`secret:${hash}`);
    expect(groupKeyOf({ label: 'Secret', detector_name: 'AWS Key', triage_host: 'https://H/' })).toBe(
      'secret:aws-key:https://h/',
    );
  });

  test.each([
    ['malpkg:mal-2024-1', { source: 'guarddog', id: 'MAL-2024-1', package_name: 'x' }],
    ['pkg:npm/@a/b@1', { source: 'osv', package_purl: 'pkg:npm/@a/b@1' }],
    ['pkg:lodash', { label: 'MalPackageFinding', package_name: 'Lodash' }],
    ['advisory:ghsa-1', { source: 'retirejs', id: 'GHSA-1' }],
    ['nuclei:http/panel-x', { source: 'nuclei', template_id: 'http/Panel  X' }],
    ['gvm:f', { label: 'ExploitGvm', id: 'f' }],
    [
      'check:missing_header:x-frame-options',
      { source: 'security_check', type: 'missing_header', missing_header: 'X-Frame-Options' },
    ],
    ['takeover::', { source: 'takeover_scan' }],
    ['cache:unkeyed:header', { source: 'cache_poisoning', technique: 'unkeyed', vector: 'header' }],
    ['ai:llm01:', { source: 'garak', ai_owasp_llm_id: 'LLM01' }],
    ['ghfile:o/r:src/a.pem', { label: 'GithubSensitiveFile', triage_host: 'o/r', path: 'src/a.pem' }],
    ['js:api_key:name', { source: 'jsluice', finding_type: 'api_key', name: 'Näme' }],
    ['finding:', {}],
    [
      'code:ruff:s602:src/a.py',
      { label: 'CodeFinding', source: 'ruff', rule_id: 'S602', path: 'src/a.py', description: 'CVE-2021-1234' },
    ],
  ])('%s', (key, row) => {
    expect(groupKeyOf(row)).toBe(key.replace('näme', 'nme').replace(':name', ':nme'));
  });

  test('a key has 200 characters at most', () => {
    expect(groupKeyOf({ source: 'nuclei', template_id: 'x'.repeat(500) })).toHaveLength(147);
    const long = groupKeyOf({
      label: 'CodeFinding',
      source: 's'.repeat(90),
      rule_id: 'r'.repeat(90),
      path: 'p'.repeat(300),
    });
    expect(long.length).toBeLessThanOrEqual(200);
  });
});

describe('groups', () => {
  const member = (id: string, score: number, changes: Partial<Member['view']> = {}): Member => ({
    row: { id, source: 'nuclei', template_id: id.slice(0, 1) },
    view: { state: 'open', tier: 'T3', risk: 0.2, score, ...changes },
  });

  test('the highest first, members too; only open ones count', () => {
    const closed = member('a3', 0, { state: 'fixed', tier: 'T4', risk: 0 });
    const groups = assignGroups([
      member('a1', 30),
      closed,
      member('b1', 60, { tier: 'T2', risk: 0.4 }),
      member('a2', 31),
    ]);
    expect(groups.map(g => [g.key, g.members.map(m => m.row.id), g.liveCount, g.tier, g.risk, g.score])).toEqual([
      ['nuclei:b', ['b1'], 1, 'T2', 0.4, 60],
      ['nuclei:a', ['a2', 'a1', 'a3'], 2, 'T3', 0.36, 34],
    ]);
  });

  test('a group with nothing open has no score, and equal groups go by key', () => {
    const gone = { state: 'gone', tier: 'T4', risk: 0 } as const;
    const groups = assignGroups([member('b', 0, gone), member('a', 0, gone)]);
    expect(groups.map(g => [g.key, g.score, g.tier])).toEqual([
      ['nuclei:a', 0, 'T4'],
      ['nuclei:b', 0, 'T4'],
    ]);
    expect(assignGroups([])).toEqual([]);
  });
});
