import type { Report } from '../core/report.ts';
import {
  type AcceptanceCriterion,
  isTestOutput,
  toAcceptanceSentence,
  toCriterionId,
  toCriterionOrigin,
} from './acceptance-section.ts';
import { cutCodePoints } from './budget.ts';
import { escapeHtml } from './html-text.ts';
import { type LinkTarget, toBlobUrl } from './links.ts';

const MAX_CHARS = 1_000;

/** The criteria of the linked issues as a section of the page; empty where the report has none. */
export function renderHtmlAcceptance({ acceptance }: Report, target: LinkTarget): string {
  if (acceptance === undefined) return '';
  const rows = acceptance.criteria.map(criterion => renderCriterion(criterion, target));
  const table =
    rows.length === 0
      ? ''
      : `<div class="wide"><table><thead><tr><th>Status</th><th>Criterion</th><th>Evidence</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
  const notices = acceptance.notices.map(notice => `<li>${escapeHtml(cutCodePoints(notice, MAX_CHARS))}</li>`);
  const parts = [
    `<p>${escapeHtml(toAcceptanceSentence(acceptance))}</p>`,
    table,
    notices.length === 0 ? '' : `<ul>${notices.join('')}</ul>`,
  ];
  return `<section><h2>Acceptance</h2>${parts.filter(part => part !== '').join('\n')}</section>`;
}

function renderCriterion(criterion: AcceptanceCriterion, target: LinkTarget): string {
  const { status, text, evidence } = criterion;
  const id = toCriterionId(criterion);
  const name = `${id === '' ? '' : `<code>${escapeHtml(id)}</code> `}${escapeHtml(cutCodePoints(text, MAX_CHARS))}`;
  const origin = `<br><span class="quiet">${escapeHtml(toCriterionOrigin(criterion))}</span>`;
  const shown = evidence.map(item => renderEvidence(item, target)).join('<br>');
  return `<tr><td${status === 'unmet' ? ' class="bad"' : ''}>${status}</td><td>${name}${origin}</td><td>${shown}</td></tr>`;
}

function renderEvidence({ path, line, text }: AcceptanceCriterion['evidence'][number], target: LinkTarget): string {
  const place = escapeHtml(`${path}${line === undefined ? '' : `:${line}`}`);
  const url = isTestOutput(path) ? undefined : toBlobUrl(target, path, line);
  const shown = isTestOutput(path) ? place : `<code>${place}</code>`;
  const said = escapeHtml(cutCodePoints(text, MAX_CHARS));
  return `${url === undefined ? shown : `<a href="${escapeHtml(url)}">${shown}</a>`} ${said}`;
}
