import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AcceptanceInput, checkAcceptance } from '../../src/acceptance/check-acceptance.ts';
import type { LinkedIssue } from '../../src/acceptance/criterion.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/schema.ts';
import type { GvisorSandbox } from '../../src/sandbox/create-sandbox.ts';
import { openSandbox } from '../sandbox/real-sandbox.ts';
import { createRepository, type ReadRepository } from './repository.ts';

const ISSUE: LinkedIssue = {
  number: 12,
  title: 'Totals are wrong',
  body: `The cart is wrong.

## Acceptance criteria
- [ ] AC-1: prices are added up
- [ ] AC-2: a discount is taken off once
- [ ] **AC-3** an empty cart costs nothing
- [ ] The total says its currency (AC-4)
- [ ] \`rounds half a cent up\` holds
- [ ] It reads well`,
  state: 'open',
};

const BASE = {
  'package.json': JSON.stringify({ name: 'cart', private: true, type: 'module' }),
  'cart.js': 'export const total = prices => prices.length;\n',
  'test/cart.test.js': `import { test } from 'node:test';
import assert from 'node:assert/strict';
import { total } from '../cart.js';
test('AC-3 an empty cart costs nothing', () => assert.equal(total([]), 0));
`,
};
const HEAD = {
  'cart.js': `export const total = prices => prices.reduce((sum, price) => sum + price, 0);
export const discounted = (prices, share) => total(prices) * (1 - share) * (1 - share);
export const round = cents => Math.round(cents);
`,
  'test/cart.test.js': `${BASE['test/cart.test.js']}import { discounted, round } from '../cart.js';
import { describe, it } from 'node:test';
describe('AC-1', () => {
  it('adds two prices', () => assert.equal(total([1, 2]), 3));
  it('adds one price', () => assert.equal(total([5]), 5));
});
test('AC_2 takes the discount once', () => assert.equal(discounted([100], 0.5), 50));
test('AC-4 names its currency', { skip: 'later' }, () => {});
test('AC-10 is another one', () => assert.fail());
test('rounds half a cent up', () => assert.equal(round(0.5), 1));
`,
};

let sandbox: GvisorSandbox;
let repository: ReadRepository;
beforeAll(async () => {
  sandbox = await openSandbox();
  repository = await createRepository(BASE, HEAD);
});
afterAll(async () => {
  await sandbox?.close();
  await repository?.close();
});

function toInput(tests: Partial<Policy['tests']>, acceptance: Partial<Policy['acceptance']> = {}): AcceptanceInput {
  const { change, head } = repository;
  return {
    issues: [ISSUE],
    change,
    tree: head,
    policy: {
      ...DEFAULT_POLICY,
      tests: { ...DEFAULT_POLICY.tests, timeout_s: 60, ...tests },
      acceptance: { ...DEFAULT_POLICY.acceptance, mode: 'on', ...acceptance },
      sandbox: { ...DEFAULT_POLICY.sandbox, memory_mb: 1_024 },
    },
    sandbox,
    ai: null,
    isIgnored: () => false,
    maxFiles: 300,
    signal: new AbortController().signal,
  };
}

const statuses = (result: Awaited<ReturnType<typeof checkAcceptance>>) =>
  result?.acceptance.criteria.map(({ id, status, judgedBy }) => [id, status, judgedBy]);

const DECIDED = [
  ['AC-1', 'met', 'test'],
  ['AC-2', 'unmet', 'test'],
  ['AC-3', 'met', 'test'],
  ['AC-4', 'unclear', 'test'],
  ['rounds half a cent up', 'met', 'test'],
  [undefined, 'unclear', 'none'],
];

