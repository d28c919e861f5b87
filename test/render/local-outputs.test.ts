import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../src/render/html.ts';
import { renderJson } from '../../src/render/json.ts';
import { renderMarkdown } from '../../src/render/markdown.ts';
import { renderTerminal } from '../../src/render/terminal.ts';
import { toColumns } from '../../src/render/wrap.ts';
import { cleanReport, pullRequestReport } from './reports.ts';

describe('text for a terminal', () => {
  it('shows the code with a caret below the marked part', () => {
    const report = pullRequestReport();
    const base = report.findings.find(f => f.ruleId === 'S324');
    if (base === undefined) throw new Error('the fixture has that finding');
    const finding = { ...base, snippet: '    digest = hashlib.md5(token)\n', startColumn: 14, endColumn: 25 };
    expect(renderTerminal({ ...report, findings: [finding] })).toContain(
      ['    58 | digest = hashlib.md5(token)', '       |          ^~~~~~~~~~~'].join('\n'),
    );
  });

  it('has every finding, scanner, skipped file, the sandbox and the reasons', () => {
    const report = pullRequestReport();
    const text = renderTerminal(report, { width: 120 });
    for (const f of report.findings.filter(one => one.suppressed === undefined)) expect(text).toContain(`id ${f.id}`);
    for (const s of report.scanners) expect(text).toContain(`  ${s.name} `);
    expect(text).toContain('data/big.csv: skipped, larger than 5 MB');
    expect(text).toContain('Sandbox: cypherfix-runsc release-20260907.0, systrap');
    expect(text.trimEnd().endsWith('11 findings (2 critical, 3 high, 3 medium, 2 low, 1 info), 1 suppressed')).toBe(
      true,
    );
  });

  it.each([40, 60, 80, 120])('keeps to %i columns', width => {
    const report = pullRequestReport();
    const wide = { ...report, notices: [`${'宽'.repeat(200)}`, 'x'.repeat(300)] };
    const lines = renderTerminal(wide, { width }).split('\n');
    const code = / \| |^ {2}\d| · |^\S/;
    for (const line of lines) if (!code.test(line)) expect(toColumns(line)).toBeLessThanOrEqual(width);
  });

  it('sends nothing to the terminal but text, and colour only when asked', () => {
    const report = pullRequestReport();
    const hostile = {
      ...report,
      notices: ['\x1b]0;title\x07\x1b[2Jx\x08\x9b31m'],
      findings: report.findings.map(f => ({ ...f, title: `\x1b[31m${f.title}`, path: `a\n\x1b[2J${f.path}` })),
    };
    expect(renderTerminal(hostile)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    const colored = renderTerminal(hostile, { color: true });
    expect(colored).toContain('\x1b[1;31mcritical\x1b[0m');
    expect(colored.replace(/\x1b\[[\d;]+m/g, '')).not.toContain('\x1b');
  });

  it('is short for a clean change', () => {
    const text = renderTerminal(cleanReport());
    expect(text).toContain('No issues found · 11 files examined');
    expect(text).toContain('no findings');
  });
});

describe('the page', () => {
  it('loads and runs nothing, and escapes everything', () => {
    const report = pullRequestReport();
    const hostile = {
      ...report,
      findings: report.findings.map(f => ({
        ...f,
        title: `<script>x</script>"'${f.title}`,
        path: `"><img src=x>${f.path}`,
        snippet: '</code></pre><script>',
      })),
    };
    for (const html of [renderHtml(report), renderHtml(hostile)]) {
      expect(html).not.toMatch(/<(?:script|img|link|iframe|object|form)\b/i);
      expect(html).not.toMatch(/\son\w+=/i);
      expect(html).toContain("default-src 'none'");
      for (const [, href] of html.matchAll(/(?:href|src)="([^"]*)"/g))
        expect(href).toMatch(/^https:\/\/(?:github\.com\/octo-org\/shop\/|cwe\.mitre\.org\/)/);
    }
  });

  it('shows code of messages as code', () => {
    const html = renderHtml(pullRequestReport());
    expect(html).toContain('<code>subprocess</code> call with <code>shell=True</code>');
    expect(html).toContain('<pre><code>subprocess.run([&quot;tar&quot;');
  });
});

describe('the other formats', () => {
  it('JSON is the report itself, its keys in the order of the schema', () => {
    const report = pullRequestReport();
    const shuffled = Object.fromEntries(Object.entries(report).reverse()) as typeof report;
    expect(renderJson(shuffled)).toBe(renderJson(report));
    expect(JSON.parse(renderJson(report))).toEqual(report);
    expect(Object.keys(JSON.parse(renderJson(shuffled)) as object)[0]).toBe('schemaVersion');
  });

  it('markdown is the whole report', () => {
    expect(renderMarkdown(pullRequestReport())).toMatch(
      /^## ❌ CypherFix: Needs attention · 2 critical, 3 high\n[\s\S]*\n$/,
    );
  });
});
