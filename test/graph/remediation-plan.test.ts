import { expect, test } from 'vitest';
import { planRemediations, type StoredRemediation } from '../../src/graph/remediation-plan.ts';
import { toRemediation } from './remediation.ts';

const toStored = (groupKey: string | null, changes: Partial<StoredRemediation> = {}): StoredRemediation => ({
  node: `node of ${groupKey}`,
  groupKey,
  status: 'pending',
  agentSessionId: null,
  fixBranch: null,
  prUrl: null,
  ...changes,
});

const NOTHING = { create: [], rewrite: [], refresh: [], close: [], remove: [] };
const item = toRemediation('k');
const dead = toRemediation('k', { liveMemberCount: 0 });
const node = 'node of k';

test.each([
  ['a new group', [], [item], { create: [item] }],
  ['a new group without a live member', [], [dead], {}],
  ['the same group twice', [], [item, item], { create: [item] }],
  ['a pending row', [toStored('k')], [item], { rewrite: [{ node, item }] }],
  ['a pending row without a live member', [toStored('k')], [dead], { remove: [node] }],
  ['a pending row that is not found again', [toStored('k')], [], { remove: [node] }],
  [
    'a row in work',
    [toStored('k', { status: 'code_review' })],
    [item],
    { refresh: [{ node, item, stillDetected: false }] },
  ],
  [
    'a row with a session',
    [toStored('k', { agentSessionId: 's' })],
    [item],
    { refresh: [{ node, item, stillDetected: false }] },
  ],
  [
    'a row with a branch',
    [toStored('k', { fixBranch: 'b' })],
    [item],
    { refresh: [{ node, item, stillDetected: false }] },
  ],
  [
    'a row with a pull request',
    [toStored('k', { prUrl: 'u' })],
    [item],
    { refresh: [{ node, item, stillDetected: false }] },
  ],
  [
    'a resolved row that is still found',
    [toStored('k', { status: 'resolved' })],
    [item],
    { refresh: [{ node, item, stillDetected: true }] },
  ],
  [
    'a resolved row with nothing live',
    [toStored('k', { status: 'resolved' })],
    [dead],
    { refresh: [{ node, item: dead, stillDetected: false }] },
  ],
  ['a row in work that is not found again', [toStored('k', { status: 'dismissed' })], [], { close: [node] }],
  ['a row of before keys', [toStored(null)], [item], { create: [item], remove: ['node of null'] }],
  ['a row of before keys in work', [toStored(null, { status: 'in_progress' })], [], { close: ['node of null'] }],
  [
    'a second row of one key',
    [toStored('k'), toStored('k', { node: 'second' })],
    [item],
    { rewrite: [{ node, item }], remove: ['second'] },
  ],
])('%s', (_, stored, items, expected) => {
  expect(planRemediations(stored, items, true)).toEqual({ ...NOTHING, ...expected });
});

test('what an incomplete list does not name stays', () => {
  const stored = [toStored('other'), toStored(null), toStored('work', { status: 'resolved' })];
  expect(planRemediations(stored, [item], false)).toEqual({ ...NOTHING, create: [item] });
});
