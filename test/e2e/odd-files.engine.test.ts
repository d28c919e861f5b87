import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../../src/core/report.ts';
import { createTempRepo, type TempRepo } from '../workspace/temp-repo.ts';
import { runReview } from './local-review.ts';

let repo: TempRepo;
beforeAll(() => {
  repo = createTempRepo();
  repo.write('README.md', 'x\n');
  repo.commit('base');
});
afterAll(() => repo.remove());

/** Reviews a commit of these files alone. */
async function review(
  files: Readonly<Record<string, string | Buffer>>,
): Promise<{ status: number | null; report: Report }> {
  for (const [path, content] of Object.entries(files)) repo.write(path, content);
  repo.commit('change');
  const ended = await runReview({ repo: repo.path, base: 'HEAD~1' });
  return { status: ended.status, report: ended.report() };
}

const CODE = 'module.exports = (req, res) => { eval(req.body.x); };\n';

describe('a program that git takes for binary', () => {
  test.each([
    ['a NUL byte in a comment', `// \0\n${CODE}`],
    ['UTF-16', Buffer.from(`\ufeff${CODE}`, 'utf16le')],
  ])('%s: trips the gate', async (name, content) => {
    const { status, report } = await review({ [`${name.replaceAll(' ', '-')}.js`]: content });
    expect(report.findings.find(({ ruleId }) => ruleId === 'js-eval-request-data')).toMatchObject({ introduced: true });
    expect([status, report.conclusion]).toEqual([1, 'failure']);
    expect(report.notices.join()).not.toContain('no text to examine');
  });

  test('that was there before does not', async () => {
    await review({ 'old.js': `// \0\n${CODE}` });
    const { status, report } = await review({ 'old.js': `// \0 and more\n\n${CODE}` });
    expect(report.findings.find(({ ruleId }) => ruleId === 'js-eval-request-data')).toMatchObject({
      introduced: false,
    });
    expect(status).toBe(0);
  });
});

test('an empty file is nothing to examine, and no scanner has failed', async () => {
  const { status, report } = await review({ 'package/__init__.py': '', 'empty.ts': '' });
  expect([status, report.conclusion, report.ledger.complete]).toEqual([0, 'success', true]);
  expect(report.ledger.files.map(({ path, skipped }) => [path, skipped])).toEqual([
    ['empty.ts', 'empty'],
    ['package/__init__.py', 'empty'],
  ]);
});

test('a Dockerfile that keeps a rule busy is said not to be examined', async () => {
  const rule = [
    'id: own-slow',
    'language: dockerfile',
    'message: m',
    "rule: { instruction: RUN, matches: '^(a+)+(?!b)$(?=c)' }",
    'metadata: { title: T, cwe: [CWE-1], severity: low, confidence: 0.5, advice: Do. }',
  ];
  repo.write('.cypherfix.yml', 'version: 1\nscanners:\n  rules:\n    extra: own\n');
  await review({ 'own/slow.yml': `${rule.join('\n')}\n` });
  const { status, report } = await review({
    Dockerfile: `FROM a:1\nRUN ${'a'.repeat(5_000)}!\nADD http://x.test/a /b\n`,
  });
  const [file] = report.ledger.files;
  expect(file?.examinedBy).not.toContain('ast-grep');
  expect(JSON.stringify(file)).toContain('own-slow');
  expect(status).not.toBe(0);
  expect(report.findings.map(({ ruleId }) => ruleId)).toContain('docker-add-url');
});
