import { describe, expect, test } from 'vitest';
import type { ReportFinding } from '../../src/core/report.ts';
import type { ReviewThread, ThreadComment } from '../../src/github/review-threads.ts';
import type { Review } from '../../src/github/reviews.ts';
import { goneMarker, toOwnThreads, toolsMarker } from '../../src/publish/own-threads.ts';
import { type Past, planReview } from '../../src/publish/plan-review.ts';
import { reviewedMarker } from '../../src/render/finding-marker.ts';
import { buildFinding, buildReport } from './build-report.ts';

const HEAD = 'a'.repeat(40);
const own = { author: 'github-actions', isBot: true, byViewer: true };
const person = { author: 'alice', isBot: false, byViewer: false };

const comment = (body: string, by = own): ThreadComment => ({ id: 1, nodeId: 'n', body, isMinimized: false, ...by });
const markerOf = (f: ReportFinding) => `<!-- cypherfix:v1 finding ${f.fingerprint} -->`;

function threadOf(f: ReportFinding, change: Partial<ReviewThread> = {}): ReviewThread {
  return {
    nodeId: `t-${f.id}`,
    path: f.path,
    line: f.startLine,
    isResolved: false,
    isOutdated: false,
    viewerCanResolve: true,
    viewerCanReply: true,
    comments: [comment(`text\n${toolsMarker(f.tools)}\n${markerOf(f)}`)],
    hasMoreComments: false,
    ...change,
  };
}

const review: Review = { id: 1, body: 'b', state: 'COMMENTED', url: 'u', ...own };

function pastOf(threads: ReviewThread[], change: Partial<Past> = {}): Past {
  const ownThreads = toOwnThreads(threads, []);
  const lastSeen = new Set(ownThreads.map(t => t.fingerprint));
  return {
    reviews: [review],
    review,
    shownInBody: new Set(),
    isBodyPartial: false,
    lastSeen,
    threads: ownThreads,
    spentUsd: 0,
    acceptanceHead: null,
    ...change,
  };
}

const NOTHING: Past = {
  reviews: [],
  review: null,
  shownInBody: new Set(),
  isBodyPartial: false,
  lastSeen: null,
  threads: [],
  spentUsd: 0,
  acceptanceHead: null,
};
const a = buildFinding('a');
const b = buildFinding('b');
const plan = (findings: ReportFinding[], past: Past, change = {}) =>
  planReview(buildReport({ headSha: HEAD, findings, change }), past);
const names = (findings: readonly ReportFinding[]) => findings.map(f => f.title.slice(9));

describe('the first run', () => {
  test('posts what is anchored as comments and the rest in the body', () => {
    const body = buildFinding('c', { placement: 'body' });
    const summary = buildFinding('d', { placement: 'summary' });
    const quiet = buildFinding('e', { suppressed: { reason: 'accepted' } });
    const result = plan([a, b, body, summary, quiet], NOTHING);
    expect(names(result.inline)).toEqual(['a', 'b']);
    expect(names(result.body)).toEqual(['c']);
    expect(result.review.kind).toBe('create');
  });

  test('posts a review without findings too', () => {
    expect(plan([], NOTHING).review.kind).toBe('create');
  });

  test('moves the 31st comment to the body', () => {
    const many = Array.from({ length: 33 }, (_, i) => buildFinding(`m${i}`));
    const result = plan(many, NOTHING);
    expect(result.inline).toHaveLength(30);
    expect(names(result.body)).toEqual(['m30', 'm31', 'm32']);
  });
});

