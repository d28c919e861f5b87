import { describe, expect, it } from 'vitest';
import type { RawFinding } from '../../src/core/finding.ts';
import { ReportFinding } from '../../src/core/report.ts';
import type { FindingRisk } from '../../src/core/risk.ts';
import { redact } from '../../src/core/secrets.ts';
import { placeFindings } from '../../src/findings/place.ts';
import { maskText } from '../../src/findings/scrub-secrets.ts';
import { REPORT_CAPS, toCwe, toReportFindings } from '../../src/findings/to-report-finding.ts';
import { change, file, introduce, raw } from './builders.ts';

const paths = ['cmd/run.go', 'a.py', 'a.js'];
const on = change(paths.map(path => file(path, [{ start: 1, lines: '+'.repeat(9) }])));

function report(findings: readonly RawFinding[], maxFindings?: number) {
  const placed = placeFindings(introduce(findings, on), on, { maxInlineComments: 30, contextLines: 3 });
  return toReportFindings(placed, redact, new Map(), maxFindings);
}
/** A ranking of nothing but a score. */
function rank(score: number): FindingRisk {
  const factor = { value: 1, evidence: '' };
  return { C: factor, L: factor, I: factor, R: factor, risk: 1, tier: 'T2', score, state: 'open', rule: '' };
}
const first = (over: Partial<RawFinding> = {}) => report([raw(over)]).findings[0];

describe('what a reviewer said', () => {
  const said = (over: Partial<RawFinding> = {}): RawFinding =>
    raw({
      tool: 'security',
      ruleId: 'command-injection/CWE-78',
      title: 'The name  reaches a shell',
      severity: 'high',
      origin: 'reviewer',
      anchor: 'hunk',
      quote: 'exec.Command(name)',
      ...over,
    });

  it('is kept for the next run, also where a scanner speaks for the place', () => {
    const [finding] = report([raw({ confidence: 0.6 }), said()]).findings;
    expect(finding).toMatchObject({ tool: 'gosec', origin: 'scanner', severity: 'high' });
    expect(ReportFinding.parse(finding).reviewed).toEqual({
      reviewer: 'security',
      ruleId: 'command-injection/CWE-78',
      severity: 'high',
      confidence: 0.8,
      cwe: ['CWE-78'],
      title: 'The name reaches a shell',
      quote: 'exec.Command(name)',
    });
    expect(first()).not.toHaveProperty('reviewed');
  });

  it('is that of the reviewer who may decide, before a graver one who guesses', () => {
    const guess = said({ severity: 'critical', confidence: 0.3 });
    const sure = said({ tool: 'correctness', ruleId: 'shell/CWE-78', severity: 'medium' });
    expect(report([guess, sure]).findings[0]?.reviewed).toMatchObject({ reviewer: 'correctness', severity: 'medium' });
  });

  it('is at most 300 characters of its quote, without secrets', () => {
    const key = `AKIA${'ABCDEFGHIJKLMNOP'}`;
    const { reviewed } = report([said({ quote: `key = "${key}"; ${'x'.repeat(400)}` })]).findings[0] ?? {};
    expect(reviewed?.quote.length).toBe(300);
    expect(reviewed?.quote).not.toContain(key);
  });

  it('is marked carried only where nothing of this run reports it', () => {
    const carried = said({ carried: true, knownAs: 'ab'.repeat(32) });
    expect(report([carried]).findings[0]).toMatchObject({ carried: true, fingerprint: 'ab'.repeat(32) });
    expect(report([raw(), carried]).findings[0]).not.toHaveProperty('carried');
  });
});

