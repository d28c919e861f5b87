import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/core/report.ts';
import { renderCommandAnnotations } from '../../src/publish/command-annotations.ts';
import { renderCheckRun } from '../../src/render/check-run.ts';
import { renderHtml } from '../../src/render/html.ts';
import { renderReviewBody } from '../../src/render/review-body.ts';
import { toSarif } from '../../src/render/sarif.ts';
import { renderSummary } from '../../src/render/summary.ts';
import { renderTerminal } from '../../src/render/terminal.ts';
import { buildFinding, buildReport } from '../publish/build-report.ts';

const headSha = 'a'.repeat(40);
const seen = buildFinding('seen');
const carried = buildFinding('carried', { origin: 'reviewer', tool: 'security', tools: ['security'], carried: true });
const reportOf = (findings: Report['findings']) =>
  buildReport({
    headSha,
    findings,
    change: {
      ledger: {
        files: [{ path: 'src/a.js', status: 'modified', examinedBy: ['ast-grep'], carried: 1 }],
        complete: true,
      },
    },
  });
const WORDS = 'carried from an earlier run';

const OUTPUTS: [string, (report: Report) => string][] = [
  ['the review’s body', report => renderReviewBody(report, { headSha, inline: report.findings, body: [] })],
  ['the job summary', report => renderSummary(report)],
  ['the check run', report => renderCheckRun(report).summary],
  ['an annotation of the check run', report => JSON.stringify(renderCheckRun(report).annotations)],
  ['an annotation of the log', report => renderCommandAnnotations(report.findings).join('\n')],
  ['the terminal', report => renderTerminal(report, { width: 120 })],
  ['the page', report => renderHtml(report)],
  ['SARIF', report => JSON.stringify(toSarif(report))],
];

describe('a finding that is carried', () => {
  it.each(OUTPUTS)('is marked in %s, and no other one is', (_, render) => {
    expect(render(reportOf([seen, carried])).toLowerCase()).toContain(WORDS);
    const plain = reportOf([seen]);
    const files = plain.ledger.files.map(({ carried: _, ...file }) => file);
    expect(render({ ...plain, ledger: { ...plain.ledger, files } }).toLowerCase()).not.toContain(WORDS);
  });

  it('is named with its place in the review’s body although its thread shows it', () => {
    const body = renderReviewBody(reportOf([seen, carried]), { headSha, inline: [seen, carried], body: [] });
    const [, list = ''] = body.split('what they quote still stands');
    expect(list).toContain('Title of carried');
    expect(list.split('\n\n')[1]).toMatch(/^- `src\/a\.js` · /);
    expect(list).not.toContain('Title of seen');
    expect(body).toContain('(2 inline, 1 carried from an earlier run)');
  });

  it('is counted in the ledger’s line of its file', () => {
    expect(renderCheckRun(reportOf([carried])).text).toContain(`1 finding ${WORDS}`);
  });

  it('has a property of its own in SARIF', () => {
    const { runs } = toSarif(reportOf([carried])) as { runs: { results: { properties: object }[] }[] };
    expect(runs[0]?.results[0]?.properties).toMatchObject({ carried: true });
  });
});
