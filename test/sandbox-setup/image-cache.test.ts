import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const sandbox = join(import.meta.dirname, '../../sandbox');
const HASH = `sha256:${'b'.repeat(64)}`;
let work: string;
let whole: string;
let dir: string;

const node = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8' });
const check = (hash = HASH) => node(join(sandbox, 'image-cache.mjs'), 'check', dir, 'tiny', hash);

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'cfh-'));
  whole = join(work, 'whole');
  mkdirSync(join(work, 'root/bin'), { recursive: true });
  mkdirSync(whole);
  writeFileSync(join(work, 'root/bin/tool'), 'x'.repeat(100_000));
  const packed = execFileSync(process.execPath, [
    join(sandbox, 'pack.mjs'),
    join(work, 'root'),
    join(whole, 'tiny.tar'),
    'PATH=/bin',
  ]);
  const { configDigest, diffIds } = JSON.parse(String(packed));
  const entry = { configDigest, diffIds, configHash: HASH, tools: { tool: '1' }, debian: [], createdBy: 'test' };
  writeFileSync(join(whole, 'tiny.json'), JSON.stringify(entry));
});
beforeEach(() => {
  dir = mkdtempSync(join(work, 'dir-'));
  cpSync(whole, dir, { recursive: true });
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const archive = () => join(dir, 'tiny.tar');
const entryFile = () => join(dir, 'tiny.json');
const change = (edit: (entry: Record<string, unknown>) => void) => {
  const entry = JSON.parse(readFileSync(entryFile(), 'utf8'));
  edit(entry);
  writeFileSync(entryFile(), JSON.stringify(entry));
};
const flip = (at: number) => {
  const bytes = readFileSync(archive());
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(archive(), bytes);
};

test('an archive as it was packed is taken', () => {
  expect(check()).toMatchObject({ status: 0, stderr: '' });
});

test.each<[what: string, spoil: () => void, reason: RegExp]>([
  [
    'another definition',
    () =>
      change(e => {
        e['configHash'] = `sha256:${'c'.repeat(64)}`;
      }),
    /another definition/,
  ],
  ['no entry', () => rmSync(entryFile()), /entry is missing/],
  ['an entry that is no JSON', () => writeFileSync(entryFile(), '{'), /JSON/],
  [
    'an entry of another shape',
    () =>
      change(e => {
        e['tools'] = [1];
      }),
    /not one of an image lock/,
  ],
  [
    'an entry of another image',
    () =>
      change(e => {
        e['configDigest'] = `sha256:${'d'.repeat(64)}`;
      }),
    /another image/,
  ],
  [
    'an entry of another layer',
    () =>
      change(e => {
        e['diffIds'] = [`sha256:${'d'.repeat(64)}`];
      }),
    /another one/,
  ],
  ['no archive', () => rmSync(archive()), /archive is missing/],
  ['an empty archive', () => truncateSync(archive(), 0), /cut off/],
  ['an archive cut off in its layer', () => truncateSync(archive(), 50_000), /cut off|damaged|no member/],
  ['an archive cut off at its very end', () => truncateSync(archive(), readFileSync(archive()).length - 1), /cut off/],
  ['one bit of the layer', () => flip(60_000), /damaged/],
  [
    'one bit of the configuration',
    () => flip(readFileSync(archive()).indexOf('"architecture"')),
    /damaged|another image/,
  ],
  [
    'a tag in the manifest',
    () => {
      const text = readFileSync(archive(), 'latin1').replace('"RepoTags":null', '"RepoTags":["a"]');
      writeFileSync(archive(), text, 'latin1');
    },
    /damaged|no member|cut off/,
  ],
  [
    'an archive of something else',
    () => writeFileSync(archive(), createHash('sha256').update('x').digest('hex').repeat(64)),
    /no member/,
  ],
  [
    'a link in place of the archive',
    () => {
      rmSync(archive());
      symlinkSync(join(whole, 'tiny.tar'), archive());
    },
    /archive is missing/,
  ],
  [
    'a link in place of the entry',
    () => {
      rmSync(entryFile());
      symlinkSync('/etc/passwd', entryFile());
    },
    /entry is missing/,
  ],
])('%s is refused', (_, spoil, reason) => {
  spoil();
  const { status, stderr } = check();
  expect(status).toBe(70);
  expect(stderr).toMatch(reason);
  expect(stderr).not.toContain('root:');
});

test('export moves the archive beside its entry, and what it left is taken', () => {
  const home = mkdtempSync(join(work, 'home-'));
  const entry = JSON.parse(readFileSync(entryFile(), 'utf8'));
  writeFileSync(join(home, 'images.lock.json'), JSON.stringify({ version: 1, images: { tiny: entry } }));
  const from = join(home, 'image.tar');
  cpSync(archive(), from);
  const target = join(work, 'exported');
  const done = node(join(sandbox, 'image-cache.mjs'), 'export', target, 'tiny', home, from);
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(from)).toBe(false);
  dir = target;
  expect(check()).toMatchObject({ status: 0, stderr: '' });
});

test('setup tells the digest of a definition, and says whether something is to be done, without root', () => {
  const run = (...args: string[]) =>
    spawnSync('bash', [join(sandbox, 'setup'), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], CYPHERFIX_HOME: join(work, 'nobody') },
    });
  expect(run('--hash', 'scanners').stdout).toMatch(/^sha256:[0-9a-f]{64}\n$/);
  expect(run('--hash', 'node').stdout).not.toBe(run('--hash', 'scanners').stdout);
  expect(run('--check').status).toBe(1);
  expect(existsSync(join(work, 'nobody'))).toBe(false);
  expect(run('--cache', 'relative')).toMatchObject({ status: 64 });
});
