import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  fetchIssueTexts,
  fitTexts,
  type IssueText,
  listClosingIssues,
  MAX_ISSUES_BYTES,
} from '../../src/github/linked-issues.ts';
import { startWorld, type World } from './on-simulator.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.sim.close());

test('the issues that GitHub links, and their texts', async () => {
  const { gh, repository, sim, pull } = world;
  sim.openIssue({ number: 12, title: 'Broken', body: '- [ ] mend it' });
  sim.openIssue({ number: 13, title: 'Other' });
  pull.closes = [12];
  expect(await listClosingIssues(gh, repository, 7)).toEqual([12]);
  const { issues, missing, notices } = await fetchIssueTexts(gh, repository, [12, 99, 7]);
  expect(issues).toEqual([{ number: 12, title: 'Broken', body: '- [ ] mend it', state: 'open' }]);
  expect([missing, notices]).toEqual([[99], []]);
});

test('a token that may not read issues gives none, without an error', async () => {
  const { gh, repository, sim, pull } = world;
  sim.openIssue({ number: 12, title: 'Broken' });
  pull.closes = [12];
  sim.workflowToken.permissions = { 'pull-requests': 'read', contents: 'read' };
  expect(await listClosingIssues(gh, repository, 7)).toEqual([]);
  const { issues, missing, notices } = await fetchIssueTexts(gh, repository, [12]);
  expect([issues, missing]).toEqual([[], []]);
  expect(notices).toEqual([expect.stringMatching(/^acceptance: issue 12 was not read: .*not accessible/)]);
});

describe('texts that are too long', () => {
  const toIssue = (number: number, body: string): IssueText => ({ number, title: 'T', body, state: 'open' });
  const sizeOf = (issues: readonly IssueText[]) => Buffer.byteLength(JSON.stringify(issues));

  test('are cut so that all fit, the short ones stay whole', () => {
    const issues = [toIssue(1, 'a'.repeat(100_000)), toIssue(2, 'short'), toIssue(3, '"é😀\n'.repeat(40_000))];
    const fitted = fitTexts(issues, MAX_ISSUES_BYTES);
    expect(fitted.map(issue => issue.number)).toEqual([1, 2, 3]);
    expect(fitted[1]?.body).toBe('short');
    expect(sizeOf(fitted)).toBeLessThanOrEqual(MAX_ISSUES_BYTES);
    expect(sizeOf(fitted)).toBeGreaterThan(MAX_ISSUES_BYTES - 100);
    expect(fitted[2]?.body).not.toMatch(/[\ud800-\udbff]$/);
  });

  test('that fit are not touched', () => {
    const issues = [toIssue(1, 'a'), toIssue(2, 'b')];
    expect(fitTexts(issues, MAX_ISSUES_BYTES)).toEqual(issues);
  });
});
