import { expect, test } from 'vitest';
import { assertBound, MAX_REPORT_BYTES, toReport, toRequest } from '../../src/publish/read-report.ts';
import { buildFinding, buildReport, buildRequest } from './build-report.ts';

const HEAD = 'a'.repeat(40);
const report = buildReport({ headSha: HEAD, findings: [buildFinding('a')] });
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

test('what we write is read', () => {
  expect(toReport(bytes(report))).toEqual(report);
  expect(toRequest(bytes(buildRequest(HEAD)))).toEqual(buildRequest(HEAD));
});

test.each<[string, Buffer, RegExp]>([
  ['no JSON', Buffer.from('{'), /report\.json is not what this version writes/],
  ['another key', bytes({ ...report, admin: true }), /admin/],
  [
    'another type',
    bytes({ ...report, findings: [{ ...report.findings[0], startLine: '2' }] }),
    /findings\.0\.startLine/,
  ],
  ['another schema', bytes({ ...report, schemaVersion: 2 }), /schemaVersion/],
  ['too many bytes', Buffer.alloc(MAX_REPORT_BYTES + 1), /bytes/],
])('%s is refused, with the place', (_name, content, words) => {
  expect(() => toReport(content)).toThrow(words);
  expect(() => toReport(content)).toThrow(expect.objectContaining({ code: 'policy' }));
});

test('a long text of a stranger does not fill the message', () => {
  const hostile = bytes({ ...report, ['k'.repeat(100_000)]: 1 });
  expect(() => toReport(hostile)).toThrow(/^.{0,400}$/);
});

test('a report is bound to repository, pull request and commit', () => {
  const binding = { repository: 'Octo/Repo', pullRequest: 7, headSha: HEAD };
  expect(() => assertBound(report, binding)).not.toThrow();
  expect(() => assertBound(report, { ...binding, repository: 'octo/other' })).toThrow(/another repository;/);
  expect(() => assertBound(report, { ...binding, pullRequest: 8 })).toThrow(/another pull request;/);
  expect(() => assertBound(report, { ...binding, pullRequest: null })).toThrow(/another pull request;/);
  const elsewhere = { repository: 'x/y', pullRequest: 1, headSha: 'b'.repeat(40) };
  expect(() => assertBound(report, elsewhere)).toThrow(/another repository and pull request and head commit;/);
});
