import type { Report, ReportFinding } from '../core/report.ts';
import { toCostLine, toCounts, toScoreSentence } from './ai-section.ts';
import { cutCodePoints } from './budget.ts';
import { renderHtmlAcceptance } from './html-acceptance.ts';
import { HTML_STYLE } from './html-style.ts';
import { escapeHtml, toHtmlText } from './html-text.ts';
import { isSkipped, toPartialReasons } from './ledger-file.ts';
import { type LinkTarget, toBlobUrl, toCweUrl, toLinkTarget } from './links.ts';
import {
  CARRIED,
  plural,
  SEVERITY_NAME,
  sortFindings,
  toDuration,
  toHeadline,
  toOpenFindings,
  toSeverityCounts,
} from './phrases.ts';

/** The report as one page that loads nothing and runs nothing: its policy forbids scripts, and all text is escaped. */
export function renderHtml(report: Report, options: { readonly serverUrl?: string } = {}): string {
  const target = toLinkTarget(report, options.serverUrl);
  const open = toOpenFindings(report);
  const suppressed = report.findings.filter(finding => finding.suppressed !== undefined);
  const main = [
    renderHead(report, open),
    report.sandbox?.insecure === true
      ? `<p class="alarm" role="alert">The sandbox was not gVisor (${escapeHtml(report.sandbox.runtime)}). For development only; do not rely on this report.</p>`
      : '',
    renderList('Why', report.gate.reasons),
    renderFindings('Findings', open, target),
    renderFindings('Suppressed by the policy', suppressed, target),
    renderList(
      'Suppressions added by this change (reported, not obeyed)',
      report.suppressionsAddedByChange.map(s => `${s.path}:${s.line} ${s.text.trim()}`),
    ),
    renderScanners(report),
    renderAi(report),
    renderHtmlAcceptance(report, target),
    renderFiles(report),
    renderRun(report),
    renderList('Notes', [
      ...report.notices,
      ...Object.entries(report.truncated).map(([what, count]) => `${count} ${what} left out or shortened`),
    ]),
  ];
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(`CypherFix: ${toHeadline(report)}`)}</title>`,
    `<style>${HTML_STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    ...main.filter(part => part !== ''),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function renderHead(report: Report, open: readonly ReportFinding[]): string {
  const { subject, tool, generatedAt } = report;
  const where = [
    subject.repository,
    subject.pullRequest === undefined ? undefined : `pull request ${subject.pullRequest}`,
  ];
  const facts = [
    ...where.filter(part => part !== undefined),
    `CypherFix ${tool.version}`,
    generatedAt.slice(0, 16).replace('T', ' '),
  ];
  const counts = open.length === 0 ? 'No findings' : `${plural(open.length, 'finding')}: ${toSeverityCounts(open)}`;
  return `<header class="${report.conclusion}"><h1>${escapeHtml(toHeadline(report))}</h1><p>${escapeHtml(counts)}</p><p class="quiet">${escapeHtml(facts.join(' · '))}</p></header>`;
}

function renderFindings(title: string, findings: readonly ReportFinding[], target: LinkTarget): string {
  if (findings.length === 0) return '';
  const sorted = sortFindings(findings);
  const groups = [...new Set(sorted.map(finding => finding.path))].map(path => {
    const items = sorted.filter(finding => finding.path === path).map(finding => renderFinding(finding, target));
    return `<h3><code>${escapeHtml(path)}</code></h3>\n${items.join('\n')}`;
  });
  return `<section><h2>${escapeHtml(title)}</h2>\n${groups.join('\n')}</section>`;
}

function renderFinding(finding: ReportFinding, target: LinkTarget): string {
  const { severity, title, message, help, suggestion, path, startLine, endLine, snippet, suppressed, id } = finding;
  const lines = endLine > startLine ? `lines ${startLine}–${endLine}` : `line ${startLine}`;
  const url = toBlobUrl(target, path, startLine, endLine);
  const place = url === undefined ? lines : `<a href="${escapeHtml(url)}">${lines}</a>`;
  const meta = [place, ...toMeta(finding), `id <code>${escapeHtml(id)}</code>`];
  const parts = [
    `<h4><span class="badge ${severity}">${SEVERITY_NAME[severity]}</span> ${escapeHtml(title)}</h4>`,
    `<p class="quiet">${meta.join(' · ')}</p>`,
    snippet.trim() === '' ? '' : `<pre><code>${escapeHtml(snippet.replace(/\n+$/, ''))}</code></pre>`,
    message.trim() === title.trim() ? '' : renderText(message),
    help === undefined || help === message
      ? ''
      : `<div class="fix"><strong>How to fix</strong>${renderText(help)}</div>`,
    suggestion === undefined ? '' : `<div class="fix"><strong>Suggestion</strong>${renderText(suggestion)}</div>`,
    suppressed === undefined ? '' : `<p><strong>Suppressed:</strong> ${escapeHtml(suppressed.reason)}</p>`,
  ];
  return `<article id="finding-${escapeHtml(id)}">${parts.filter(part => part !== '').join('\n')}</article>`;
}

function toMeta({
  origin,
  tool,
  ruleId,
  cwe,
  confidence,
  tools,
  introduced,
  carried,
  placementReason,
}: ReportFinding): string[] {
  const others = tools.filter(other => other !== tool);
  return [
    `<code>${escapeHtml(`${tool} ${ruleId}`)}</code>${origin === 'scanner' ? ' (deterministic)' : ''}`,
    ...cwe.map(one => {
      const url = toCweUrl(one);
      return url === undefined ? escapeHtml(one) : `<a href="${url}">${escapeHtml(one)}</a>`;
    }),
    `confidence ${Math.round(confidence * 100)} %`,
    ...(others.length > 0 ? [escapeHtml(`also ${others.join(', ')}`)] : []),
    ...(introduced ? [] : ['was there before']),
    ...(carried === true ? [CARRIED] : []),
    ...(placementReason === undefined ? [] : [escapeHtml(placementReason)]),
  ];
}

function renderScanners({ scanners }: Report): string {
  if (scanners.length === 0) return '';
  const rows = scanners.map(s => {
    const isBad = s.status === 'failed' || s.status === 'timed-out';
    const status = `${s.status}${s.message === undefined ? '' : `: ${s.message}`}`;
    return `<tr><td>${escapeHtml(s.name)}</td><td>${escapeHtml(s.version)}</td><td${isBad ? ' class="bad"' : ''}>${escapeHtml(status)}</td><td class="number">${s.filesExamined}</td><td class="number">${s.findings}</td><td class="number">${toDuration(s.durationMs)}</td></tr>`;
  });
  return `<section><h2>Scanners</h2><div class="wide"><table><thead><tr><th>Scanner</th><th>Version</th><th>Status</th><th>Files</th><th>Findings</th><th>Time</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div></section>`;
}

function renderAi({ review, cost }: Report): string {
  if (review === undefined) return '';
  const reviewers = review.reviewers.map(({ name, model, status, calls, message }) => {
    const text = `${status}${message === undefined ? '' : `: ${message}`}`;
    return `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(model)}</td><td${status === 'failed' ? ' class="bad"' : ''}>${escapeHtml(text)}</td><td class="number">${calls}</td></tr>`;
  });
  const costs = cost.byRole.map(
    row =>
      `<tr><td>${escapeHtml(row.role)}</td><td>${escapeHtml(row.model)}</td><td class="number">${row.calls}</td><td class="number">${row.inputTokens}</td><td class="number">${row.outputTokens}</td><td class="number">${row.usd.toFixed(4)}</td></tr>`,
  );
  const parts = [
    `<p>${escapeHtml(toScoreSentence(review))}</p>`,
    renderText(review.summary),
    toTable(['Reviewer', 'Model', 'Status', 'Calls'], reviewers),
    renderItems(
      "Scanners' findings that a reviewer disputes",
      review.disputes.map(({ id, note }) => `${id}: ${note}`),
    ),
    `<p>${escapeHtml([toCounts(review), cost.calls === 0 ? '' : toCostLine(cost)].join(' ').trim())}</p>`,
    costs.length === 0 ? '' : toTable(['Role', 'Model', 'Calls', 'Input tokens', 'Output tokens', 'US$'], costs),
  ];
  return `<section><h2>AI review</h2>${parts.filter(part => part !== '').join('\n')}</section>`;
}

const toTable = (titles: readonly string[], rows: readonly string[]): string =>
  `<div class="wide"><table><thead><tr>${titles.map(title => `<th>${title}</th>`).join('')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;

function renderFiles({ ledger }: Report): string {
  const examined = ledger.files.filter(file => file.examinedBy.length > 0).length;
  const rows = ledger.files.slice(0, 5_000).map(file => {
    const partial = toPartialReasons(file).map(reason => `in part, ${reason}`);
    const how = isSkipped(file) ? `skipped: ${file.skipped}` : file.examinedBy.join(', ') || 'examined by no scanner';
    return `<tr><td><code>${escapeHtml(file.path)}</code></td><td>${escapeHtml(file.status)}</td><td>${escapeHtml([how, ...partial].join('; '))}</td></tr>`;
  });
  const more = ledger.files.length > rows.length ? `<p>… and ${ledger.files.length - rows.length} more files</p>` : '';
  const state = ledger.complete ? 'complete' : '<strong class="bad">not complete</strong>';
  return `<section><h2>Files</h2><p>${examined} of ${plural(ledger.files.length, 'file')} examined, ${state}.</p><details><summary>All files</summary><div class="wide"><table><tbody>\n${rows.join('\n')}\n</tbody></table></div>${more}</details></section>`;
}

function renderRun({ subject, sandbox, timings }: Report): string {
  const facts: [string, string | undefined][] = [
    ['Head', subject.headSha],
    ['Merge base', subject.mergeBaseSha],
    ['Policy from', subject.baseSha],
    [
      'Sandbox',
      sandbox === null ? 'none was started' : `${sandbox.runtime} ${sandbox.runtimeVersion}, ${sandbox.platform}`,
    ],
    ['Image', sandbox?.imageDigest],
    [
      'Time',
      Object.entries(timings)
        .map(([stage, ms]) => `${stage} ${toDuration(ms)}`)
        .join(', '),
    ],
  ];
  const rows = facts
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `<dt>${name}</dt><dd><code>${escapeHtml(value ?? '')}</code></dd>`);
  return `<section><h2>Run</h2><dl>${rows.join('')}</dl></section>`;
}

function renderList(title: string, items: readonly string[]): string {
  const list = toList(items);
  return list === '' ? '' : `<section><h2>${escapeHtml(title)}</h2>${list}</section>`;
}

function renderItems(title: string, items: readonly string[]): string {
  const list = toList(items);
  return list === '' ? '' : `<h3>${escapeHtml(title)}</h3>${list}`;
}

function toList(items: readonly string[]): string {
  if (items.length === 0) return '';
  const shown = items.slice(0, 200).map(item => `<li>${escapeHtml(cutCodePoints(item, 1_000))}</li>`);
  const more = items.length > shown.length ? `<li>… and ${items.length - shown.length} more</li>` : '';
  return `<ul>${shown.join('')}${more}</ul>`;
}

const renderText = (text: string): string => toHtmlText(cutCodePoints(text, 4_000));
