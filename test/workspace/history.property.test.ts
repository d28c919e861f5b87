import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGit } from '../../src/workspace/git.ts';
import { readHistory } from '../../src/workspace/history.ts';
import { createObjectReader } from '../../src/workspace/object-reader.ts';
import { createTempRepo, type TempRepo } from './temp-repo.ts';

let repo: TempRepo;
beforeAll(() => {
  repo = createTempRepo();
});
afterAll(() => repo.remove());

const step = fc.record({
  /** Parents, counted back from the newest commit; two make a merge. */
  parents: fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 3 }),
  files: fc.array(
    fc.tuple(fc.constantFrom('a', 'b', 'dir/c', 'n\nl'), fc.option(fc.constantFrom('1', '2', '3', '4', '5'))),
    {
      maxLength: 3,
    },
  ),
});

/** Makes commits as the steps say and returns their ids, oldest first; the first is the root. */
function importSteps(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): string[] {
  const lines = [
    'reset refs/heads/gen',
    'commit refs/heads/gen',
    'mark :1',
    'committer A <a@example.org> 1 +0000',
    'data 0',
  ];
  lines.push('M 100644 inline a', 'data 4', 'root');
  for (const [index, { parents, files }] of steps.entries()) {
    const mark = index + 2;
    const [first = 1, ...others] = [...new Set(parents.map(back => Math.max(1, mark - 1 - back)))];
    lines.push(
      'commit refs/heads/gen',
      `mark :${mark}`,
      `committer A <a@example.org> ${mark} +0000`,
      'data 0',
      `from :${first}`,
    );
    lines.push(...others.map(other => `merge :${other}`));
    for (const [path, content] of files) {
      const name = `"${path.replace('\n', '\\n')}"`;
      // What is written differs by commit, so that each version has an id of its own.
      if (content === null) lines.push(`D ${name}`);
      else
        lines.push(`M 100644 inline ${name}`, `data ${content.length + 1 + String(mark).length}`, `${content}-${mark}`);
    }
  }
  lines.push(...Array.from({ length: steps.length + 1 }, (_, i) => `get-mark :${i + 1}`), '');
  return repo
    .gitBytes(['fast-import', '--quiet', '--force', '--cat-blob-fd=1'], Buffer.from(lines.join('\n')))
    .toString()
    .trim()
    .split('\n');
}

it('holds every object and every commit that git itself counts as new', async () => {
  const git = createGit({ gitDir: join(repo.path, '.git') });
  const objects = createObjectReader(git);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async steps => {
      const commits = importSteps(steps);
      const headSha = commits.at(-1) ?? '';
      const mergeBaseSha = commits[0] ?? '';
      const history = await readHistory(git, objects, { mergeBaseSha, headSha });
      const range = `${mergeBaseSha}..${headSha}`;
      expect([...history.commits].sort()).toEqual(repo.git('rev-list', range).split('\n').filter(Boolean).sort());
      const listed = repo
        .git('rev-list', '--objects', '--no-object-names', '--filter=object:type=blob', range)
        .split('\n');
      const known = new Set([...history.blobs.map(blob => blob.blob), ...history.commits]);
      expect(listed.filter(id => id !== '' && !known.has(id))).toEqual([]);
      for (const blob of history.blobs) {
        expect(repo.git('rev-parse', `${blob.commit}:${blob.path}`)).toBe(blob.blob);
      }
    }),
    { numRuns: 40 },
  );
  await objects.close();
}, 120_000);
