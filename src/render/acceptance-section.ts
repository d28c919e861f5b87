import type { Report, ReportAcceptance } from '../core/report.ts';
import { codeSpan, plainText, sanitizeTitle } from '../core/untrusted.ts';
import { cutCodePoints } from './budget.ts';
import { type LinkTarget, toBlobUrl } from './links.ts';
import { plural } from './phrases.ts';

/** Whether the change does what its issues ask for, in markdown. Issues are named in words: `#12` would ping them. */

export type AcceptanceCriterion = ReportAcceptance['criteria'][number];

const MAX_TEXT = 300;
const MAX_EVIDENCE_TEXT = 200;
const MAX_EVIDENCE = 5;
const MAX_NOTICES = 20;

const ICON = { met: '✅', unmet: '❌', unclear: '❔' } as const;

/** Empty where the report has no such part. The job summary and local outputs show it in every mode. */
export function renderAcceptance({ acceptance }: Report, target: LinkTarget): string {
  if (acceptance === undefined) return '';
  const items = acceptance.criteria.map(criterion => renderCriterion(criterion, target));
  const notices = acceptance.notices
    .slice(0, MAX_NOTICES)
    .map(notice => `- ${sanitizeTitle(cutCodePoints(notice, 500))}`);
  const parts = [toHead(acceptance), items.join('\n'), notices.join('\n')];
  return parts.filter(part => part !== '').join('\n\n');
}

/** The same for a review's body, between marks, so that a later run of the same head can keep it. */
export function renderAcceptanceBlock(report: Report, target: LinkTarget, headSha: string): string {
  const text = renderAcceptanceForReview(report, target);
  return text === '' ? '' : [beginMark(headSha), text, END_MARK].join('\n\n');
}

/** What `renderAcceptanceBlock` wrote into the body of a review of our own for this head; empty where it did not. */
export function findAcceptanceBlock(body: string, headSha: string): string {
  const from = body.indexOf(beginMark(headSha));
  const to = from < 0 ? -1 : body.indexOf(END_MARK, from);
  return to < 0 ? '' : body.slice(from, to + END_MARK.length);
}

const beginMark = (headSha: string): string => `<!-- cypherfix:v1 acceptance head=${headSha} -->`;
const END_MARK = '<!-- cypherfix:v1 acceptance end -->';

/** For the review and the check: only in mode `on`, and only with at least one criterion. */
export const renderAcceptanceForReview = (report: Report, target: LinkTarget): string =>
  isForReview(report) ? renderAcceptance(report, target) : '';

/** The counts alone, where there is little room. */
export const renderAcceptanceShort = (report: Report): string =>
  isForReview(report) && report.acceptance !== undefined ? toHead(report.acceptance) : '';

/** `2 of 5 criteria of issue 12 are met, 1 unmet, 2 unclear. The test command ended with exit code 1.`, without markup. */
export function toAcceptanceSentence({ issues, criteria, command }: ReportAcceptance): string {
  const count = (status: AcceptanceCriterion['status']) =>
    criteria.filter(criterion => criterion.status === status).length;
  const named = toIssueNames(issues);
  const said =
    criteria.length === 0
      ? `No criteria${named === '' ? '' : ` of ${named}`} were judged.`
      : `${count('met')} of ${plural(criteria.length, 'criterion', 'criteria')}${named === '' ? '' : ` of ${named}`} met, ${count('unmet')} unmet, ${count('unclear')} unclear.`;
  if (command === undefined) return said;
  const end = command.timedOut
    ? 'was stopped at its time limit'
    : command.exitCode === null
      ? 'did not end by itself'
      : `ended with exit code ${command.exitCode}`;
  return `${said} The test command ${end}.`;
}

/** `by test`, `by model, inferred`, `not judged`: how a criterion came about, without markup. */
export function toCriterionOrigin({ issue, source, judgedBy }: AcceptanceCriterion): string {
  const judge = judgedBy === 'none' ? 'not judged' : `by ${judgedBy}`;
  return [issue === 0 ? '' : `issue ${issue}`, judge, source === 'inferred' ? 'inferred by a model' : '']
    .filter(part => part !== '')
    .join(', ');
}

/** The identifier where the text does not begin with it. */
export const toCriterionId = ({ id, text }: AcceptanceCriterion): string =>
  id === undefined || text.includes(id) ? '' : id;

/** True for the place of a test that stands in no file of the tree. */
export const isTestOutput = (path: string): boolean => path === '(test output)';

const isForReview = ({ acceptance }: Report): boolean =>
  acceptance !== undefined && acceptance.mode === 'on' && acceptance.criteria.length > 0;

const toHead = (acceptance: ReportAcceptance): string =>
  `### Acceptance\n\n${plainText(toAcceptanceSentence(acceptance))}`;

function toIssueNames(issues: readonly number[]): string {
  const numbered = issues.filter(number => number > 0);
  if (numbered.length === 0) return issues.length === 0 ? '' : 'the issue';
  return `issue${numbered.length === 1 ? '' : 's'} ${numbered.join(', ')}`;
}

function renderCriterion(criterion: AcceptanceCriterion, target: LinkTarget): string {
  const { status, text, evidence } = criterion;
  const id = toCriterionId(criterion);
  const name = `${id === '' ? '' : `${codeSpan(id)} `}${sanitizeTitle(cutCodePoints(text, MAX_TEXT))}`;
  const shown = evidence.slice(0, MAX_EVIDENCE).map(item => `  - ${renderEvidence(item, target)}`);
  const more = evidence.length - shown.length;
  return [
    `- ${ICON[status]} **${status}** · ${name} (${plainText(toCriterionOrigin(criterion))})`,
    ...shown,
    ...(more > 0 ? [`  - … and ${more} more`] : []),
  ].join('\n');
}

function renderEvidence({ path, line, text }: AcceptanceCriterion['evidence'][number], target: LinkTarget): string {
  const said = sanitizeTitle(cutCodePoints(text, MAX_EVIDENCE_TEXT));
  if (isTestOutput(path)) return `${plainText(path)} ${said}`;
  const place = codeSpan(`${cutCodePoints(path, 200)}${line === undefined ? '' : `:${line}`}`);
  const url = toBlobUrl(target, path, line);
  return `${url === undefined ? place : `[${place}](${url})`} ${said}`;
}
