import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Report, type ReportFinding } from '../../src/core/report.ts';
import { parseFactsFile } from '../../src/triage/facts-file.ts';
import { readJsonObjects } from '../../src/triage/json-values.ts';
import { scoreFile } from '../../src/triage/score-file.ts';
import { toTriageReport } from '../../src/triage/triage-report.ts';
import { anyRow, score } from '../risk/rows.ts';
import { shellCall } from './shell-call.ts';
import { nucleiRow } from './world.ts';

const NOTHING_KNOWN = parseFactsFile('{}', 'facts.json');

/** The text in pieces of so many bytes. */
async function* inPieces(text: string, bytes = 7): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

const rank = (text: string, known = NOTHING_KNOWN) =>
  scoreFile({ chunks: inPieces(text), fileName: 'rows.json', known });
const membersOf = ({ result }: Awaited<ReturnType<typeof scoreFile>>) =>
  result.groups.flatMap(({ members }) => members.map(({ id, tier, score: points }) => [id, tier, points]));

const finding = shellCall('a'.repeat(64));

const report = (findings: readonly ReportFinding[]) => {
  const empty = { complete: true, groups: [], remediations: [], changes: [] };
  const cut = { result: { runId: null, status: 'completed' as const, counts: EMPTY, ...empty }, truncated: {} };
  const request = { kind: 'review' as const, trigger: 'local' };
  const { triage: _, ...rest } = toTriageReport({
    ...cut,
    findings,
    notices: [],
    subject: {},
    request,
    now: new Date(0),
  });
  return rest;
};
const { EMPTY_COUNTS: EMPTY } = await import('../../src/triage/triage-result.ts');

describe('the three kinds of file', () => {
  const rows = [nucleiRow('v1'), nucleiRow('v2', { severity: 'low', type: 'x', name: 'y', cisa_kev: true })];

  it.each([
    ['a list', JSON.stringify(rows)],
    ['a list over many lines', JSON.stringify(rows, null, 2)],
    ['JSON Lines', rows.map(row => JSON.stringify(row)).join('\n')],
    [
      'JSON Lines with blank lines and a byte order mark',
      `\ufeff\n${rows.map(row => `${JSON.stringify(row)}\r\n\r\n`).join('')}`,
    ],
  ])('%s', async (_, text) => {
    const { result, notices, findings } = await rank(text);
    expect(result).toMatchObject({ runId: null, status: 'completed', counts: { findings: 2, groups: 2 } });
    expect(notices).toEqual([]);
    expect(findings).toEqual([]);
  });

  it('a report of ours: its findings are ranked, what is suppressed stays out of the groups', async () => {
    const suppressed = { ...finding, id: 'bbbbbbbb', fingerprint: 'b'.repeat(64), suppressed: { reason: 'known' } };
    const scored = await rank(JSON.stringify(report([finding, suppressed]), null, 2));
    expect(scored.result.groups).toMatchObject([{ key: 'code:bandit:b602:src/run.py', memberCount: 1 }]);
    expect(scored.findings).toHaveLength(2);
    expect(scored.findings[0]?.risk).toMatchObject({ state: 'open' });
  });

  it('an empty list', async () => {
    expect((await rank(' [ ] ')).result.counts.findings).toBe(0);
  });

  it('a row without an id is named by its line', async () => {
    expect(
      membersOf(await rank('{"source":"nuclei"}\n{"source":"gvm"}'))
        .map(([id]) => id)
        .sort(),
    ).toEqual(['line 1', 'line 2']);
  });

  it('the result is a report that the schema takes', async () => {
    const scored = await rank(JSON.stringify(rows));
    const request = { kind: 'triage' as const, trigger: 'local' };
    Report.parse(toTriageReport({ ...scored, subject: {}, request, now: new Date(0) }));
  });
});

