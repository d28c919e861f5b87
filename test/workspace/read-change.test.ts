import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addedLines, type Change, type FileChange, isCommentable, rightRanges } from '../../src/core/change.ts';
import { createGit } from '../../src/workspace/git.ts';
import { readChange } from '../../src/workspace/read-change.ts';
import { createTempRepo, type TempRepo } from './temp-repo.ts';

let repo: TempRepo;
let base: string;

beforeEach(() => {
  repo = createTempRepo();
});
afterEach(() => repo.remove());

async function read(limits?: { fileBytes: number; changeBytes: number }): Promise<Change> {
  const head = repo.commit('head');
  const git = createGit({ gitDir: join(repo.path, '.git') });
  return readChange(git, { mergeBaseSha: base, head, headSha: head }, limits);
}

async function readOne(): Promise<FileChange> {
  const { files } = await read();
  expect(files).toHaveLength(1);
  return files[0] as FileChange;
}

describe('one file', () => {
  it('reads an added one-line file, whose hunk header has no counts', async () => {
    base = repo.commit();
    repo.write('one.js', 'x\n');
    const file = await readOne();
    expect(file).toMatchObject({ path: 'one.js', status: 'added', kind: 'text', additions: 1, deletions: 0 });
    expect(file.hunks).toEqual([
      {
        oldStart: 0,
        oldLines: 0,
        newStart: 1,
        newLines: 1,
        section: '',
        lines: [{ type: 'added', newLine: 1, text: 'x' }],
      },
    ]);
    expect(isCommentable(file, 1, 1)).toBe(true);
  });

  it('reads a deletion, which has no lines to comment on', async () => {
    repo.write('gone.js', 'a\nb\n');
    base = repo.commit();
    rmSync(join(repo.path, 'gone.js'));
    const file = await readOne();
    expect(file).toMatchObject({ path: 'gone.js', status: 'deleted', kind: 'text', newMode: '000000', deletions: 2 });
    expect(rightRanges(file)).toEqual([]);
  });

  it('notes a missing newline at the end on both sides and counts no line for it', async () => {
    repo.write('a.txt', 'one\ntwo');
    base = repo.commit();
    repo.write('a.txt', 'one\n2');
    const [hunk] = (await readOne()).hunks;
    expect(hunk?.lines).toEqual([
      { type: 'context', oldLine: 1, newLine: 1, text: 'one' },
      { type: 'deleted', oldLine: 2, text: 'two', noNewline: true },
      { type: 'added', newLine: 2, text: '2', noNewline: true },
    ]);
  });

  it('gives plain data when it is spread or serialised', async () => {
    base = repo.commit();
    repo.write('a', 'x\n');
    const file = await readOne();
    const plain = { ...file.hunks[0] };
    expect(JSON.parse(JSON.stringify(file)).hunks[0].lines).toEqual([{ type: 'added', newLine: 1, text: 'x' }]);
    expect(plain.lines).toEqual(structuredClone(file.hunks[0])?.lines);
  });

  it('keeps a carriage return as part of the line', async () => {
    repo.write('a.txt', 'one\r\ntwo\r\n');
    base = repo.commit();
    repo.write('a.txt', 'one\r\n2\n');
    const [hunk] = (await readOne()).hunks;
    expect(hunk?.lines.map(line => line.text)).toEqual(['one\r', 'two\r', '2']);
  });

  it('takes content that looks like headers for content', async () => {
    repo.write('sql', '-- old\nkeep\n');
    base = repo.commit();
    repo.write('sql', '++ b/evil\nkeep\ndiff --git a/x b/x\n@@ -1 +1 @@\n\\ No newline at end of file\n');
    const file = await readOne();
    expect([file.additions, file.deletions]).toEqual([4, 1]);
    expect(file.hunks[0]?.lines.map(line => [line.type, line.text])).toEqual([
      ['deleted', '-- old'],
      ['added', '++ b/evil'],
      ['context', 'keep'],
      ['added', 'diff --git a/x b/x'],
      ['added', '@@ -1 +1 @@'],
      ['added', '\\ No newline at end of file'],
    ]);
    expect([...addedLines(file)]).toEqual([1, 3, 4, 5]);
  });

  it('reads a change of mode alone', async () => {
    repo.write('run.sh', 'echo\n');
    base = repo.commit();
    chmodSync(join(repo.path, 'run.sh'), 0o755);
    expect(await readOne()).toMatchObject({ status: 'modified', oldMode: '100644', newMode: '100755', hunks: [] });
  });

  it('calls a file with a NUL binary, and one without hunks by its name', async () => {
    repo.write('pic.png', 'not really\n');
    base = repo.commit();
    repo.write('data', Buffer.from([1, 0, 2]));
    renameSync(join(repo.path, 'pic.png'), join(repo.path, 'moved.png'));
    const { files } = await read();
    expect(files.map(file => [file.path, file.kind, file.status])).toEqual([
      ['data', 'binary', 'added'],
      ['moved.png', 'binary', 'renamed'],
    ]);
  });

  it('reads links and submodules without following them', async () => {
    repo.write('a', 'a\n');
    base = repo.commit();
    symlinkSync('/etc/passwd', join(repo.path, 'link'));
    repo.git('update-index', '--add', '--cacheinfo', `160000,${base},sub`);
    repo.git('add', 'link');
    const head = repo.git('commit-tree', '-p', base, '-m', 'x', repo.git('write-tree'));
    const git = createGit({ gitDir: join(repo.path, '.git') });
    const { files } = await readChange(git, { mergeBaseSha: base, head, headSha: head });
    expect(files.map(file => [file.path, file.kind, file.newMode, file.hunks[0]?.lines[0]?.text])).toEqual([
      ['link', 'symlink', '120000', '/etc/passwd'],
      ['sub', 'submodule', '160000', `Subproject commit ${base}`],
    ]);
  });

  it('reads a link that became a file as a deletion and an addition in one', async () => {
    symlinkSync('target', join(repo.path, 'l'));
    repo.write('z', 'z\n');
    base = repo.commit();
    rmSync(join(repo.path, 'l'));
    repo.write('l', 'now\ntext\n');
    repo.write('z', 'zz\n');
    const { files } = await read();
    expect(files.map(file => [file.path, file.status, file.kind])).toEqual([
      ['l', 'type-changed', 'text'],
      ['z', 'modified', 'text'],
    ]);
    expect(files[0]?.hunks.map(hunk => [hunk.oldLines, hunk.newLines])).toEqual([
      [1, 0],
      [0, 2],
    ]);
  });
});

