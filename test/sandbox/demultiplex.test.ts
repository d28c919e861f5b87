import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demultiplex } from '../../src/sandbox/demultiplex.ts';

const frame = (type: number, body: Buffer): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = type;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
};

async function collect(chunks: Buffer[]): Promise<{ stdout: Buffer; stderr: Buffer }> {
  const out = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for await (const piece of demultiplex(Readable.from(chunks))) out[piece.source].push(Buffer.from(piece.bytes));
  return { stdout: Buffer.concat(out.stdout), stderr: Buffer.concat(out.stderr) };
}

describe('the engine’s output stream', () => {
  test('is split the same however it is cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 40 }))),
        fc.integer({ min: 1, max: 20 }),
        async (frames, size) => {
          const whole = Buffer.concat(frames.map(([type, body]) => frame(type, Buffer.from(body))));
          const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
            whole.subarray(i * size, (i + 1) * size),
          );
          const of = (wanted: number): Buffer =>
            Buffer.concat(frames.filter(([type]) => type === wanted).map(([, body]) => Buffer.from(body)));
          expect(await collect(chunks)).toEqual({ stdout: of(1), stderr: of(2) });
        },
      ),
    );
  });

  test('may come as a hundred thousand tiny frames in one chunk', async () => {
    const { stdout } = await collect([
      Buffer.concat(Array.from({ length: 100_000 }, () => frame(1, Buffer.from('x')))),
    ]);
    expect(stdout.length).toBe(100_000);
  });

  test.each([
    ['an unknown kind', Buffer.from([3, 0, 0, 0, 0, 0, 0, 1, 65])],
    ['input sent back', Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, 65])],
    ['bytes that must be zero', Buffer.from([1, 0, 1, 0, 0, 0, 0, 1, 65])],
    ['plain text', Buffer.from('HTTP/1.1 400 Bad Request')],
  ])('with %s is an error', async (_, bytes) => {
    await expect(collect([bytes])).rejects.toMatchObject({ code: 'sandbox' });
  });

  test('cut off in a frame ends without an error: the missing end record tells', async () => {
    expect((await collect([frame(1, Buffer.from('abc')).subarray(0, 9)])).stdout.toString()).toBe('a');
  });
});
