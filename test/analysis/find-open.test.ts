import { describe, expect, it } from 'vitest';
import { countByPath, toEarlierPart } from '../../src/analysis/earlier-part.ts';
import { findOpenFindings } from '../../src/analysis/find-open.ts';
import type { FileChange } from '../../src/core/change.ts';
import type { RawFinding } from '../../src/core/finding.ts';
import type { OpenAiFinding } from '../../src/core/open-finding.ts';
import { SecretRegistry } from '../../src/core/secrets.ts';
import { raw } from '../findings/builders.ts';
import { added, type Files, memoryTree, modified } from '../review/world.ts';

const QUOTE = 'return admins.some(name => user.startsWith(name));';
const FILE = `export function mayDelete(user, admins) {\n  ${QUOTE}\n}\n`;
const open: OpenAiFinding = {
  fingerprint: 'ab'.repeat(32),
  reviewer: 'security',
  path: 'src/access.js',
  line: 2,
  category: 'broken-access-control',
  cwe: 'CWE-863',
  severity: 'high',
  confidence: 0.9,
  title: 'Whoever is called like an administrator may delete',
  quote: QUOTE,
  introduced: true,
};

function look(
  files: Files,
  changed: readonly FileChange[],
  over: Partial<OpenAiFinding> = {},
  scannerRaw: readonly RawFinding[] = [],
) {
  const head = memoryTree(files);
  const workspace = { change: { wholeTree: false, files: changed }, head };
  const result = findOpenFindings({
    openFindings: [{ ...open, ...over }],
    workspace,
    scannerRaw,
    secrets: new SecretRegistry(),
    random: () => 'a1b2c3d4e5f60718',
  });
  return { head, result };
}
const one = async (files: Files, over: Partial<OpenAiFinding> = {}) => {
  const changed = Object.entries(files).map(([path, content]) => added(path, String(content)));
  return look(files, changed, over).result;
};
const placeOf = async (...given: Parameters<typeof look>) => (await look(...given).result).standing[0]?.place;

describe('the text of an open finding', () => {
  it('stands at its lines in a hunk', async () => {
    expect(await one({ 'src/access.js': FILE })).toEqual({
      standing: [
        {
          finding: open,
          place: {
            path: 'src/access.js',
            startLine: 2,
            endLine: 2,
            anchor: 'hunk',
            text: `  ${QUOTE}`,
            isAdded: true,
          },
        },
      ],
      gone: [],
      unsettled: [],
    });
  });

  it('stands where it moved, with other white space, and cut to its beginning', async () => {
    const moved = `// One.\n// Two.\n${FILE.replace('some(name', 'some(\n    name')}`;
    const quote = `${QUOTE.slice(0, 40)}`;
    expect((await one({ 'src/access.js': moved }, { quote })).standing[0]?.place).toMatchObject({
      startLine: 4,
      endLine: 5,
    });
  });

  it('is gone when its file does not hold it any more', async () => {
    const { gone, standing } = await one({ 'src/access.js': 'export const mayDelete = () => false;\n' });
    expect(standing).toEqual([]);
    expect(gone.map(({ reason }) => reason)).toEqual(['the text that it quotes is no longer in src/access.js']);
  });

  it('a second copy hides nothing: the nearest one that the change adds counts', async () => {
    const twice = `${FILE}\n\n${FILE}`;
    expect(await placeOf({ 'src/access.js': twice }, [added('src/access.js', twice)])).toMatchObject({
      startLine: 2,
      anchor: 'hunk',
    });
    expect(await placeOf({ 'src/access.js': twice }, [added('src/access.js', twice)], { line: 8 })).toMatchObject({
      startLine: 7,
    });
  });

  it('what was introduced is sought among added lines first, what was there before is not', async () => {
    const files = { 'src/access.js': `${QUOTE}\nlet a;\nlet b;\n${QUOTE}\n` };
    const changed = [modified('src/access.js', [{ start: 1, rows: [` ${QUOTE}`, ' let a;', '+let b;', `+${QUOTE}`] }])];
    expect(await placeOf(files, changed, { line: 1 })).toMatchObject({ startLine: 4, isAdded: true });
    expect(await placeOf(files, changed, { line: 1, introduced: false })).toMatchObject({
      startLine: 1,
      isAdded: false,
    });
  });

  it('outside of the hunks it stands in the file', async () => {
    const changed = [modified('src/access.js', [{ start: 40, rows: ['+let last;'] }])];
    expect(await placeOf({ 'src/access.js': FILE }, changed)).toMatchObject({ startLine: 2, anchor: 'file' });
  });

  it('is found behind masked secrets and literals', async () => {
    const secret = 'hunter2-hunter2';
    const files = { 'src/access.js': `const pass = '${secret}';\nconst other = 'correct horse';\n` };
    const found = [raw({ tool: 'gitleaks', ruleId: 'generic-api-key', path: 'src/access.js', matchedText: secret })];
    const changed = [added('src/access.js', files['src/access.js'])];
    const { standing } = await look(files, changed, { quote: "const pass = '[redacted:" }, found).result;
    expect(standing).toHaveLength(1);
    expect(await placeOf(files, changed, { quote: "const other = 'cor****'" })).toMatchObject({ startLine: 2 });
  });
});