describe('a fault is told with its place', () => {
  it.each([
    ['', 'rows.json:1: the file is empty'],
    ['  \n ', 'rows.json:1: the file is empty'],
    ['7', "rows.json:1: expected a list or an object, found '7'"],
    ['[1]', "rows.json:1: expected an object or the end of the list, found '1'"],
    ['[{}\n{}]', "rows.json:2: expected a comma or the end of the list, found '{'"],
    ['[{},]', "rows.json:1: expected an object, found ']'"],
    ['[{}', 'rows.json:1: the list does not end: expected a comma or the end of the list'],
    ['[{}]\n{}', "rows.json:2: expected nothing after the list, found '{'"],
    ['{"a":1}\n\n{"b":\n 1 2}', 'rows.json:4:4: no JSON'],
    ['{"a":1}\n{"b": [1, 2}', 'rows.json:2: the object that starts here does not end'],
    ['{"a":1}\n{"b":', 'rows.json:2: the object that starts here does not end'],
    ['{"a": 1,\n "b": nope}', 'rows.json:1: no JSON: '],
    ['{"id": "x"}\n{"id": {}}', 'rows.json:2: id: expected a text or a number'],
    ['{"id": "x", "label": 3}', 'rows.json:1: label: expected a text'],
    ['{"id": "x"}\n{"id": "y"}\n{"id": "x"}', 'rows.json:3: the same label and id as on line 1'],
    ['{"schemaVersion": 1}', 'rows.json: no report that this version writes: tool'],
    ['{"id": "x"}\n{"schemaVersion": 1}', 'rows.json:2: a report stands alone in its file'],
  ])('%j', async (text, message) => {
    await expect(rank(text)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
  });

  it('an object that is too large', async () => {
    const large = `[{"id": "x"}, {"description": "${'x'.repeat(2 * 1024 * 1024)}"}]`;
    await expect(scoreFile({ chunks: inPieces(large, 65_536), fileName: 'f', known: NOTHING_KNOWN })).rejects.toThrow(
      'f:1: the object that starts here has more than 1048576 bytes',
    );
  });

  it('text that is no UTF-8', async () => {
    async function* bytes() {
      yield Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    }
    await expect(scoreFile({ chunks: bytes(), fileName: 'f', known: NOTHING_KNOWN })).rejects.toThrow('no UTF-8');
  });

  it('columns that the ranking does not know are told', async () => {
    const { notices } = await rank('{"id":"a","severty":"high"}\n{"id":"b","severty":"low"}');
    expect(notices).toEqual(['Columns that the ranking does not know: severty (2 rows).']);
  });
});

describe('facts', () => {
  it('move the ranking', async () => {
    const row = nucleiRow('v1', { cve_ids: ['CVE-2024-12345'] });
    const known = parseFactsFile(
      '{"cve_intel": {"cve-2024-12345": {"kev": true}}, "live_hosts": ["https://app.example.test"]}',
      'f',
    );
    expect(membersOf(await rank(JSON.stringify([row]), known))[0]?.[1]).toBe('T1');
    expect(membersOf(await rank(JSON.stringify([row])))[0]?.[1]).toBe('T2');
  });

  it.each([
    ['[]', 'f: document: '],
    ['{', 'f: no JSON: '],
    ['{"live_host": []}', 'f: document: unknown key live_host'],
    ['{"live_hosts": [1]}', 'f: live_hosts.0: '],
    ['{"port_hosts": {"h": "maybe"}}', 'f: port_hosts.h: '],
    ['{"cve_intel": {"x": {}}}', 'f: cve_intel.x: '],
    ['{"cve_intel": {"CVE-2024-1234": {"epss_score": 2}}}', 'f: cve_intel.CVE-2024-1234.epss_score: '],
  ])('%s is refused', (text, message) => {
    expect(() => parseFactsFile(text, 'f')).toThrow(message);
  });
});

describe('any rows', () => {
  it('come out with the score that the model gives each, however the file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow, { maxLength: 12 }),
        fc.integer({ min: 1, max: 64 }),
        fc.boolean(),
        async (rows, bytes, lines) => {
          const named = rows.map((row, at) => ({ ...row, id: `r${at}` }));
          const text = lines ? named.map(row => JSON.stringify(row)).join('\n') : JSON.stringify(named);
          if (text === '') return;
          const chunks = inPieces(text, bytes);
          const { result } = await scoreFile({ chunks, fileName: 'f', known: NOTHING_KNOWN });
          const found = new Map(
            result.groups.flatMap(({ members }) => members.map(member => [member.id, member.score])),
          );
          expect(found).toEqual(new Map(named.map(row => [row.id, score(JSON.parse(JSON.stringify(row))).score])));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('objects are found whatever their texts hold', async () => {
    const json = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(json, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (values, bytes, pretty) => {
        const text = JSON.stringify(values, null, pretty ? 2 : 0);
        const found: unknown[] = [];
        const options = { fileName: 'f', maxBytes: 1e6, maxFirstBytes: 1e6 };
        for await (const one of readJsonObjects(inPieces(text, bytes), options)) found.push(JSON.parse(one.text));
        expect(found).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });
});
