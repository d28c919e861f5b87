import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addedLines, runsOf } from '../../src/core/change.ts';
import { createGit } from '../../src/workspace/git.ts';
import { createObjectReader } from '../../src/workspace/object-reader.ts';
import { readChange } from '../../src/workspace/read-change.ts';
import { applyHunks } from './apply-hunks.ts';
import { createTempRepo, type TempRepo } from './temp-repo.ts';

let repo: TempRepo;
beforeAll(() => {
  repo = createTempRepo();
});
afterAll(() => repo.remove());

const LINES = [
  '',
  ' ',
  'a',
  'b',
  'c',
  '}',
  '-- sql',
  '++ x',
  '\\ No newline at end of file',
  '@@ -1 +1 @@',
  'ä€😀',
  'diff --git a/f b/f',
  '\tdef f():',
];
const line = fc
  .tuple(fc.constantFrom(...LINES), fc.constantFrom('\n', '\n', '\n', '\r\n'))
  .map(parts => parts.join(''));
const text = fc
  .tuple(fc.array(line, { maxLength: 24 }), fc.constantFrom('', '', 'end'))
  .map(([all, end]) => all.join('') + end);
const binary = fc.uint8Array({ maxLength: 12 }).map(bytes => `\0${Buffer.from(bytes).toString('latin1')}`);
const content = fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: binary });
const edit = fc.record({ at: fc.nat(24), remove: fc.nat(4), insert: fc.array(line, { maxLength: 4 }) });
const mode = fc.constantFrom('100644', '100644', '100755', '120000');
const name = fc.constantFrom('f', 'a b', 'q"', 'tab\t', 'nl\nx', 'ü', 'b\\', 'd/e/f', '\xff\xfe', ' ', 'x -> y', '@@');

const file = fc.record({
  name,
  old: fc.option(content, { freq: 5 }),
  edits: fc.array(edit, { maxLength: 3 }),
  fate: fc.constantFrom('edit', 'edit', 'edit', 'delete', 'move', 'replace', 'keep'),
  replacement: content,
  oldMode: mode,
  newMode: fc.option(mode, { freq: 4 }),
});
type File = typeof file extends fc.Arbitrary<infer T> ? T : never;

interface Side {
  readonly path: Buffer;
  readonly mode: string;
  readonly bytes: Buffer;
}

/** Both versions of generated file number `index`. */
function toSides(spec: File, index: number): { old: Side | null; now: Side | null } {
  const path = Buffer.concat([Buffer.from(`${index}-`), Buffer.from(spec.name, 'latin1')]);
  const old = spec.old === null ? null : { path, mode: spec.oldMode, bytes: toBytes(spec.old, spec.oldMode) };
  if (spec.fate === 'delete') return { old, now: null };
  const edited = spec.fate === 'replace' || spec.old === null ? spec.replacement : applyEdits(spec.old, spec.edits);
  const next = spec.fate === 'keep' && spec.old !== null ? spec.old : edited;
  const newMode = spec.newMode ?? spec.oldMode;
  const movedTo = spec.fate === 'move' ? Buffer.concat([Buffer.from('moved/'), path]) : path;
  return { old, now: { path: movedTo, mode: newMode, bytes: toBytes(next, newMode) } };
}

function applyEdits(old: string, edits: File['edits']): string {
  const lines = old.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (const { at, remove, insert } of edits) lines.splice(Math.min(at, lines.length), remove, ...insert);
  return lines.join('');
}

// The target of a link holds no NUL.
function toBytes(value: string, mode: string): Buffer {
  if (mode === '120000') return Buffer.from(value.replaceAll('\0', '0'));
  return Buffer.from(value, value.startsWith('\0') ? 'latin1' : 'utf8');
}

function importCommits(sides: readonly { old: Side | null; now: Side | null }[]): { from: string; to: string } {
  const commit = (mark: number, parent: string, files: (Side | null)[]): Buffer[] => [
    Buffer.from(
      `commit refs/heads/gen\nmark :${mark}\ncommitter A <a@example.org> ${mark} +0000\ndata 0\n${parent}deleteall\n`,
    ),
    ...files.flatMap(side =>
      side === null
        ? []
        : [
            Buffer.from(`M ${side.mode} inline `),
            quote(side.path),
            Buffer.from(`\ndata ${side.bytes.length}\n`),
            side.bytes,
            Buffer.from('\n'),
          ],
    ),
  ];
  const stream = Buffer.concat([
    Buffer.from('reset refs/heads/gen\n'),
    ...commit(
      1,
      '',
      sides.map(side => side.old),
    ),
    ...commit(
      2,
      'from :1\n',
      sides.map(side => side.now),
    ),
    Buffer.from('get-mark :1\nget-mark :2\n'),
  ]);
  const marks = repo.gitBytes(['fast-import', '--quiet', '--force', '--cat-blob-fd=1'], stream).toString('latin1');
  const [from = '', to = ''] = marks.split('\n');
  return { from, to };
}