describe('a repository whose tests decide its criteria', () => {
  test('by what node prints', async () => {
    const result = await checkAcceptance(toInput({ command: 'node --test {target}' }));
    expect(statuses(result)).toEqual(DECIDED);
    expect(result?.acceptance).toMatchObject({ mode: 'on', issues: [12], command: { exitCode: 1, timedOut: false } });
    const [first, , third] = result?.acceptance.criteria ?? [];
    expect(first?.evidence).toEqual([
      { path: 'test/cart.test.js', line: 8, text: 'AC-1 adds two prices: passed (new in this change)' },
      { path: 'test/cart.test.js', line: 9, text: 'AC-1 adds one price: passed (new in this change)' },
    ]);
    expect(third?.evidence).toEqual([
      { path: 'test/cart.test.js', line: 4, text: 'AC-3 an empty cart costs nothing: passed' },
    ]);
    expect(result?.sandboxRuns).toMatchObject([{ purpose: 'acceptance', identity: { runtime: 'cypherfix-runsc' } }]);
    expect(result?.notices).toEqual([
      'acceptance: 1 criterion was not judged: no test decides it and no model took part',
    ]);
  });

  test('by JUnit files that a setup made possible, and what is committed as a result does not count', async () => {
    const command =
      'test -e out/ready && node --test --test-reporter=junit --test-reporter-destination=out/TEST-cart.xml';
    const forged = await createRepository(BASE, {
      ...HEAD,
      'out/TEST-forged.xml': '<testsuite><testcase name="AC-4"/></testsuite>',
    });
    try {
      const input = toInput({ setup: 'mkdir -p out && touch out/ready' }, { command, results: ['out/**/TEST-*.xml'] });
      const result = await checkAcceptance({ ...input, tree: forged.head, change: forged.change });
      expect(statuses(result)).toEqual(DECIDED);
      expect(result?.notices).toContain('tests ran without 1 committed test result of the tree');
    } finally {
      await forged.close();
    }
  });

  test('a command that hangs is stopped; what had passed stays unclear', async () => {
    const command = 'node --test --test-reporter=tap; sleep 600';
    const result = await checkAcceptance(toInput({ command, timeout_s: 10 }));
    expect(result?.acceptance.command).toMatchObject({ timedOut: true });
    expect(statuses(result)?.slice(0, 3)).toEqual([
      ['AC-1', 'unclear', 'test'],
      ['AC-2', 'unmet', 'test'],
      ['AC-3', 'unclear', 'test'],
    ]);
    expect(result?.notices[0]).toMatch(/^acceptance: the command was stopped after 10 s \(\d tests by TAP\)$/);
  });

  test.each<[string, Partial<Policy['tests']>, RegExp]>([
    ['a program that is not in the image', { command: 'no-such-runner --all' }, /did not start \(exit code 127\)/],
    [
      'a setup that fails',
      { command: 'node --test', setup: 'echo no network >&2; exit 3' },
      /tests\.setup ended with exit code 3/,
    ],
    [
      'an image that is not there',
      { command: 'x', image: `example.test/a@sha256:${'0'.repeat(64)}` },
      /no image lock has the class/,
    ],
  ])('%s is told', async (_name, tests, reason) => {
    const result = await checkAcceptance(toInput(tests));
    expect(result?.notices[0]).toMatch(/^acceptance: the tests could not start: /);
    expect(result?.notices[0]).toMatch(reason);
    expect(result?.acceptance.command).toBeUndefined();
    expect(statuses(result)?.slice(0, 2)).toEqual([
      ['AC-1', 'unclear', 'none'],
      ['AC-2', 'unclear', 'none'],
    ]);
    expect(result?.acceptance.criteria[0]?.evidence[0]?.text).toContain('the tests could not start');
  });
});

test('a Python project in its class', async () => {
  const python = await createRepository(
    { 'shop.py': 'def total(prices):\n    return 0\n' },
    {
      'shop.py': 'def total(prices):\n    return sum(prices)\n',
      'test_shop.py': `import unittest
from shop import total
class TotalTest(unittest.TestCase):
    def test_ac_1_adds(self): self.assertEqual(total([1, 2]), 3)
    def test_ac_2_takes_discounts(self): self.assertEqual(total([1]), 2)
    def test_ac_3_empty(self): self.assertEqual(total([]), 0)
`,
    },
  );
  try {
    const input = toInput({ image: 'python', command: 'python3 -m unittest -v' });
    const result = await checkAcceptance({ ...input, tree: python.head, change: python.change });
    expect(statuses(result)?.slice(0, 4)).toEqual([
      ['AC-1', 'met', 'test'],
      ['AC-2', 'unmet', 'test'],
      ['AC-3', 'met', 'test'],
      ['AC-4', 'unclear', 'none'],
    ]);
  } finally {
    await python.close();
  }
});

test('a Go project in its class', async () => {
  const go = await createRepository(
    { 'go.mod': 'module example.test/shop\n\ngo 1.23\n' },
    {
      'shop.go':
        'package shop\n\nfunc Total(p []int) (s int) {\n\tfor _, v := range p {\n\t\ts += v\n\t}\n\treturn\n}\n',
      'shop_test.go': `package shop

import "testing"

func TestAC1Adds(t *testing.T) {
	if Total([]int{1, 2}) != 3 {
		t.Fail()
	}
}

func TestAC_2(t *testing.T) { t.Fatal("no discount") }
`,
    },
  );
  try {
    const input = toInput({ image: 'go', command: 'go test -json ./...', timeout_s: 150 });
    const result = await checkAcceptance({ ...input, tree: go.head, change: go.change });
    expect(statuses(result)?.slice(0, 3)).toEqual([
      ['AC-1', 'met', 'test'],
      ['AC-2', 'unmet', 'test'],
      ['AC-3', 'unclear', 'none'],
    ]);
  } finally {
    await go.close();
  }
});
