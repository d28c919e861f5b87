import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isCveId, toCveNumber } from '../../src/triage/cve-id.ts';
import { createIntelSource } from '../../src/triage/intel.ts';
import { readFeeds } from '../../src/triage/intel-feeds.ts';
import type { CachedCve } from '../../src/triage/store.ts';

const NOW = new Date('2027-01-02T00:00:00Z');
const CVE = 'CVE-2024-12345';
const none = new AbortController().signal;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cypherfix-intel-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
const kev = (rest: object = {}) =>
  JSON.stringify({
    dateReleased: '2027-01-01T12:00:00Z',
    vulnerabilities: [{ cveID: 'cve-2024-12345', notes: 'ignored' }, { cveID: 'no cve' }, null, 7],
    ...rest,
  });
const epss = (date = '2027-01-01T12:00:00+0000', lines: readonly string[] = [`${CVE},0.97,0.99`]) =>
  `#model_version:v2026.03.14,score_date:${date}\ncve,epss,percentile\n${lines.join('\n')}\n`;

async function learn(rows: readonly object[], cached: readonly CachedCve[] = []) {
  const feeds = await readFeeds(folder, NOW, none);
  const asked: string[] = [];
  const source = createIntelSource({
    feeds,
    readCache: async ids => {
      asked.push(...ids);
      return cached.filter(({ id }) => ids.includes(id));
    },
    now: NOW,
  });
  await source.learn(rows);
  return { source, asked };
}

describe('feeds', () => {
  it('say what is known of the CVEs that are asked, and nothing else', async () => {
    write('known_exploited_vulnerabilities.json', kev());
    write('epss_scores-current.csv', epss());
    write('poc.json', JSON.stringify({ [CVE]: true, 'CVE-2024-0001': false }));
    const { source, asked } = await learn([{ cve_ids: [CVE.toLowerCase(), 'GHSA-1', 'CVE-1', "CVE-2024-1' OR 1"] }]);
    expect(asked).toEqual([CVE]);
    expect([...source.intel]).toEqual([[CVE, { kev: true, hasPoc: true, hasTemplate: false, epssScore: 0.97 }]]);
    expect(source.date()).toBe('2027-01-01T12:00:00.000Z');
    expect(source.notices()).toEqual([]);
  });

  it('come packed too', async () => {
    write('epss_scores-current.csv.gz', gzipSync(epss()));
    const { source } = await learn([{ cve_ids: CVE }]);
    expect(source.intel.get(CVE)?.epssScore).toBe(0.97);
  });

  it('older than a day by their own date are used and called stale', async () => {
    write('known_exploited_vulnerabilities.json', kev({ dateReleased: '2026-12-20T00:00:00Z' }));
    write('epss_scores-current.csv', epss('2026-12-31T20:00:00Z'));
    write('poc.json', '{}');
    const { source } = await learn([{ cve_ids: [CVE] }]);
    expect(source.intel.get(CVE)).toMatchObject({ kev: true, epssScore: 0.97 });
    expect(source.notices()).toEqual([
      'CVE intelligence: known_exploited_vulnerabilities.json is of 2026-12-20, 13 days old; it is used all the same.',
      'CVE intelligence: epss_scores-current.csv is of 2026-12-31, 28 hours old; it is used all the same.',
    ]);
  });

  it.each<[string, () => void, string]>([
    [
      'no JSON',
      () => write('known_exploited_vulnerabilities.json', '{"vulnerab'),
      'known_exploited_vulnerabilities.json',
    ],
    ['no list', () => write('known_exploited_vulnerabilities.json', '{}'), 'it has no list `vulnerabilities`'],
    ['a list where an object is due', () => write('poc.json', '[]'), 'it holds no object'],
    ['no gzip', () => write('epss_scores-current.csv.gz', 'plain'), 'incorrect header check'],
    ['cut off', () => write('epss_scores-current.csv.gz', gzipSync(epss()).subarray(0, 40)), 'unexpected end of file'],
    ['empty', () => write('epss_scores-current.csv', ''), 'it holds no score'],
    ['one endless line', () => write('epss_scores-current.csv', 'x'.repeat(5_000)), 'a line is too long'],
  ])('that are broken (%s) are told, and the rest is used', async (_, breakIt, told) => {
    write('known_exploited_vulnerabilities.json', kev());
    breakIt();
    const { source } = await learn([{ cve_ids: [CVE] }]);
    expect(source.notices().join('\n')).toContain(told);
    expect(source.notices().join('\n')).toContain('the score does without it');
  });

  it('that are absent are told', async () => {
    const { source } = await learn([{ cve_ids: [CVE] }]);
    expect(source.intel.size).toBe(0);
    expect(source.notices()).toHaveLength(3);
  });

  it('with scores that are none are passed over', async () => {
    const lines = ['CVE-2024-0002,NaN,1', 'CVE-2024-0003,1.5,1', 'CVE-2024-0004,,', 'x,0.5', 'CVE-2024-0005,1e-3,0'];
    write('epss_scores-current.csv', epss(undefined, lines));
    const ids = [2, 3, 4, 5].map(n => `CVE-2024-000${n}`);
    const { source } = await learn([{ cve_ids: ids }]);
    expect([...source.intel].map(([id, { epssScore }]) => [id, epssScore])).toEqual([['CVE-2024-0005', 0.001]]);
  });
});