describe('the file of an open finding', () => {
  it('is followed through a rename', async () => {
    const renamed = { ...added('src/rights.js', FILE), status: 'renamed' as const, previousPath: 'src/access.js' };
    expect(await placeOf({ 'src/rights.js': FILE }, [renamed])).toMatchObject({ path: 'src/rights.js', startLine: 2 });
  });

  const deleted = { ...added('src/access.js', ''), status: 'deleted' as const };

  it('that is deleted is followed to the one file that takes its text over', async () => {
    const files = { 'src/rights.js': FILE };
    expect(await placeOf(files, [deleted, added('src/rights.js', FILE)])).toMatchObject({ path: 'src/rights.js' });
    const two = { 'src/a.js': FILE, 'src/b.js': FILE };
    const { gone } = await look(two, [deleted, added('src/a.js', FILE), added('src/b.js', FILE)]).result;
    expect(gone.map(({ reason }) => reason)).toEqual(['src/access.js was deleted']);
  });

  it('is not followed for a text that may stand anywhere', async () => {
    const files = { 'src/rights.js': 'return true;\n' };
    const { gone } = await look(files, [deleted, added('src/rights.js', 'return true;\n')], { quote: 'return true;' })
      .result;
    expect(gone).toHaveLength(1);
  });

  it('that left the change takes the finding with it', async () => {
    const { gone } = await look({ 'src/access.js': FILE }, [added('a.md', 'Text.\n')]).result;
    expect(gone.map(({ reason }) => reason)).toEqual(['src/access.js is no longer part of the change']);
  });

  it.each([
    ['grew too long', { 'src/access.js': `${FILE}${'x'.repeat(2 * 1024 * 1024)}` }],
    ['became binary', { 'src/access.js': `\0${FILE}` }],
  ])('that %s settles nothing: it is said, not forgotten', async (_, files) => {
    const binary = { ...added('src/access.js', ''), kind: 'binary' as const };
    const { standing, gone, unsettled } = await look(files, [binary]).result;
    expect([standing, gone]).toEqual([[], []]);
    expect(unsettled).toEqual([
      expect.stringMatching(
        /^Whether finding abababab \(security\) .* still stands in src\/access\.js could not be told: /,
      ),
    ]);
  });

  it('that became a link is none any more', async () => {
    const link = { ...added('src/access.js', ''), kind: 'symlink' as const };
    const { gone } = await look({}, [link]).result;
    expect(gone.map(({ reason }) => reason)).toEqual(['src/access.js is a symlink now']);
  });

  it('and no other file is read', async () => {
    const files = { 'src/access.js': FILE, 'src/other.js': FILE };
    const { head, result } = look(files, [added('src/access.js', FILE), added('src/other.js', FILE)]);
    await result;
    expect(new Set(head.reads)).toEqual(new Set(['src/access.js']));
  });
});

describe('what the report says', () => {
  const carried = [raw({ path: 'a.go', carried: true }), raw({ path: 'a.go' }), raw({ path: 'b.go' })];

  it('names what is gone with how that is known, and counts what is carried', () => {
    const mended = [{ finding: { ...open, fingerprint: 'cd'.repeat(32) }, reason: 'Names end\n now.' }];
    const gone = [{ finding: open, reason: 'src/access.js was deleted' }];
    const part = toEarlierPart({ gone }, { raw: [], carried: carried.slice(0, 1), mended });
    expect(part.resolved).toEqual([
      { fingerprint: open.fingerprint, reason: 'src/access.js was deleted' },
      { fingerprint: 'cd'.repeat(32), reason: 'the security reviewer calls it mended: Names end now.' },
    ]);
    expect(part.notices).toEqual([
      '1 finding of a reviewer is carried from an earlier run: what it quotes still stands, and no reviewer reported or mended it in this run.',
      'Finding abababab (security) of an earlier run is gone: src/access.js was deleted.',
      'Finding cdcdcdcd (security) of an earlier run is gone: the security reviewer calls it mended: Names end now.',
    ]);
  });

  it('is nothing where nothing was open', () => {
    expect(toEarlierPart({ gone: [] }, { raw: [], carried: [], mended: [] })).toEqual({ resolved: [], notices: [] });
  });

  it('names twenty that are gone and counts the rest', () => {
    const gone = Array.from({ length: 25 }, () => ({ finding: open, reason: 'gone' }));
    const { resolved, notices } = toEarlierPart({ gone }, { raw: [], carried: [], mended: [] });
    expect([resolved.length, notices.length, notices.at(-1)]).toEqual([
      25,
      21,
      '5 more findings of earlier runs are gone.',
    ]);
  });

  it('counts by file', () =>
    expect([...countByPath(carried)]).toEqual([
      ['a.go', 2],
      ['b.go', 1],
    ]));
});
