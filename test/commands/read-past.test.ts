import { describe, expect, test } from 'vitest';
import { toOpenFindings } from '../../src/commands/read-past.ts';
import type { OpenAiFinding } from '../../src/core/open-finding.ts';
import type { ReviewThread, ThreadComment } from '../../src/github/review-threads.ts';
import { goneMarker, toOwnThreads } from '../../src/publish/own-threads.ts';
import { renderComment } from '../../src/publish/review-texts.ts';
import { buildFinding, buildReport } from '../publish/build-report.ts';

const HEAD = 'a'.repeat(40);
const own = { author: 'github-actions', isBot: true, byViewer: true };
const person = { author: 'mallory', isBot: false, byViewer: false };
const view = { headSha: HEAD, serverUrl: 'https://github.test' };

const finding = (name: string, severity: OpenAiFinding['severity'] = 'high') =>
  buildFinding(name, {
    origin: 'reviewer',
    tool: 'security',
    tools: ['security'],
    severity,
    reviewed: {
      reviewer: 'security',
      ruleId: 'race/CWE-362',
      severity,
      confidence: 0.9,
      cwe: ['CWE-362'],
      title: `Title of ${name}`,
      quote: `quote of ${name}`,
    },
  });
const comment = (body: string, by = own): ThreadComment => ({ id: 1, nodeId: 'n', body, isMinimized: false, ...by });
const bodyOf = (one = finding('a')) => renderComment(buildReport({ headSha: HEAD }), one, view);
const thread = (comments: ThreadComment[], change: Partial<ReviewThread> = {}): ReviewThread => ({
  nodeId: 't',
  path: 'src/a.js',
  line: 2,
  isResolved: false,
  isOutdated: false,
  viewerCanResolve: true,
  viewerCanReply: true,
  comments,
  hasMoreComments: false,
  ...change,
});
const read = (...threads: ReviewThread[]) => toOpenFindings(toOwnThreads(threads, ['octo-app[bot]']));
const titles = (...threads: ReviewThread[]) => read(...threads).openFindings.map(one => one.title);

describe('open findings of reviewers', () => {
  test('are those of our own open threads, whole', () => {
    expect(read(thread([comment(bodyOf())]))).toEqual({
      openFindings: [
        {
          fingerprint: finding('a').fingerprint,
          reviewer: 'security',
          path: 'src/a.js',
          line: 2,
          category: 'race',
          cwe: 'CWE-362',
          severity: 'high',
          confidence: 0.9,
          title: 'Title of a',
          quote: 'quote of a',
          introduced: true,
        },
      ],
      openFindingsUnread: null,
    });
  });

  test.each<[string, ReviewThread]>([
    ['that a person closed', thread([comment(bodyOf())], { isResolved: true })],
    ['that was folded away', thread([{ ...comment(bodyOf()), isMinimized: true }])],
    ['in which we said that it is gone', thread([comment(bodyOf()), comment(goneMarker(finding('a').fingerprint))])],
    ['of somebody else, with our marker in it', thread([comment(bodyOf(), person)])],
    ['of ours, in which somebody else wrote the marker', thread([comment('Nice.'), comment(bodyOf(), person)])],
    ['of a scanner', thread([comment(bodyOf(buildFinding('s')))])],
  ])('are none in a thread %s', (_, one) => expect(titles(one)).toEqual([]));

  test('stay open when a person answers, and count in the comment of a trusted bot', () => {
    expect(titles(thread([comment(bodyOf()), comment('Why?', person)]))).toEqual(['Title of a']);
    const bot = { author: 'octo-app', isBot: true, byViewer: false };
    expect(titles(thread([comment(bodyOf(), bot)]))).toEqual(['Title of a']);
  });

  test('come worst first and once each; what is beyond the cap is said', () => {
    const low = thread([comment(bodyOf(finding('low', 'low')))]);
    const many = Array.from({ length: 205 }, (_, at) => thread([comment(bodyOf(finding(`m${at}`)))]));
    const result = read(low, ...many, thread([comment(bodyOf(finding('m0')))]));
    expect(result.openFindings).toHaveLength(200);
    expect(result.openFindings.every(one => one.severity === 'high')).toBe(true);
    expect(result.openFindingsUnread).toBe('6 open findings of reviewers are beyond the 200 that a run looks at.');
  });
});