describe('a later run', () => {
  test('posts only what is new', () => {
    const result = plan([a, b], pastOf([threadOf(a)]));
    expect(names(result.inline)).toEqual(['b']);
    expect(names(result.stillInline)).toEqual(['a']);
    expect(result.review.kind).toBe('create');
  });

  test('with nothing new keeps the review up to date', () => {
    const result = plan([a], pastOf([threadOf(a)]));
    expect(result.inline).toEqual([]);
    expect(result.review).toEqual({ kind: 'update', target: review });
  });

  test('writes its own review where the newest is another identity’s', () => {
    const result = plan([a], pastOf([threadOf(a)], { review: { ...review, byViewer: false } }));
    expect(result.review.kind).toBe('create');
    expect(result.inline).toEqual([]);
  });

  test('knows a finding under the fingerprint of each of its tools', () => {
    const other = buildFinding('other name');
    const merged = { ...a, mergedFrom: [...a.mergedFrom, { tool: 'eslint', ruleId: 'r', id: other.id }] };
    const result = plan([merged], pastOf([threadOf(other)]));
    expect(result.inline).toEqual([]);
    expect(result.close).toEqual([]);
    expect(names(result.stillInline)).toEqual(['a']);
    const shown = { shownInBody: new Set([other.fingerprint]) };
    expect(plan([merged], pastOf([], shown)).review.kind).toBe('update');
  });

  test('does not repeat what a body showed', () => {
    const c = buildFinding('c', { placement: 'body' });
    const result = plan([c], pastOf([], { shownInBody: new Set([c.fingerprint]), lastSeen: new Set([c.fingerprint]) }));
    expect(result.review.kind).toBe('update');
    expect(names(result.stillInBody)).toEqual(['c']);
  });

  test('repeats nothing of a body whose list was cut', () => {
    const c = buildFinding('c', { placement: 'body' });
    expect(plan([c], pastOf([], { isBodyPartial: true })).review.kind).toBe('update');
    expect(names(plan([a, c], pastOf([], { isBodyPartial: true })).inline)).toEqual(['a']);
  });

  test('does not repeat what a person closed', () => {
    expect(plan([a], pastOf([threadOf(a, { isResolved: true })])).review.kind).toBe('update');
  });

  test('posts again what was gone and is back', () => {
    const gone = new Set<string>();
    expect(names(plan([a], pastOf([threadOf(a, { isResolved: true })], { lastSeen: gone })).inline)).toEqual(['a']);
    const folded = threadOf(a, { comments: [comment(markerOf(a)), comment(goneMarker(a.fingerprint))] });
    expect(names(plan([a], pastOf([folded], { lastSeen: gone })).inline)).toEqual(['a']);
  });
});

