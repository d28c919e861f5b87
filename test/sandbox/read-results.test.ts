import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createResultReader, type EndHeader, type StepHeader } from '../../src/sandbox/read-results.ts';
import type { Step } from '../../src/sandbox/sandbox.ts';

const NONCE = 'f'.repeat(32);
const STEPS: Step[] = ['a', 'b'].map(name => ({
  name,
  argv: ['/bin/true'],
  cwd: '/work',
  env: {},
  timeoutMs: 1000,
  maxStdoutBytes: 100,
  maxStderrBytes: 10,
}));

const header = (changes: Partial<StepHeader> = {}): StepHeader => ({
  step: 0,
  exitCode: 0,
  signal: null,
  timedOut: false,
  truncated: false,
  spawnError: null,
  durationMs: 5,
  stdoutBytes: 0,
  stderrBytes: 0,
  ...changes,
});
const record = (changes: Partial<StepHeader>, bodies = ''): Buffer =>
  Buffer.concat([raw(JSON.stringify(header(changes))), Buffer.from(bodies)]);
const end = (nonce = NONCE): Buffer => raw(JSON.stringify({ end: nonce } satisfies EndHeader));
const raw = (text: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
};

const WHOLE = Buffer.concat([
  record({ step: 1, exitCode: null, signal: 'SIGKILL', timedOut: true }),
  record({ step: 0, exitCode: 1, stdoutBytes: 3, stderrBytes: 2 }, 'outer'),
  end(),
]);

describe('a whole output', () => {
  test('gives every step its result, in whatever order and pieces it comes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), size => {
        const reader = createResultReader(STEPS, NONCE);
        for (let i = 0; i < WHOLE.length; i += size) reader.push(WHOLE.subarray(i, i + size));
        expect(reader.violation).toBeUndefined();
        expect(reader.complete).toBe(true);
        expect(reader.steps.get('a')).toMatchObject({
          exitCode: 1,
          stdout: Buffer.from('out'),
          stderr: Buffer.from('er'),
        });
        expect(reader.steps.get('b')).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true });
      }),
    );
  });

  test('of a job without steps is the end record alone', () => {
    const reader = createResultReader([], NONCE);
    reader.push(end());
    expect(reader.complete).toBe(true);
  });
});

describe('a cut-off output', () => {
  test('is never complete, wherever it is cut', () => {
    for (let length = 0; length < WHOLE.length; length += 1) {
      const reader = createResultReader(STEPS, NONCE);
      reader.push(WHOLE.subarray(0, length));
      expect(reader.complete).toBe(false);
      expect(reader.violation).toBeUndefined();
    }
  });
});

describe('a hostile output', () => {
  test.each<[string, Buffer]>([
    ['an end record with another nonce', Buffer.concat([record({}), record({ step: 1 }), end('0'.repeat(32))])],
    ['an end record before all steps', Buffer.concat([record({}), end()])],
    ['a second result of a step', Buffer.concat([record({}), record({})])],
    ['a step that was not asked for', record({ step: 2 })],
    ['a negative step', raw(JSON.stringify(header({ step: -1 })))],
    ['a step by another name', raw(JSON.stringify({ ...header(), step: '__proto__' }))],
    ['standard output over the cap', record({ stdoutBytes: 101 })],
    ['standard error over the cap', record({ stderrBytes: 11 })],
    ['a length beyond all memory', raw(JSON.stringify(header({ stdoutBytes: 2 ** 53 - 1 })))],
    ['a length that is no whole number', raw(JSON.stringify(header({ stdoutBytes: 1.5 })))],
    ['an endless duration', raw(JSON.stringify(header()).replace('"durationMs":5', '"durationMs":1e999'))],
    ['more keys than the form has', raw(JSON.stringify({ ...header(), path: '../../etc/passwd' }))],
    ['fewer keys than the form has', raw('{"step":0}')],
    ['an exit code that does not exist', raw(JSON.stringify(header({ exitCode: 1000 })))],
    ['a header that is no JSON', raw('not JSON')],
    ['a header that is an array', raw('[]')],
    ['a header of length 0', Buffer.alloc(4)],
    ['a header longer than any', Buffer.from([0, 0, 0x10, 0x01])],
    ['a header of 4 GiB', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['bytes after the end record', Buffer.concat([WHOLE, Buffer.from('x')])],
    ['an archive', Buffer.from('PK\u0003\u0004PK\u0003\u0004')],
  ])('with %s is refused for good', (_, bytes) => {
    const reader = createResultReader(STEPS, NONCE);
    reader.push(bytes);
    expect(reader.violation).toBeTypeOf('string');
    expect(reader.complete).toBe(false);
    reader.push(WHOLE);
    expect(reader.complete).toBe(false);
  });

  test('of random bytes never completes or throws', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), chunks => {
        const reader = createResultReader(STEPS, NONCE);
        for (const chunk of chunks) reader.push(Buffer.from(chunk));
        expect(reader.complete).toBe(false);
      }),
    );
  });

  test('with one byte changed is never a different success', () => {
    fc.assert(
      fc.property(fc.nat(WHOLE.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const bytes = Buffer.from(WHOLE);
        bytes[place] = (bytes[place] ?? 0) ^ change;
        const reader = createResultReader(STEPS, NONCE);
        reader.push(bytes);
        if (reader.complete) expect([...reader.steps.keys()].sort()).toEqual(['a', 'b']);
      }),
    );
  });
});
