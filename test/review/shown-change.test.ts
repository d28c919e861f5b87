import { expect, it } from 'vitest';
import { renderDiff } from '../../src/review/change-text.ts';
import { DEFENCES } from '../../src/review/defences.ts';
import { createFileReader } from '../../src/review/file-reader.ts';
import { createGuard } from '../../src/review/guard.ts';
import { showChange } from '../../src/review/shown-change.ts';
import { added, type Files, memoryTree, modified } from './world.ts';

async function show(files: Files, changed: ReturnType<typeof added>[], maxFiles = 10) {
  const guard = createGuard({ defences: DEFENCES, boundary: 'b0a1c2d3' });
  const reader = createFileReader({ tree: memoryTree(files), guard });
  return showChange({ files: changed, isIgnored: path => path === 'ignored', maxFiles, reader, guard });
}

it('masks the middle of a key whose beginning stands outside the hunk', async () => {
  const body = Array.from({ length: 9 }, (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${at}`);
  const file = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----', 'after'].join('\n');
  const rows = [` ${body[4]}`, `+${body[5]}`, ` ${body[6]}`];
  const { files } = await show({ 'a.pem': file }, [modified('a.pem', [{ start: 6, rows }])]);
  expect(files[0]?.text).not.toContain('MIIE');
  expect(files[0]?.hunks[0]?.map(({ newLine }) => newLine)).toEqual([6, 7, 8]);
});

it('masks a secret that the change takes away, and keeps the signs in front', async () => {
  const rows = [
    '-password = "hunter2hunter2"',
    '-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    '+password = env("PASSWORD")\r',
  ];
  const { files } = await show({ 'a.py': 'password = env("PASSWORD")\r\n' }, [modified('a.py', [{ start: 1, rows }])]);
  expect(files[0]?.text.split('\n').slice(2)).toEqual([
    '-password = "[redacted:password]"',
    '-eyJh[redacted:jwt]',
    '+password = env("PASSWORD")',
  ]);
});

it('leaves out what the policy keeps from models, what is no text and what is too much, and says so', async () => {
  const binary = { ...added('b.png', ''), kind: 'binary' as const };
  const changed = [added('ignored', 'x\n'), binary, added('a', 'x\n'), added('c', 'x\n')];
  const { files, left } = await show({}, changed, 1);
  expect(files.map(({ path }) => path)).toEqual(['a']);
  expect(left).toEqual([
    { path: 'ignored', reason: 'the policy keeps it from models' },
    { path: 'b.png', reason: 'a binary' },
    { path: 'c', reason: 'more than 1 files' },
  ]);
});

it('a diff that is too long is cut at a line, and what is missing is named', async () => {
  const text = 'a line of text\n'.repeat(400);
  const files = { one: text, two: text, three: text };
  const shown = await show(
    files,
    Object.keys(files).map(path => added(path, text)),
  );
  const { text: diff, whole, cut } = renderDiff(shown, 10_000);
  expect(whole.map(({ path }) => path)).toEqual(['one']);
  expect(cut.map(({ path }) => path)).toEqual(['two', 'three']);
  expect(diff.length).toBeLessThan(10_200);
  expect(diff).toMatch(/\+a line of text\n\.\.\. \[\d+ more lines, use get_diff or read_file\]\n/);
  expect(diff).toMatch(/\n\.\.\. \[not shown for length, use get_diff: three\]$/);
});
