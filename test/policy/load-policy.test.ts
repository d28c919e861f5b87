import { describe, expect, it } from 'vitest';
import { CypherFixError } from '../../src/core/errors.ts';
import { loadPolicy } from '../../src/policy/load-policy.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../src/policy/schema.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function faultsOf(content: string | Uint8Array): string[] {
  try {
    parsePolicy(typeof content === 'string' ? bytes(content) : content, '.cypherfix.yml');
  } catch (error) {
    expect(error).toBeInstanceOf(CypherFixError);
    expect((error as CypherFixError).code).toBe('policy');
    return (error as CypherFixError).message.split('\n');
  }
  return [];
}

describe('parsePolicy', () => {
  it.each([
    ['no file', null],
    ['an empty file', ''],
    ['comments alone', '# nothing yet\n'],
    ['an explicit null', '---\n~\n'],
    ['the version alone', 'version: 1\n'],
  ])('gives the defaults for %s', (_name, content) => {
    expect(parsePolicy(content === null ? null : bytes(content))).toEqual(DEFAULT_POLICY);
  });

  it('has the defaults of the contract', () => {
    expect(DEFAULT_POLICY.review).toEqual({
      on: ['opened', 'reopened', 'ready_for_review', 'synchronize'],
      ignore_paths: [],
      max_files: 300,
      context_lines: 3,
      max_inline_comments: 30,
    });
    expect(DEFAULT_POLICY.gate).toEqual({ fail_on: ['critical', 'high'], threshold: 0.6, max_tier: null });
    expect(DEFAULT_POLICY.sandbox).toEqual({ memory_mb: 2048, cpus: 2, timeout_s: 300 });
    expect(DEFAULT_POLICY.fix.trigger_labels).toEqual(['cypherfix:fix']);
  });

  it('takes every section of the contract', () => {
    const policy = parsePolicy(bytes(FULL));
    expect(policy.scanners.rules).toEqual({ disable: ['G104'], severity: { S311: 'info' }, extra: 'security/rules' });
    expect(policy.scanners.byo[0]?.name).toBe('own');
    expect(policy.ai.prices['some/model']?.cache_read).toBe(0.1);
    expect(policy.tests.image).toBe('go');
    expect(policy.suppress).toHaveLength(2);
    expect(policy.sarif.upload).toBe(true);
  });

  it('gives all faults at once, each with its line and key path', () => {
    const content = [
      'version: 2',
      'review:',
      '  max_files: many',
      '  on: [opened, pushed]',
      '  colour: red',
      'gate:',
      '  fail_on: high',
      'tests: { image: "node:latest" }',
      'suppress:',
      '  - rule: G104',
      '    paths: ["**"]',
      '  - rule: G1',
      '    fingerprint: 0123abcd',
      '    reason: both',
      '  - { rule: G2, reason: "x", until: 2027-02-30 }',
      'sandbox:',
      '  cpus: 0.1',
      'extra: 1',
    ].join('\n');
    expect(faultsOf(content)).toEqual([
      '.cypherfix.yml:1: version: expected 1',
      '.cypherfix.yml:3: review.max_files: expected a number, got a text',
      '.cypherfix.yml:4: review.on[1]: expected one of opened, reopened, ready_for_review, synchronize',
      '.cypherfix.yml:5: review.colour: unknown key',
      '.cypherfix.yml:7: gate.fail_on: expected a list, got a text',
      '.cypherfix.yml:8: tests.image: expected node, python, go, java or an image by digest (repo@sha256:<64 hex digits>)',
      '.cypherfix.yml:10: suppress[0].reason: expected a text, but the key is missing',
      '.cypherfix.yml:12: suppress[1]: expected either rule or fingerprint',
      '.cypherfix.yml:15: suppress[2].until: expected a date such as 2027-01-31',
      '.cypherfix.yml:17: sandbox.cpus: expected at least 0.5',
      '.cypherfix.yml:18: extra: unknown key',
    ]);
  });

  it.each([
    ['a duplicate key', 'gate: {}\ngate: {}\n', 2, /unique/],
    ['a tag', 'version: !!int "1"\n', 1, /no tag/],
    ['an unknown tag', 'review:\n  on: !python/object []\n', 2, /no tag/],
    ['an unclosed list', 'suppress: [\n', 2, /./],
    ['a list at the top', '- a\n', 1, /expected a mapping, got a list/],
    ['a text at the top', 'hello\n', 1, /expected a mapping, got a text/],
    ['an unknown alias', 'gate: *base\n', 1, /alias/],
    ['a prototype key', '__proto__: { polluted: true }\n', 1, /unknown key/],
    ['a section without keys', 'gate:\nsarif: {}\n', 1, /gate: expected a mapping, got null/],
    ['a parent folder', 'scanners: { rules: { extra: ../rules } }\n', 1, /relative path/],
    [
      'a severity that is none',
      'scanners:\n  rules:\n    severity:\n      G1: bad\n',
      4,
      /severity\.G1: expected one of/,
    ],
    ['a merge key', 'gate: &g {}\nsarif:\n  <<: *g\n', 3, /unknown key/],
    ['a second document', 'version: 1\n---\nversion: 1\n', 2, /multiple documents/],
  ])('refuses %s', (_name, content, line, text) => {
    const faults = faultsOf(content);
    expect(faults[0]).toMatch(new RegExp(`^\\.cypherfix\\.yml:${line}: `));
    expect(faults.join('\n')).toMatch(text);
  });

  it('refuses a file that is too large, not UTF-8, an alias bomb or nested without end, quickly', () => {
    const started = performance.now();
    expect(faultsOf(`# ${'x'.repeat(300_000)}`)[0]).toMatch(/262144 bytes/);
    expect(faultsOf(new Uint8Array([0x61, 0x3a, 0xff]))[0]).toMatch(/UTF-8/);
    const bomb = ['a: &a [1,1,1,1,1,1,1,1,1,1]'];
    for (let i = 0; i < 8; i++) bomb.push(`b${i}: &b${i} [${`*${i === 0 ? 'a' : `b${i - 1}`},`.repeat(9)}]`);
    expect(faultsOf(bomb.join('\n')).join('\n')).toMatch(/alias/i);
    expect(faultsOf('['.repeat(200_000))[0]).toMatch(/30 levels/);
    expect(faultsOf(`${'- '.repeat(50_000)}a`)[0]).toMatch(/30 levels/);
    let indented = '';
    for (let i = 0; i < 600; i++) indented += `${' '.repeat(i)}a:\n`;
    expect(faultsOf(indented).length).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe('loadPolicy', () => {
  it('names keys that are set and have no effect yet, and reads the given file', async () => {
    const asked: string[] = [];
    const loaded = await loadPolicy(async path => {
      asked.push(path);
      return bytes(
        'ai: { budget_usd: 2, on_push: true, record: true, fix_model: m }\nreview: { max_files: 5, context_lines: 2 }\ngate: { threshold: 0.5 }\nacceptance: { mode: on }\ntests: { command: make test, lint: make lint, egress: registries }\n',
      );
    }, 'ci/policy.yml');
    expect(asked).toEqual(['ci/policy.yml']);
    expect(loaded.present).toBe(true);
    expect(loaded.policy.review.context_lines).toBe(2);
    expect(loaded.notices.map(notice => notice.split(' has no effect')[0])).toEqual([
      'ci/policy.yml: ai.fix_model',
      'ci/policy.yml: tests.lint',
      'ci/policy.yml: tests.egress',
    ]);
  });

  it('names scanners that there are not', async () => {
    const { notices } = await loadPolicy(async () => bytes('scanners: { disable: [bandit, es-lint] }\n'));
    expect(notices).toEqual([
      '.cypherfix.yml: scanners.disable: there is no scanner "es-lint" (there are ast-grep, bandit, eslint, gitleaks, gosec, ruff).',
    ]);
  });

  it('says nothing about a file that is absent', async () => {
    expect(await loadPolicy(async () => null)).toEqual({
      policy: DEFAULT_POLICY,
      fileName: '.cypherfix.yml',
      present: false,
      notices: [],
    });
  });
});

const FULL = `
version: 1
review: { on: [opened], ignore_paths: ["docs/**"], max_files: 10, context_lines: 0, max_inline_comments: 5 }
scanners:
  disable: [bandit]
  rules: { disable: [G104], severity: { S311: info }, extra: security/rules }
  byo:
    - name: own
      image: example.test/own@sha256:${'a'.repeat(64)}
      command: [/scan, "{out}"]
      output: sarif
ai:
  effort: { reviewer: low }
  prices: { some/model: { in: 1, out: 2, cache_read: 0.1, cache_write: 1.25 } }
gate: { fail_on: [critical], max_tier: T3 }
acceptance: { mode: off, results: ["out/*.xml"] }
tests: { image: go, command: "go test {target}", egress: registries, registries: [proxy.example.test] }
sandbox: { memory_mb: 4096, cpus: 1.5, timeout_s: 60 }
fix: { mode: approval, allowed_paths: ["src/**"] }
triage: { project: shop, issues: off }
suppress:
  - { rule: G104, paths: ["internal/**"], reason: errors are logged by the wrapper, until: 2027-06-30 }
  - { fingerprint: 0123abcd, reason: example key from the documentation }
sarif: { upload: true }
`;