describe('moves', () => {
  const text = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('');

  it('pairs a rename with its old path and shows only what changed', async () => {
    repo.write('src/old name.js', text);
    base = repo.commit();
    rmSync(join(repo.path, 'src'), { recursive: true });
    repo.write('lib/new.js', text.replace('line 3\n', 'line three\n'));
    const file = await readOne();
    expect(file).toMatchObject({
      path: 'lib/new.js',
      previousPath: 'src/old name.js',
      status: 'renamed',
      additions: 1,
    });
  });

  it('labels a copy, whose lines are all new', async () => {
    repo.write('a.js', text);
    base = repo.commit();
    repo.write('a.js', `${text}more\n`);
    repo.write('b.js', text);
    const { files } = await read();
    expect(files.map(file => [file.path, file.status, file.additions])).toEqual([
      ['a.js', 'modified', 1],
      ['b.js', 'copied', 30],
    ]);
    expect(files[1]?.previousPath).toBeUndefined();
  });
});

describe('names', () => {
  it.each([
    'with space.js',
    'quote".js',
    "apos'.js",
    'tab\t.js',
    'new\nline.js',
    'back\\slash.js',
    'ünïcode-日本.js',
    ' b/x.js',
    'a b/a b.js',
    '-dash.js',
    '--output=x',
    ':(top)x',
    '@@ -1 +1 @@',
    'diff --git a',
    '\r',
    'x\ndiff --git a/y b/y',
  ])('keeps %j as it is', async name => {
    base = repo.commit();
    repo.write(name, 'first\n');
    expect(await readOne()).toMatchObject({ path: name, status: 'added', additions: 1 });
    base = repo.git('rev-parse', 'HEAD');
    repo.write(name, 'second\n');
    expect(await readOne()).toMatchObject({ path: name, status: 'modified', additions: 1, deletions: 1 });
  });

  it('keeps the bytes of names that are not UTF-8 apart', async () => {
    base = repo.commit();
    const names = [Buffer.from([0x61, 0xff]), Buffer.from([0x61, 0xfe])];
    for (const name of names) repo.write(name, 'x\n');
    const { files } = await read();
    expect(files.map(file => [file.path, file.rawPath])).toEqual([
      ['a\uFFFD', names[1]?.toString('base64')],
      ['a\uFFFD', names[0]?.toString('base64')],
    ]);
  });
});