describe('a thread whose finding is not there', () => {
  const closes = (thread: ReviewThread, change = {}) => plan([], pastOf([thread]), change).close.map(c => c.why);
  const ledgerOf = (file: object) => ({
    ledger: { files: [{ path: 'src/a.js', status: 'modified', ...file }], complete: true },
  });

  test('is closed when its tool examined the file', () => {
    expect(closes(threadOf(a))).toEqual(['gone']);
  });

  test.each<[string, object]>([
    ['its tool did not examine the file', ledgerOf({ examinedBy: ['eslint', 'gitleaks'] })],
    [
      'its tool could not parse it',
      ledgerOf({ examinedBy: ['ast-grep'], partial: [{ tool: 'ast-grep', reason: 'x' }] }),
    ],
    ['the file was skipped', ledgerOf({ examinedBy: [], skipped: 'too large' })],
  ])('stays open when %s', (_name, change) => {
    const result = plan([], pastOf([threadOf(a)]), change);
    expect(result.close).toEqual([]);
    expect(result.unknown).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['was deleted', ledgerOf({ status: 'deleted', examinedBy: [] })],
    ['left the change', { ledger: { files: [], complete: true } }],
    ['was renamed', ledgerOf({ path: 'src/new.js', previousPath: 'src/a.js', examinedBy: ['ast-grep'] })],
  ])('is closed when the file %s', (_name, change) => {
    expect(closes(threadOf(a), change)).toEqual(['gone']);
  });

  test('is closed only when every tool that had reported it looked again', () => {
    const both = threadOf(buildFinding('a', { tools: ['ast-grep', 'eslint'] }));
    expect(closes(both)).toEqual(['gone']);
    expect(closes(both, ledgerOf({ examinedBy: ['ast-grep'] }))).toEqual([]);
  });

  test('stays open when the renamed file was not read', () => {
    const renamed = ledgerOf({
      path: 'src/new.js',
      previousPath: 'src/a.js',
      status: 'renamed',
      examinedBy: ['eslint'],
    });
    expect(closes(threadOf(a), renamed)).toEqual([]);
  });

  test('that told of a secret stays open when the commits were not looked at, even without the file', () => {
    const secret = threadOf(buildFinding('s', { tool: 'gitleaks', tools: ['gitleaks'] }));
    const deleted = { path: 'src/a.js', status: 'deleted', examinedBy: [] };
    expect(closes(secret, { ledger: { files: [deleted], complete: false } })).toEqual([]);
    expect(closes(secret, { ledger: { files: [deleted], complete: true } })).toEqual(['gone']);
  });

  test('without names of tools needs a run without failures', () => {
    const bare = threadOf(a, { comments: [comment(markerOf(a))] });
    expect(closes(bare)).toEqual(['gone']);
    const failed = { name: 'bandit', version: '1', status: 'failed', filesExamined: 0, findings: 0, durationMs: 1 };
    expect(closes(bare, { scanners: [failed] })).toEqual([]);
  });

  test('is never touched when a person wrote in it', () => {
    const talk = threadOf(a, { comments: [comment(markerOf(a)), comment('I disagree', person)] });
    expect(closes(talk)).toEqual([]);
    expect(closes(threadOf(a, { hasMoreComments: true }))).toEqual([]);
  });

  test('is never touched when a person wrote in it with the token that runs us', () => {
    expect(closes(threadOf(a, { comments: [comment(markerOf(a)), comment('I disagree', own)] }))).toEqual([]);
  });

  test('is not closed twice', () => {
    expect(closes(threadOf(a, { isResolved: true }))).toEqual([]);
    expect(closes(threadOf(a, { comments: [comment(markerOf(a)), comment(goneMarker(a.fingerprint))] }))).toEqual([]);
    expect(closes(threadOf(a, { comments: [{ ...comment(markerOf(a)), isMinimized: true }] }))).toEqual([]);
  });

  describe('that a reviewer began', () => {
    const reviewed = {
      reviewer: 'security',
      ruleId: 'race/CWE-362',
      severity: 'high' as const,
      confidence: 0.9,
      cwe: ['CWE-362'],
      title: 'T',
      quote: 'eval(x)',
    };
    const f = buildFinding('ai', { origin: 'reviewer', tool: 'security', tools: ['security'], reviewed });
    const begun = (finding: ReportFinding): ReviewThread =>
      threadOf(finding, {
        comments: [comment(`${reviewedMarker(finding)}\n${markerOf(finding)}\n${toolsMarker(finding.tools)}`)],
      });
    const looked = ledgerOf({ examinedBy: ['security', 'ast-grep'] });
    const resolved = [{ fingerprint: f.fingerprint, reason: 'the text is gone' }];

    test('stays open although the reviewer looked again, until the report calls it gone', () => {
      expect(closes(begun(f), looked)).toEqual([]);
      expect(closes(begun(f), { ...looked, resolved })).toEqual(['gone']);
      expect(closes(begun(f), { resolved })).toEqual(['gone']);
    });

    test('and a scanner too is closed when both say so', () => {
      const both = begun({ ...f, tools: ['ast-grep', 'security'] });
      expect(closes(both, looked)).toEqual([]);
      expect(closes(both, { ...ledgerOf({ examinedBy: ['eslint'] }), resolved })).toEqual([]);
      expect(closes(both, { ...looked, resolved })).toEqual(['gone']);
    });

    test('is left alone while the finding is carried, and nothing is posted', () => {
      const result = plan([{ ...f, carried: true }], pastOf([begun(f)]));
      expect([result.inline, result.body, result.close, result.unknown]).toEqual([[], [], [], []]);
      expect(result.stillInline).toHaveLength(1);
      expect(result.review.kind).toBe('update');
    });

    test('without a marker of its own waits for the reviewer, beside a scanner for the scanner alone', () => {
      expect(closes(threadOf(f))).toEqual([]);
      expect(closes(threadOf(f), looked)).toEqual(['gone']);
      expect(closes(threadOf({ ...f, tools: ['ast-grep', 'security'] }))).toEqual(['gone']);
    });
  });

  test('a suppressed finding closes its thread', () => {
    const quiet = { ...a, suppressed: { reason: 'accepted' } };
    expect(plan([quiet], pastOf([threadOf(a)])).close.map(c => c.why)).toEqual(['suppressed']);
  });
});

describe('markers of others', () => {
  test('are text', () => {
    const forged = threadOf(a, { comments: [comment(markerOf(a), person)] });
    const result = plan([a], pastOf([forged]));
    expect(names(result.inline)).toEqual(['a']);
    expect(result.close).toEqual([]);
  });

  test('of a trusted bot count', () => {
    const app = { author: 'helper', isBot: true, byViewer: false };
    const thread = threadOf(a, { comments: [comment(markerOf(a), app)] });
    expect(toOwnThreads([thread], ['helper[bot]'])).toHaveLength(1);
    expect(toOwnThreads([thread], ['helper'])).toHaveLength(0);
  });
});
