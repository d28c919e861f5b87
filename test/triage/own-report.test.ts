import { describe, expect, it } from 'vitest';
import { toEmptyReport } from '../../src/core/empty-report.ts';
import type { Report } from '../../src/core/report.ts';
import { toOwnFindings } from '../../src/triage/own-report.ts';

const scanner = (name: string, status: Report['scanners'][number]['status']) => ({
  name,
  version: '1',
  status,
  filesExamined: 1,
  findings: 0,
  durationMs: 1,
});
const REPORT: Report = {
  ...toEmptyReport({
    subject: { repository: 'acme/shop', all: true },
    request: { kind: 'review', trigger: 'push' },
    generatedAt: '2027-01-01T00:00:00.000Z',
  }),
  scanners: [scanner('bandit', 'ok'), scanner('gosec', 'failed')],
  ledger: {
    complete: true,
    files: [
      { path: 'a.py', status: 'unchanged', examinedBy: ['bandit'] },
      { path: 'b.py', status: 'unchanged', examinedBy: ['bandit'], partial: [{ tool: 'bandit', reason: 'syntax' }] },
    ],
  },
};
const examined = (report: Report) =>
  toOwnFindings(report, {
    repository: 'acme/shop',
    context: { public: false },
    closedPullRequests: [],
    toId: fingerprint => fingerprint,
  }).hasExamined;

describe('what a report of the tree says of a finding that is not in it', () => {
  it.each([
    ['a file that its tool examined', 'bandit', 'a.py', true],
    ['a file that its tool could read in part only', 'bandit', 'b.py', false],
    ['a file that another tool examined', 'ruff', 'a.py', false],
    ['a file that is no longer there, by a tool that ran to its end', 'bandit', 'gone.py', true],
    ['a file that is no longer there, by a tool that failed', 'gosec', 'gone.go', false],
  ])('%s', (_, tool, path, expected) => {
    expect(examined(REPORT)(tool, path)).toBe(expected);
  });

  it('nothing is gone where the list of findings was cut', () => {
    expect(examined({ ...REPORT, truncated: { findings: 1 } })('bandit', 'a.py')).toBe(false);
  });
});
