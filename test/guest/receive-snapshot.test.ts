import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { receiveSnapshot } from '../../src/guest/receive-snapshot.ts';
import { packSnapshot } from '../../src/sandbox/pack-snapshot.ts';
import type { SandboxJob, SnapshotEntry } from '../../src/sandbox/sandbox.ts';

let work: string;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'receive-'));
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

/** What the host sends for these files. */
async function send(entries: readonly SnapshotEntry[]): Promise<Buffer> {
  async function* snapshot() {
    yield* entries;
  }
  const job = { purpose: 'test', imageClass: 'x', snapshot: snapshot(), phases: [], limits: { maxOutputBytes: 1 } };
  return buffer(packSnapshot(job as unknown as SandboxJob, 'nonce'));
}

function receive(tar: Buffer): void {
  writeFileSync(join(work, 'tar'), tar);
  const input = openSync(join(work, 'tar'), 'r');
  try {
    receiveSnapshot(join(work, 'out'), input);
  } finally {
    closeSync(input);
  }
}

const read = (path: string): Buffer => readFileSync(join(work, 'out', path));

test('every file arrives with its bytes, whatever its name and size', async () => {
  const names = [
    'a',
    'src/b c.txt',
    'src/trailing ',
    `long/${'x'.repeat(90)}/${'y'.repeat(120)}/${'z'.repeat(200)}.py`,
    `split/${'p'.repeat(80)}/${'q'.repeat(60)}.py`,
    'ümlaut/日本.py',
    'new\nline=1\n12 path=x',
  ];
  const sizes = [0, 1, 511, 512, 513, 1 << 20, (1 << 20) + 3];
  const entries = names.map((path, index) => ({ path, content: Buffer.alloc(sizes[index] ?? 0, index + 65) }));
  receive(await send(entries));
  for (const { path, content } of entries) expect(read(path).equals(content), path).toBe(true);
  expect(JSON.parse(read('job/job.json').toString())).toMatchObject({ nonce: 'nonce' });
});

test('a program can be run, other files cannot', async () => {
  const content = Buffer.from('x');
  receive(
    await send([
      { path: 'run', content, executable: true },
      { path: 'read', content },
    ]),
  );
  expect(statSync(join(work, 'out/run')).mode & 0o111).toBe(0o111);
  expect(statSync(join(work, 'out/read')).mode & 0o111).toBe(0);
});

test.each([1, 400, 600, 1_100, 2_000])('a tar that ends after %i bytes is an error', async bytes => {
  const tar = await send([{ path: 'a', content: Buffer.alloc(700, 65) }]);
  expect(() => receive(tar.subarray(0, bytes))).toThrow('cut off');
});

test('anything but a file is an error', async () => {
  const archive = pack();
  archive.entry({ name: 'link', type: 'symlink', linkname: '/etc/passwd' });
  archive.finalize();
  const tar = await buffer(archive as unknown as NodeJS.ReadableStream);
  expect(() => receive(tar)).toThrow('an entry of type "2"');
});

test('what follows the end is read and ignored', async () => {
  const tar = await send([{ path: 'a', content: Buffer.from('x') }]);
  receive(Buffer.concat([tar, Buffer.alloc(3_000_000, 1)]));
  expect(read('a').toString()).toBe('x');
});