describe('toReportFindings', () => {
  it('sorts by the ranking before the severity', () => {
    const findings = [raw({ severity: 'critical', startLine: 1 }), raw({ severity: 'low', startLine: 5 })];
    const placed = placeFindings(introduce(findings, on), on, { maxInlineComments: 30, contextLines: 3 });
    const ranks = new Map(placed.map(finding => [finding.fingerprint, rank(finding.severity === 'low' ? 60 : 30)]));
    const sorted = toReportFindings(placed, redact, ranks).findings;
    expect(sorted.map(finding => [finding.severity, finding.risk?.score])).toEqual([
      ['low', 60],
      ['critical', 30],
    ]);
  });

  it('gives what the report schema takes', () => {
    const full = raw({
      startLine: 2,
      startColumn: 3,
      endColumn: 9,
      help: 'Use a list.',
      fix: { edits: [{ path: 'cmd/run.go', startLine: 2, endLine: 2, replacement: 'x()' }] },
    });
    const { findings, truncated } = report([
      full,
      raw({ tool: 'ast-grep', ruleId: 'go-exec', startLine: 2 }),
      raw({ path: 'far.go' }),
    ]);
    for (const finding of findings) expect(() => ReportFinding.parse(finding)).not.toThrow();
    expect(findings[0]).toMatchObject({
      tool: 'ast-grep',
      tools: ['ast-grep', 'gosec'],
      help: 'Use a list.',
      fix: { verified: false },
      placement: 'inline',
      snippet: 'exec.Command(name)',
      risk: null,
    });
    expect(truncated).toEqual({});
  });

  it('sorts by severity, confidence, path and line', () => {
    const { findings } = report([
      raw({ severity: 'low', confidence: 1 }),
      raw({ severity: 'high', confidence: 0.5, path: 'a.py', startLine: 3 }),
      raw({ severity: 'high', confidence: 0.5, path: 'a.py', startLine: 2 }),
      raw({ severity: 'high', confidence: 0.5, path: 'a.js', startLine: 8 }),
      raw({ severity: 'high', confidence: 0.9, startLine: 8 }),
    ]);
    expect(findings.map(finding => `${finding.path}:${finding.startLine}`)).toEqual([
      'cmd/run.go:8',
      'a.js:8',
      'a.py:2',
      'a.py:3',
      'cmd/run.go:1',
    ]);
  });

  it('keeps the worst of too many and counts the rest', () => {
    const many = Array.from({ length: 9 }, (_, index) =>
      raw({ startLine: index + 1, severity: index === 5 ? 'critical' : 'low' }),
    );
    const { findings, truncated } = report(many, 2);
    expect(findings.map(finding => finding.startLine)).toEqual([6, 1]);
    expect(truncated).toEqual({ findings: 7 });
  });

  it('cuts long texts in code points and counts them', () => {
    const { findings, truncated } = report([
      raw({
        title: '😀'.repeat(300),
        message: 'm'.repeat(5_000),
        matchedText: 'x '.repeat(3_000),
        help: 'h'.repeat(9_000),
      }),
    ]);
    expect([...(findings[0]?.title ?? '')]).toHaveLength(REPORT_CAPS.title);
    expect([...(findings[0]?.message ?? '')]).toHaveLength(REPORT_CAPS.message);
    expect([...(findings[0]?.snippet ?? '')]).toHaveLength(REPORT_CAPS.snippet);
    expect(truncated).toEqual({ titles: 1, messages: 1, snippets: 1, helps: 1 });
    expect(first({ title: '😀'.repeat(200) })?.title).toBe('😀'.repeat(200));
  });

  it.each<[string, Partial<RawFinding>, object]>([
    ['columns', { startColumn: 2, endColumn: 5 }, { startLine: 1, endLine: 1, startColumn: 2, endColumn: 5 }],
    ['columns out of order', { startColumn: 5, endColumn: 2 }, { startColumn: 5 }],
    ['columns from 0', { startColumn: 0, endColumn: 2 }, {}],
    ['an end before the start', { startLine: 4, endLine: 2 }, { startLine: 4, endLine: 4 }],
    [
      'a range over two lines',
      { endLine: 2, startColumn: 9, endColumn: 2 },
      { endLine: 2, startColumn: 9, endColumn: 2 },
    ],
    [
      'a range clamped to its hunk',
      { startLine: 8, endLine: 50, startColumn: 3, endColumn: 2 },
      { startLine: 8, endLine: 9, startColumn: 3 },
    ],
    ['line 0', { startLine: 0, endLine: 0 }, { startLine: 1, endLine: 1 }],
  ])('corrects %s', (_name, over, expected) => {
    const finding = first(over);
    expect(finding).toMatchObject(expected);
    expect('startColumn' in (finding ?? {})).toBe('startColumn' in expected);
    expect('endColumn' in (finding ?? {})).toBe('endColumn' in expected);
  });

  it('shows a title even where the tool has none', () => {
    expect(first({ title: ' \n ' })?.title).toBe('G204');
  });

  it('leaves out a fix that is too large or holds a secret', () => {
    const edit = { path: 'cmd/run.go', startLine: 1, endLine: 1 };
    const large = report([raw({ fix: { edits: [{ ...edit, replacement: 'x'.repeat(30_000) }] } })]);
    expect(large.findings[0]?.fix).toBeUndefined();
    expect(large.truncated).toEqual({ fixes: 1 });
    expect(first({ fix: { edits: [{ ...edit, replacement: `k = "${FAKE_TOKEN}"` }] } })?.fix).toBeUndefined();
    expect(first({ fix: { edits: [] } })?.fix).toBeUndefined();
  });
});

