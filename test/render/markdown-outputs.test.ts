import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/core/report.ts';
import { renderCheckRun, renderErrorCheckRun } from '../../src/render/check-run.ts';
import { renderFindingComment } from '../../src/render/finding-markdown.ts';
import { toLinkTarget } from '../../src/render/links.ts';
import { renderReviewBody } from '../../src/render/review-body.ts';
import { decodeState } from '../../src/render/state-marker.ts';
import { renderErrorSummary, renderSummary } from '../../src/render/summary.ts';
import { textNodes, toHtml } from '../core/rendered-markdown.ts';
import { cleanReport, largeReport, pullRequestReport } from './reports.ts';

const bodyOf = (report: Report): string =>
  renderReviewBody(report, {
    headSha: report.subject.headSha ?? '',
    inline: report.findings.filter(f => f.placement === 'inline'),
    body: report.findings.filter(f => f.placement === 'body'),
  });
const finding = (report: Report, ruleId: string) => {
  const found = report.findings.find(f => f.ruleId === ruleId);
  if (found === undefined) throw new Error(`no finding of ${ruleId}`);
  return found;
};

describe('the review body', () => {
  it('holds markers, headline, counts, reasons and the findings that are not inline', () => {
    const report = pullRequestReport();
    const body = bodyOf(report);
    expect(body.startsWith(`<!-- cypherfix:v1 review head=${report.subject.headSha} -->`)).toBe(true);
    expect(body).toContain('## ❌ CypherFix: Needs attention · 2 critical, 3 high');
    expect(body).toContain(
      '**11 findings:** 2 critical · 3 high · 3 medium · 2 low · 1 info (8 inline, 2 below, 1 in the job summary)',
    );
    expect(body).toContain('#### `api/db/users.py`');
    expect(body).toContain('⚙️ `ast-grep py-sql-format`');
    expect(body).not.toContain('aws-access-token`');
    expect(decodeState(body)).toMatchObject({ headSha: report.subject.headSha, omitted: 0 });
    expect(decodeState(body)?.findings).toHaveLength(12);
  });

  it('says that nothing was found only when everything was examined', () => {
    const clean = cleanReport();
    expect(bodyOf(clean)).toContain('No issues found: 11 of 13 files examined, 2 skipped');
    const incomplete = bodyOf({ ...clean, conclusion: 'neutral', ledger: { ...clean.ledger, complete: false } });
    expect(incomplete).not.toContain('No issues found');
    expect(incomplete).toContain('that is no clean result');
  });

  it('warns of a sandbox that is not gVisor', () => {
    const report = pullRequestReport();
    if (report.sandbox === null) throw new Error('the fixture has a sandbox');
    const insecure = { ...report, sandbox: { ...report.sandbox, insecure: true, runtime: 'runc' } };
    for (const text of [bodyOf(insecure), renderSummary(insecure), renderCheckRun(insecure).summary]) {
      expect(text).toContain('**The sandbox was not gVisor.**');
    }
    expect(bodyOf(report)).not.toContain('not gVisor');
  });

  it.each([50, 600])('fits %i long findings, keeps the markers and says what was cut', count => {
    const report = largeReport(count, 1_500);
    const body = bodyOf(report);
    expect([...body].length).toBeLessThanOrEqual(65_000);
    expect(body.startsWith('<!-- cypherfix:v1 review')).toBe(true);
    expect(decodeState(body)).not.toBeNull();
    expect(body).toContain('Shortened to fit:');
    expect(toHtml(body)).not.toContain('<pre><code class="language-suggestion">');
    // Details go before findings: the worst one still has its line.
    expect(body).toContain('line 1](');
  });
});

describe('a report made elsewhere', () => {
  it('cannot pass the limits with texts that ours keeps short', () => {
    const report = pullRequestReport();
    const long = '@'.repeat(100_000);
    const scanners = report.scanners.map(s => ({ ...s, name: long, version: long }));
    const hostile = {
      ...report,
      scanners,
      timings: { [long]: 1 },
      sandbox: report.sandbox && { ...report.sandbox, runtime: long },
    };
    const check = renderCheckRun(hostile);
    for (const text of [bodyOf(hostile), check.summary, check.text])
      expect([...text].length).toBeLessThanOrEqual(65_000);
    expect(bodyOf(hostile)).toContain(`<!-- cypherfix:v1 review head=${report.subject.headSha} -->`);
    expect(decodeState(bodyOf(hostile))).not.toBeNull();
    expect(Buffer.byteLength(renderSummary(hostile))).toBeLessThanOrEqual(900 * 1024);
  });
});

describe('what people and programs read in it', () => {
  const report = pullRequestReport();
  const target = toLinkTarget(report);
  const outputs = (): [string, string][] => [
    ['review', bodyOf(report)],
    ['check summary', renderCheckRun(report).summary],
    ['check text', renderCheckRun(report).text],
    ['job summary', renderSummary(report)],
    ...report.findings.map((f): [string, string] => [`comment ${f.ruleId}`, renderFindingComment(f, target)]),
  ];

  it.each(outputs())('%s mentions nobody, embeds nothing and links only to the repository and MITRE', (_, text) => {
    const html = toHtml(text);
    expect(html).not.toMatch(/<img|<script|<iframe/);
    for (const [, href] of html.matchAll(/href="([^"]*)"/g)) {
      expect(href).toMatch(
        /^https:\/\/(?:github\.com\/octo-org\/shop\/blob\/|cwe\.mitre\.org\/data\/definitions\/\d+\.html$)/,
      );
    }
    for (const node of textNodes(html)) expect(node).not.toMatch(/(?<!\w)@\w|#\d|^\/merge/);
    expect(html.match(/<details>/g)?.length ?? 0).toBe(html.match(/<\/details>/g)?.length ?? 0);
  });

  it('a hostile message cannot forge a marker or a suggestion', () => {
    const text = renderFindingComment(finding(report, 'S105'), target);
    expect(text.match(/<!-- cypherfix:v1 finding/g)).toHaveLength(1);
    expect(text).not.toContain('```suggestion');
  });
});

