import { expect, test } from 'vitest';
import { openReviewGraph, type ReviewGraphPlan } from '../../src/commands/open-review-graph.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';

const context = { log: SILENT_LOG, signal: new AbortController().signal };
const ACCESS = { uri: 'bolt://127.0.0.1:1', user: 'neo4j', password: 'not-a-real-one', database: '' };
const open = (triage: string, rest: Partial<ReviewGraphPlan> = {}) =>
  openReviewGraph(
    {
      policy: parsePolicy(Buffer.from(`triage: { ${triage} }\n`)),
      access: ACCESS,
      setting: 'neo4j-uri',
      toRepository: async () => 'acme/shop',
      isPublic: true,
      pullRequest: 7,
      ...rest,
    },
    context,
  );
const noticesOf = async (triage: string, rest: Partial<ReviewGraphPlan> = {}) => {
  const graph = await open(triage, rest);
  graph.begin();
  const { changed, notices } = await graph.rank([]);
  expect([changed.size, await graph.keep([], true)]).toEqual([0, []]);
  await graph.close();
  return notices;
};

test('a policy that names no project asks for no graph', async () => {
  expect(await noticesOf('')).toEqual([]);
  expect(await noticesOf('review_budget: 3', { access: null })).toEqual([]);
});

test.each<[string, string, Partial<ReviewGraphPlan>, string]>([
  ['half a name', 'project: p', {}, 'the policy lacks triage.user'],
  ['the other half', 'user: u', {}, 'the policy lacks triage.project'],
  ['no address', 'project: p, user: u', { access: null }, 'neo4j-uri is not set'],
  ['no name of the repository', 'project: p, user: u', { toRepository: async () => null }, 'origin does not tell'],
  ['nobody at the address', 'project: p, user: u', {}, 'the server cannot be reached'],
  [
    'an address of another kind',
    'project: p, user: u',
    { access: { ...ACCESS, uri: 'https://graph.example' } },
    'could not be used',
  ],
])('%s: a notice says why no graph was used', async (_, triage, rest, reason) => {
  const notices = await noticesOf(triage, rest);
  expect(notices).toEqual([expect.stringContaining(reason)]);
  expect(notices[0]).not.toMatch(/127\.0\.0\.1|graph\.example|not-a-real-one/);
});
