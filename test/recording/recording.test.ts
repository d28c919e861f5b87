import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CypherFixError } from '../../src/core/errors.ts';
import { parseRecording } from '../../src/recording/recording.ts';
import { seededRandom } from '../../src/recording/seeded-random.ts';
import { rereadSnapshot } from '../../src/recording/snapshot-count.ts';
import { bend } from './bend.ts';

const hash = 'a'.repeat(64);
const PLAIN = {
  version: 1,
  tool: { name: 'cypherfix', version: '0.1.0' },
  shas: { base: 'b'.repeat(40), mergeBase: null, head: 'c'.repeat(40) },
  changeHash: hash,
  policy: { file: '.cypherfix.yml', sha256: hash },
  subject: { headSha: 'c'.repeat(40) },
  request: { kind: 'review', trigger: 'local' },
  public: false,
  ai: { kind: 'none', reason: 'a push' },
  linked: { issues: [], notices: [], whyNot: null },
  earlier: { openFindings: [], unread: null, spentUsd: 0 },
  graph: { ranks: [], notices: [], kept: [] },
  seed: 'ab'.repeat(32),
  clock: { report: [1_700_000_000_000] },
  timings: { read: 3 },
  exchanges: [
    {
      role: 'judge',
      turn: 0,
      requestHash: hash,
      answer: {
        status: 'failed',
        kind: 'refused',
        reason: 'no',
        usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
      },
    },
  ],
  sandbox: [
    {
      purpose: 'scan',
      turn: 0,
      jobHash: hash,
      given: { entries: 2, complete: true },
      outcome: { status: 'rejected', code: 'missing', message: 'no engine', hint: null },
    },
  ],
};
const text = JSON.stringify(PLAIN);
const parse = (value: unknown) => parseRecording(Buffer.from(JSON.stringify(value)), 'run.json');

describe('a recording file', () => {
  test('is read as it was written', () => {
    expect(parseRecording(Buffer.from(text), 'run.json')).toEqual(PLAIN);
  });

  test.each([
    ['cut off', text.slice(0, -20), 'no whole JSON text'],
    ['empty', '', 'no whole JSON text'],
    ['no JSON', 'hello', 'no whole JSON text'],
    ['of another version', JSON.stringify({ ...PLAIN, version: 2 }), 'its version 2 is unknown'],
    ['of no version', JSON.stringify({ ...PLAIN, version: undefined }), 'version: '],
    ['a list', '[]', 'it is no recording'],
    ['null', 'null', 'it is no recording'],
    ['with more in it', JSON.stringify({ ...PLAIN, extra: 1 }), 'extra'],
    ['with a bad time', JSON.stringify({ ...PLAIN, clock: { report: [1e300] } }), 'clock.report.0'],
    ['with a bad hash', JSON.stringify({ ...PLAIN, changeHash: 'x' }), 'changeHash: expected 64 hex digits'],
    ['without exchanges', JSON.stringify({ ...PLAIN, exchanges: undefined }), 'exchanges'],
  ])('%s is refused by name', (_, bytes, message) => {
    const read = () => parseRecording(Buffer.from(bytes), 'run.json');
    expect(read).toThrow(message);
    expect(read).toThrow(/^--replay run\.json: /);
  });

  test('that is bent anywhere is refused, or read as what it then says', () => {
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom(-1, 1e308, '', '__proto__', {}, []));
    fc.assert(
      fc.property(fc.nat(), values, (at, value) => {
        const bent = bend(PLAIN, at, value);
        try {
          expect(JSON.parse(JSON.stringify(parse(bent)))).toEqual(JSON.parse(JSON.stringify(bent)));
        } catch (error) {
          expect(error).toBeInstanceOf(CypherFixError);
          expect((error as CypherFixError).exitStatus).toBe(64);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('of brackets alone is refused or read, and never too deep for us', () => {
    const brackets = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(() => parseRecording(Buffer.from(brackets), 'run.json')).toThrow(CypherFixError);
  });

  test('whose bytes are damaged is refused, or still a recording', () => {
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(text);
        bytes[at] = byte;
        try {
          parseRecording(bytes, 'run.json');
        } catch (error) {
          expect((error as CypherFixError).exitStatus).toBe(64);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test('chance is the same for each who asks, whatever the others ask', () => {
  const [one, two] = [seededRandom('00'), seededRandom('00')];
  const first = [one('a'), one('a'), one('b')];
  expect([two('b'), two('a'), two('a')]).toEqual([first[2], first[0], first[1]]);
  expect(new Set(first).size).toBe(3);
  for (const text of first) expect(text).toMatch(/^[0-9a-f]{16}$/);
  expect(seededRandom('01')('a')).not.toBe(first[0]);
});

test('a snapshot is read again as far as it was read before, and told apart from every other', async () => {
  const entry = (path: string, content = path) => ({ path, content: Buffer.from(content) });
  const pulled: string[] = [];
  function* three() {
    for (const path of ['a', 'b', 'c']) {
      pulled.push(path);
      yield entry(path);
    }
  }
  const part = await rereadSnapshot(three(), { entries: 2, complete: false });
  expect([pulled.join(''), part.entries, part.complete]).toEqual(['ab', 2, false]);
  expect((await rereadSnapshot(three(), { entries: 0, complete: false })).entries).toBe(0);
  const whole = await rereadSnapshot(three(), { entries: 3, complete: true });
  expect(whole).toMatchObject({ entries: 3, complete: true });
  const longer = await rereadSnapshot(three(), { entries: 2, complete: true });
  expect(longer).not.toMatchObject({ entries: 2, complete: true });
  const digests = await Promise.all(
    [
      [entry('a'), entry('b')],
      [entry('ab', '')],
      [entry('a', 'b'), entry('b', 'a')],
      [{ ...entry('a'), executable: true }, entry('b')],
    ].map(async entries => (await rereadSnapshot(entries, { entries: 2, complete: true })).digest.toString('hex')),
  );
  expect(new Set(digests).size).toBe(4);
});