describe('an inline comment', () => {
  const report = pullRequestReport();
  const target = toLinkTarget(report);

  it('offers to commit a fix of exactly its lines', () => {
    const text = renderFindingComment(finding(report, 'B602'), target);
    expect(text).toContain('```suggestion\n    subprocess.run(["tar", "czf", f"{name}.tgz", folder], check=True)\n```');
    expect(text).toContain('also reported by ruff S602');
    expect(text.endsWith(`<!-- cypherfix:v1 finding ${finding(report, 'B602').fingerprint} -->`)).toBe(true);
  });

  it('fits whatever its texts hold, and keeps its marker', () => {
    const base = finding(report, 'B602');
    const loud = '@#'.repeat(20_000);
    const text = renderFindingComment(
      { ...base, title: loud, message: `m${loud}`, help: `x${loud}`, suggestion: loud },
      target,
    );
    expect([...text].length).toBeLessThanOrEqual(65_000);
    expect(text.endsWith(`<!-- cypherfix:v1 finding ${base.fingerprint} -->`)).toBe(true);
    expect(text).toContain('Shortened to fit');
  });

  it('shows a fix of other lines, and one that hides something, without the button', () => {
    const other = renderFindingComment(finding(report, 'gha-template-injection'), target);
    expect(other).toContain('Proposed change');
    expect(other).not.toContain('```suggestion');
    const base = finding(report, 'B602');
    const hidden = {
      ...base,
      fix: {
        edits: [{ path: base.path, startLine: 42, endLine: 42, replacement: 'x = 1 \u202e# y' }],
        verified: false,
      },
    };
    expect(renderFindingComment(hidden, target)).not.toContain('```suggestion');
    expect(renderFindingComment({ ...base, placement: 'body' }, target)).not.toContain('```suggestion');
  });
});

describe('the check run', () => {
  it('has a title that is never empty after its dot', () => {
    const report = pullRequestReport();
    const titles = (['success', 'failure', 'neutral'] as const).flatMap(conclusion =>
      [report.findings, [], report.findings.filter(f => f.severity === 'low')].flatMap(findings =>
        [true, false].map(
          complete =>
            renderCheckRun({
              ...report,
              conclusion,
              findings,
              gate: { tripped: conclusion === 'failure', reasons: [] },
              ledger: { ...report.ledger, complete },
            }).title,
        ),
      ),
    );
    for (const title of titles) {
      expect(title).toMatch(/ · \S/);
      expect([...title].length).toBeLessThanOrEqual(200);
    }
    expect(
      renderCheckRun({ ...report, gate: { tripped: true, reasons: [`carried ${'x'.repeat(500)}`] }, findings: [] })
        .title.length,
    ).toBe(200);
  });

  it('annotates anchored findings, worst first, columns on one line only', () => {
    const report = pullRequestReport();
    const { annotations } = renderCheckRun(report);
    expect(annotations.map(a => a.level)).toEqual([
      'failure',
      'failure',
      'failure',
      'failure',
      'failure',
      'warning',
      'warning',
      'warning',
      'notice',
      'notice',
    ]);
    expect(annotations[0]).toMatchObject({
      path: 'deploy/settings.py',
      startLine: 7,
      endLine: 7,
      startColumn: 11,
      endColumn: 33,
    });
    for (const a of annotations) if (a.startLine !== a.endLine) expect(a.startColumn).toBeUndefined();
  });

  it('stays within the limits', () => {
    const check = renderCheckRun(largeReport(3_000, 3_000));
    for (const text of [check.summary, check.text]) expect([...text].length).toBeLessThanOrEqual(65_535);
    expect(check.annotations).toHaveLength(3_000);
    for (const a of check.annotations.slice(0, 50)) {
      expect([...a.title].length).toBeLessThanOrEqual(255);
      expect(Buffer.byteLength(a.message)).toBeLessThanOrEqual(64_000);
    }
  });

  it('tells of an error in one line', () => {
    const check = renderErrorCheckRun('No\nrunsc @here', 'Run doctor.');
    expect(check.title).toBe('CypherFix error: No runsc @here');
    expect(check.summary).toBe('**Nothing was reviewed.** No runsc @&#8203;here\n\nRun doctor.');
  });
});

describe('the job summary', () => {
  it('holds every finding, scanner and file', () => {
    const report = pullRequestReport();
    const text = renderSummary(report, {
      notes: ['The review could not be written: 403'],
      reviewUrl: 'https://github.com/octo-org/shop/pull/318#r1',
    });
    for (const f of report.findings) expect(text).toContain(`\`${f.tool} ${f.ruleId}\``);
    for (const s of report.scanners) expect(text).toContain(`| ${s.name} |`);
    for (const file of report.ledger.files.slice(0, 9)) expect(text).toContain(file.path);
    expect(text).toContain('The review could not be written: 403');
    expect(text).toContain('[Review](https://github.com/octo-org/shop/pull/318#r1)');
  });

  it('stays under 900 KiB', () => {
    const text = renderSummary(largeReport(4_000, 1_500));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(900 * 1024);
    expect(text).toContain('Shortened to fit:');
  });

  it('says why nothing was done', () => {
    expect(renderErrorSummary('no Docker', 'Install `docker`.', ['one'])).toBe(
      '## ❌ CypherFix: error\n\n**Nothing was reviewed.** no Docker\n\n**What to do:** Install `docker`.\n\n- one',
    );
  });
});
