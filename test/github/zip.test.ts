import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { CypherFixError } from '../../src/core/errors.ts';
import { readZipMembers } from '../../src/github/zip.ts';

const pack = (files: Record<string, string>) =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([n, t]) => [n, strToU8(t)]))));

test('only members with the whole name are read', () => {
  const zip = pack({ 'report.json': '{}', '../report.json': 'x', 'a/report.json': 'y', 'other.txt': 'z' });
  const members = readZipMembers(zip, ['report.json', 'request.json'], 100);
  expect([...members].map(([name, bytes]) => [name, bytes.toString()])).toEqual([['report.json', '{}']]);
});

test('a member above the cap is refused before it is unpacked', () => {
  const zip = pack({ 'report.json': 'a'.repeat(5_000_000) });
  expect(zip.length).toBeLessThan(20_000);
  expect(() => readZipMembers(zip, ['report.json'], 1_000_000)).toThrow(CypherFixError);
});

test('a member that lies about its size comes out cut', () => {
  const zip = pack({ 'report.json': 'a'.repeat(5_000_000) });
  const directory = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  zip.writeUInt32LE(10, directory + 24);
  const read = () => readZipMembers(zip, ['report.json'], 1000).get('report.json')?.length ?? 0;
  let length = 0;
  try {
    length = read();
  } catch (error) {
    expect(error).toBeInstanceOf(CypherFixError);
  }
  expect(length).toBeLessThanOrEqual(1000);
});

test.each([
  ['empty', Buffer.alloc(0)],
  ['text', Buffer.from('not a zip at all, really not')],
  ['cut', pack({ 'report.json': '{}' }).subarray(0, 40)],
])('%s is refused with a clear error', (_name, bytes) => {
  expect(() => readZipMembers(bytes, ['report.json'], 100)).toThrow(/no usable ZIP/);
});