function quote(path: Buffer): Buffer {
  const text = path.toString('latin1').replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return Buffer.from(`"${text}"`, 'latin1');
}

function headersOf(args: readonly string[]): string[] {
  const shown = repo.gitBytes(['diff', '--no-color', '--submodule=short', ...args]).toString('utf8');
  return shown.split('\n').flatMap(text => /^@@ [^@]+ @@/.exec(text)?.[0] ?? []);
}

const count = (n: number): string => (n === 1 ? '' : `,${n}`);

it('agrees with git itself on generated changes', async () => {
  const git = createGit({ gitDir: join(repo.path, '.git') });
  const objects = createObjectReader(git);
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 6 }), async specs => {
      const { from, to } = importCommits(specs.map(toSides));
      const { files } = await readChange(git, { mergeBaseSha: from, head: to, headSha: to });

      const headers = files.flatMap(({ hunks }) =>
        hunks.map(h => `@@ -${h.oldStart}${count(h.oldLines)} +${h.newStart}${count(h.newLines)} @@`),
      );
      expect(headers).toEqual(headersOf(['-M', '-l0', from, to]));

      const bare = headersOf(['-U0', '-M', '-l0', from, to]).flatMap(text => {
        const [, start = '', lines = '1'] = /\+(\d+)(?:,(\d+))?/.exec(text) ?? [];
        return Array.from({ length: Number(lines) }, (_, i) => Number(start) + i);
      });
      expect(files.flatMap(one => [...addedLines(one)])).toEqual(bare);
      // Runs are told without the texts being parsed.
      for (const hunk of files.flatMap(one => one.hunks)) {
        const types = runsOf(hunk).flatMap(run => Array.from({ length: run.count }, () => run.type));
        expect(types).toEqual(hunk.lines.map(line => line.type));
      }

      const status = repo.gitBytes(['diff', '--name-status', '-z', '-M', '-l0', from, to]).toString('utf8');
      const LETTER = {
        added: 'A',
        copied: 'A',
        deleted: 'D',
        modified: 'M',
        renamed: 'R',
        'type-changed': 'T',
      } as const;
      const ours = files.map(one => [
        LETTER[one.status],
        ...(one.previousPath === undefined ? [] : [one.previousPath]),
        one.path,
      ]);
      expect(ours.flat()).toEqual(
        status
          .split('\0')
          .slice(0, -1)
          .map(part => part.replace(/^R\d{3}$/, 'R')),
      );

      const numbers = repo.gitBytes(['diff', '--numstat', '-M', '-l0', '-z', from, to]).toString('utf8');
      const expected = numbers.match(/(^|\0|\n)?(\d+|-)\t(\d+|-)\t/g)?.map(part =>
        part
          .replace(/^[\0\n]/, '')
          .split('\t')
          .slice(0, 2),
      );
      // Over a change of type --numstat compares the contents as if both were files; the patch does not.
      const counted = (expected ?? []).map(pair => pair.map(value => (value === '-' ? 0 : Number(value))));
      expect(files.map(one => (one.status === 'type-changed' ? null : [one.additions, one.deletions]))).toEqual(
        counted.map((pair, i) => (files[i]?.status === 'type-changed' ? null : pair)),
      );

      for (const one of files) {
        if (one.kind !== 'text' && one.kind !== 'symlink') continue;
        const [was, is] = await Promise.all(
          [one.oldBlob, one.newBlob].map(async blob =>
            /^0+$/.test(blob) ? '' : ((await objects.read(blob, 1e6))?.bytes?.toString('utf8') ?? ''),
          ),
        );
        // A change of type is a whole deletion and a whole addition.
        const start = one.status === 'type-changed' ? one.hunks.filter(h => h.newLines > 0) : one.hunks;
        expect(applyHunks(one.status === 'type-changed' ? '' : (was ?? ''), start)).toBe(is);
      }
    }),
    { numRuns: 100 },
  );
  await objects.close();
}, 120_000);