// Built at run time, so that no scanner takes this file for a leak.
const FAKE_TOKEN = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
const ODD_SECRET = ['zq7', 'unusual', '55-look', 'x9'].join('-');

describe('secrets in the report', () => {
  const leak = (over: Partial<RawFinding> = {}) =>
    raw({
      tool: 'gitleaks',
      ruleId: 'generic-api-key',
      cwe: ['CWE-798'],
      path: 'a.py',
      matchedText: `api_key = "${ODD_SECRET}"`,
      ...over,
    });

  it.each<[string, RawFinding[]]>([
    [
      'gitleaks itself',
      [leak({ message: `found ${ODD_SECRET} here`, title: ODD_SECRET, help: `rotate ${ODD_SECRET}` })],
    ],
    ['gitleaks with the bare secret', [leak({ matchedText: ODD_SECRET, message: `"${ODD_SECRET}"` })]],
    [
      'a linter beside it',
      [
        leak(),
        raw({
          tool: 'ruff',
          ruleId: 'S311',
          path: 'a.py',
          cwe: [],
          matchedText: `f("${ODD_SECRET}")`,
          message: `'${ODD_SECRET}' is odd`,
        }),
      ],
    ],
    [
      'a linter on another line',
      [leak(), raw({ path: 'a.js', matchedText: `x('${ODD_SECRET}')`, message: `got ${ODD_SECRET}.` })],
    ],
    [
      'a hard-coded password that gitleaks does not know',
      [
        raw({
          tool: 'bandit',
          ruleId: 'B105',
          path: 'a.py',
          cwe: ['CWE-259'],
          message: `Possible hardcoded password: '${ODD_SECRET}'`,
          matchedText: `password = '${ODD_SECRET}'`,
        }),
      ],
    ],
    [
      'the text of a fix',
      [leak(), raw({ fix: { edits: [{ path: 'a.js', startLine: 1, endLine: 1, replacement: ODD_SECRET }] } })],
    ],
    [
      'a secret over several lines',
      [leak({ matchedText: `-----BEGIN\n${ODD_SECRET}\n-----END`, message: ODD_SECRET })],
    ],
  ])('never come out of %s', (_name, findings) => {
    expect(JSON.stringify(report(findings))).not.toContain(ODD_SECRET);
    expect(JSON.stringify(report(findings))).not.toContain(ODD_SECRET.slice(5));
  });

  it('show four leading characters at most', () => {
    expect(report([leak({ matchedText: FAKE_TOKEN })]).findings[0]?.snippet).toBe('ghp_****');
    expect(maskText('abcdefgh')).toBe('ab****');
    expect(maskText('abc')).toBe('****');
    expect(maskText('x'.repeat(500))).toBe('xxxx****');
  });

  it('do not garble words of the code around them', () => {
    const beside = raw({
      path: 'a.js',
      message: 'a password or an api_key in the authorization header',
      matchedText: 'check(password)',
    });
    const worded = leak({ matchedText: `"authorization": "${ODD_SECRET}"` });
    const { findings } = report([worded, leak({ matchedText: `password=${ODD_SECRET}` }), beside]);
    const finding = findings.find(one => one.tool === 'gosec');
    expect(finding?.message).toBe('a password or an api_key in the authorization header');
    expect(finding?.snippet).toBe('check(password)');
  });

  it('mask thousands in good time', () => {
    const many = Array.from({ length: 3_000 }, (_, index) =>
      leak({ startLine: index + 1, matchedText: `key="secret-number-${index}-${'z'.repeat(40)}"` }),
    );
    const started = performance.now();
    const json = JSON.stringify(
      report([...many, ...many.map(one => ({ ...one, tool: 'eslint', ruleId: 'x', cwe: [] }))]),
    );
    expect(json).not.toMatch(/secret-number-\d+-zz/);
    expect(performance.now() - started).toBeLessThan(6_000);
  });
});

describe('toCwe', () => {
  it.each([
    [
      ['CWE-79', 'cwe-22', 'CWE-079', '89', 'CWE_78', 'none', 'CWE-'],
      ['CWE-22', 'CWE-78', 'CWE-79', 'CWE-89'],
    ],
    [[], []],
  ])('%j is %j', (ids, expected) => {
    expect(toCwe(ids)).toEqual(expected);
  });
});
