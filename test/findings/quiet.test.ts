import { describe, expect, it } from 'vitest';
import type { RawFinding } from '../../src/core/finding.ts';
import { readLinguistAttributes } from '../../src/findings/linguist-attributes.ts';
import { mergeFindings } from '../../src/findings/merge.ts';
import { overrideSeverity } from '../../src/findings/override-severity.ts';
import { isMinified, type QuietSettings, quietFindings } from '../../src/findings/quiet.ts';
import { raw } from './builders.ts';

const reasons = (findings: RawFinding[], settings?: QuietSettings) =>
  quietFindings(mergeFindings(findings), settings).map(finding => finding.quiet);
const objectInjection = raw({
  tool: 'eslint',
  ruleId: 'security/detect-object-injection',
  path: 'src/a.js',
  cwe: ['CWE-915'],
});

describe('quietFindings', () => {
  it.each<[string, Partial<RawFinding>, RegExp | undefined]>([
    ['an ordinary finding', {}, undefined],
    ['object injection', objectInjection, /noisy rule: .*computed property/],
    ['object injection, bare name', { ...objectInjection, ruleId: 'detect-object-injection' }, /noisy rule/],
    ['an assert of bandit', { tool: 'bandit', ruleId: 'B101', path: 'a.py' }, /noisy rule/],
    ['a vendored file', { path: 'vendor/x/y.go' }, /generated or vendored file, by its path/],
    ['a minified name', { path: 'web/app.min.js' }, /by its path/],
    ['build output at the root', { path: 'dist/index.js' }, /by its path/],
    ['a folder of that name deeper down', { path: 'src/dist/index.js' }, undefined],
    ['a low one in a test', { path: 'pkg/run_test.go', severity: 'low' }, /test or example code/],
    ['an info one in an example', { path: 'examples/a.py', severity: 'info' }, /test or example code/],
    ['a medium one in a test', { path: 'pkg/run_test.go', severity: 'medium' }, undefined],
    ['a low one in ordinary code', { severity: 'low' }, undefined],
    ['a secret in a vendored test', { tool: 'gitleaks', path: 'vendor/test/a.env', severity: 'low' }, undefined],
    ['a hard-coded credential of any tool', { path: 'test/a.js', cwe: ['CWE-798'], severity: 'low' }, undefined],
  ])('%s', (_name, over, expected) => {
    const [reason] = reasons([raw(over)]);
    if (expected === undefined) expect(reason).toBeUndefined();
    else expect(reason).toMatch(expected);
  });

  it('lets a second tool vouch for a noisy rule', () => {
    const second = raw({ tool: 'ast-grep', ruleId: 'js-proto', path: 'src/a.js', cwe: ['CWE-915'] });
    expect(reasons([objectInjection, second])).toEqual([undefined]);
  });

  it('takes generated and minified files from its settings', () => {
    const { isGenerated } = readLinguistAttributes('*.gen.go linguist-generated\n');
    expect(reasons([raw({ path: 'a/x.gen.go' })], { isGeneratedFile: isGenerated })[0]).toMatch(/gitattributes/);
    expect(reasons([raw({ path: 'web/x.js' })], { isMinifiedFile: path => path === 'web/x.js' })[0]).toBe(
      'in a minified file',
    );
  });
});

describe('isMinified', () => {
  it.each([
    ['short lines', 'a\n'.repeat(10_000), false],
    ['one long line', `a\n${'x'.repeat(2_001)}\nb`, true],
    ['a line at the limit', 'x'.repeat(2_000), false],
    ['nothing', '', false],
    ['a long last line', `a\n${'x'.repeat(5_000)}`, true],
  ])('%s', (_name, text, expected) => {
    expect(isMinified(text)).toBe(expected);
  });
});

describe('overrideSeverity', () => {
  it('sets the severity of a rule for both tools of a family, and the tool-qualified one first', () => {
    const findings = [
      raw({ tool: 'ruff', ruleId: 'S602' }),
      raw({ tool: 'bandit', ruleId: 'B602' }),
      raw(),
      raw({ tool: 'eslint', ruleId: 'G204' }),
    ];
    const changed = overrideSeverity(findings, { S602: 'critical', G204: 'info', 'gosec/G204': 'high' });
    expect(changed.map(finding => finding.severity)).toEqual(['critical', 'critical', 'high', 'info']);
    expect(overrideSeverity(findings, {})).toEqual(findings);
  });
});