describe('what a repository cannot do', () => {
  it('hide hunks by attributes', async () => {
    base = repo.commit();
    repo.write('.gitattributes', '*.js -diff\n*.py binary\n');
    repo.write('a.js', 'eval(x)\n');
    repo.write('a.py', 'eval(x)\n');
    const { files } = await read();
    expect(files.map(file => [file.path, file.kind, file.additions])).toEqual([
      ['.gitattributes', 'text', 2],
      ['a.js', 'text', 1],
      ['a.py', 'text', 1],
    ]);
  });

  it('swap objects by replace refs', async () => {
    repo.write('a.js', 'old\n');
    base = repo.commit();
    repo.write('a.js', 'evil\n');
    const head = repo.commit();
    const harmless = repo.git('commit-tree', '-m', 'x', `${base}^{tree}`);
    repo.git('replace', head, harmless);
    const git = createGit({ gitDir: join(repo.path, '.git') });
    const { files } = await readChange(git, { mergeBaseSha: base, head, headSha: head });
    expect(files.map(file => file.path)).toEqual(['a.js']);
  });
});

describe('size', () => {
  it('reads 3,000 files', async () => {
    base = repo.commit();
    for (let i = 0; i < 3_000; i += 1) repo.write(`f${i}.js`, `const v = ${i};\n`);
    const { files } = await read();
    expect(files).toHaveLength(3_000);
    expect(files.every(file => file.additions === 1 && file.hunks[0]?.lines[0]?.text.startsWith('const v'))).toBe(true);
  });

  it('keeps ranges, types and numbers of hunks whose text is beyond the limits', async () => {
    repo.write('big.txt', 'a\nb\nc\n');
    repo.write('next.txt', 'n\n');
    base = repo.commit();
    writeFileSync(join(repo.path, 'big.txt'), `a\n${'x'.repeat(10_000_000)}\nc`);
    repo.write('next.txt', 'm\n');
    const { files } = await read({ fileBytes: 1_000, changeBytes: 2_000 });
    expect(files[0]?.hunks).toEqual([
      {
        oldStart: 1,
        oldLines: 3,
        newStart: 1,
        newLines: 3,
        section: '',
        lines: [
          { type: 'context', oldLine: 1, newLine: 1, text: '' },
          { type: 'deleted', oldLine: 2, text: '' },
          { type: 'deleted', oldLine: 3, text: '' },
          { type: 'added', newLine: 2, text: '' },
          { type: 'added', newLine: 3, text: '', noNewline: true },
        ],
      },
    ]);
    expect(files[1]?.hunks[0]?.lines.map(line => line.text)).toEqual(['n', 'm']);
  });

  it('keeps a line of 3 MB whole within the limits', async () => {
    base = repo.commit();
    repo.write('long.js', `${'y'.repeat(3_000_000)}\n`);
    expect((await readOne()).hunks[0]?.lines[0]?.text).toHaveLength(3_000_000);
  });
});
