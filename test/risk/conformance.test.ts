import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { checkPair, parsePairs } from './recorded.ts';

const PAIRS = parsePairs(readFileSync('test/data/vectors/triage-v3.2.jsonl.gz'));

test('all 1,011 recorded pairs', () => {
  expect(PAIRS).toHaveLength(1_011);
  expect(PAIRS.map(pair => [pair.line, checkPair(pair)]).filter(([, difference]) => difference !== undefined)).toEqual(
    [],
  );
});

test('every function has pairs, and a changed answer is seen in each', () => {
  const first = new Map(PAIRS.toReversed().map(pair => [pair.fn, pair]));
  expect([...first.keys()].sort()).toEqual([
    'bundle',
    'confidence',
    'cvss',
    'detector_key',
    'group_key',
    'group_risk',
    'learned',
    'redact',
    'score',
    'score_combine',
    'severity',
    'tier',
    'validate_review',
  ]);
  for (const pair of first.values()) {
    const expected =
      typeof pair.expected === 'object' && pair.expected !== null ? { ...pair.expected, more: 1 } : 'other';
    expect(checkPair({ ...pair, expected })).toMatch(/recorded/);
  }
});

describe('the command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('bash', ['test/risk/conformance.sh', ...args], {
      encoding: 'utf8',
      env: { ...process.env, INIT_CWD: folder },
    });
    return { status, last: stdout.trimEnd().split('\n').at(-1), stdout, stderr };
  };
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
  const GOOD = '{"fn":"severity","args":{"value":9},"expected":"critical"}';
  const WRONG = '{"fn":"severity","args":{"value":9},"expected":"low"}';

  test('takes the project’s own pairs without an argument', () => {
    expect(run()).toMatchObject({ status: 0, last: '1011 passed, 0 failed', stderr: '' });
  });

  test('counts failures and says where they are', () => {
    write('a.jsonl', `${GOOD}\n\n${WRONG}\n{"fn":"nothing","args":{},"expected":1}\n`);
    const { status, last, stdout } = run('a.jsonl');
    expect([status, last]).toEqual([1, '1 passed, 2 failed']);
    expect(stdout).toContain('line 3 (severity): result is "critical", recorded "low"');
    expect(stdout).toContain('line 4 (nothing): no function "nothing"');
  });

  test('reads gzip by its content', () => {
    write('b.gz', gzipSync(GOOD));
    expect(run('b.gz')).toMatchObject({ status: 0, last: '1 passed, 0 failed' });
  });

  test.each([
    ['bad.jsonl', `${GOOD}\n{"fn":`, /bad\.jsonl: line 2 is not JSON/],
    ['pair.jsonl', `${GOOD}\n\n[1]\n`, /pair\.jsonl: line 3 is no pair/],
    ['empty.jsonl', '\n', /holds no pairs/],
    ['cut.gz', gzipSync(GOOD.repeat(99)).subarray(0, 30), /neither UTF-8 text nor a gzip/],
  ])('refuses %s', (name, content, message) => {
    write(name, content);
    const { status, stderr, stdout } = run(name);
    expect([status, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(message);
  });

  test('refuses a missing file and a second one', () => {
    expect(run('nowhere.jsonl')).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('nowhere.jsonl cannot be read'),
    });
    expect(run('a', 'b')).toMatchObject({ status: 64, stderr: expect.stringContaining('one file at a time') });
  });
});
