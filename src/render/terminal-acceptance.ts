import type { Report } from '../core/report.ts';
import { toSafeLine } from '../core/untrusted.ts';
import {
  type AcceptanceCriterion,
  toAcceptanceSentence,
  toCriterionId,
  toCriterionOrigin,
} from './acceptance-section.ts';
import { cutCodePoints } from './budget.ts';
import { paint, type Style } from './terminal-color.ts';
import { wrapText } from './wrap.ts';

const MAX_EVIDENCE = 5;
const MAX_CHARS = 400;
const COLOR = { met: 'success', unmet: 'critical', unclear: 'medium' } as const;

/** The criteria of the linked issues for a terminal; empty where the report has none. */
export function renderTerminalAcceptance({ acceptance }: Report, view: Style): string {
  if (acceptance === undefined) return '';
  const sentences = [toAcceptanceSentence(acceptance), ...acceptance.notices].map(text => toSafeLine(text));
  return [
    paint('Acceptance', 'bold', view),
    ...acceptance.criteria.flatMap(criterion => renderCriterion(criterion, view)),
    ...sentences.flatMap(text => indent(cutCodePoints(text, MAX_CHARS), 2, view)),
  ].join('\n');
}

function renderCriterion(criterion: AcceptanceCriterion, view: Style): string[] {
  const { status, text, evidence } = criterion;
  const id = toCriterionId(criterion);
  const said = `${id === '' ? '' : `${id} `}${cutCodePoints(text, MAX_CHARS)} (${toCriterionOrigin(criterion)})`;
  const [first = '', ...rest] = wrapText(toSafeLine(said), view.width - 11);
  const shown = evidence.slice(0, MAX_EVIDENCE).flatMap(({ path, line, text }) => {
    const place = `${path}${line === undefined ? '' : `:${line}`}`;
    return indent(toSafeLine(`${place} ${cutCodePoints(text, MAX_CHARS)}`), 11, view);
  });
  const more = evidence.length > MAX_EVIDENCE ? [`           … and ${evidence.length - MAX_EVIDENCE} more`] : [];
  const label = paint(status.padEnd(7), COLOR[status], view);
  return [`  ${label}  ${first}`, ...rest.map(line => `           ${line}`), ...shown, ...more];
}

const indent = (text: string, columns: number, view: Style): string[] =>
  wrapText(text, view.width - columns).map(line => ' '.repeat(columns) + line);