describe('the graph’s cache', () => {
  const cached = (rest: Partial<CachedCve> = {}): CachedCve => ({
    id: CVE,
    kev: false,
    hasPoc: false,
    hasTemplate: true,
    epssScore: 0.2,
    intelAt: '2027-01-01T18:00:00Z',
    ...rest,
  });

  it('holds where it is newer than the feed; what is listed stays listed', async () => {
    write('known_exploited_vulnerabilities.json', kev());
    write('epss_scores-current.csv', epss());
    const { source } = await learn([{ cve_ids: [CVE] }], [cached()]);
    expect(source.intel.get(CVE)).toEqual({ kev: true, hasPoc: false, hasTemplate: true, epssScore: 0.2 });
    expect(source.news()).toEqual([]);
  });

  it('learns what the feed knows better', async () => {
    write('epss_scores-current.csv', epss());
    const { source } = await learn([{ cve_ids: [CVE] }], [cached({ intelAt: '2026-12-01T00:00:00Z' })]);
    expect(source.intel.get(CVE)?.epssScore).toBe(0.97);
    expect(source.news()).toEqual([
      { id: CVE, kev: false, hasPoc: false, hasTemplate: true, epssScore: 0.97, intelAt: '2027-01-01T12:00:00.000Z' },
    ]);
  });

  it('alone and old is used and told', async () => {
    const source = createIntelSource({
      feeds: null,
      readCache: async () => [cached({ intelAt: '2026-12-01T00:00:00Z' })],
      now: NOW,
    });
    await source.learn([{ cve_ids: [CVE] }]);
    expect(source.intel.get(CVE)?.epssScore).toBe(0.2);
    expect(source.notices()).toEqual(['CVE intelligence: of 1 CVEs the graph knows only what is older than 24 hours.']);
  });

  it('that cannot be read leaves class priors and a word', async () => {
    const source = createIntelSource({ feeds: null, readCache: () => Promise.reject(new Error('slow')), now: NOW });
    await source.learn([{ cve_ids: [CVE] }]);
    expect(source.intel.size).toBe(0);
    expect(source.notices()).toEqual(["CVE intelligence: the graph's cache cannot be read (slow)."]);
  });

  it('is asked once for each CVE, 500 at a time', async () => {
    const sizes: number[] = [];
    const source = createIntelSource({
      feeds: null,
      readCache: async ids => {
        sizes.push(ids.length);
        return [];
      },
      now: NOW,
    });
    const rows = Array.from({ length: 1_100 }, (_, at) => ({ cve_ids: [`CVE-2024-${1_000 + at}`] }));
    await source.learn(rows);
    await source.learn(rows);
    expect(sizes).toEqual([500, 500, 100]);
  });
});

describe('CVE ids', () => {
  it('are told apart by their numbers', () => {
    const id = fc.tuple(fc.integer({ min: 1999, max: 2099 }), fc.stringMatching(/^\d{4,7}$/));
    fc.assert(
      fc.property(id, id, ([yearA, a], [yearB, b]) => {
        const [first, second] = [`CVE-${yearA}-${a}`, `CVE-${yearB}-${b}`];
        expect(toCveNumber(first) === toCveNumber(second)).toBe(first === second);
      }),
    );
  });

  it('of another form are none', () => {
    for (const text of [
      '',
      'CVE-2024-123',
      'cve-2024-12345',
      'CVE-2024-12345678',
      ' CVE-2024-12345',
      'CVE-2024-1234\n',
    ]) {
      expect(isCveId(text)).toBe(false);
      expect(toCveNumber(text)).toBeUndefined();
    }
  });
});
