import type { ReportFinding } from '../core/report.ts';
import { toSafeLine, toVisibleText } from '../core/untrusted.ts';
import { cutCodePoints } from './budget.ts';
import { CARRIED } from './phrases.ts';
import { paint, type Style } from './terminal-color.ts';
import { cutColumns, toColumns, wrapText } from './wrap.ts';

/** A finding below its file's name: place, severity and title, the code with a caret, the message, the advice. */
export function renderTerminalFinding(finding: ReportFinding, view: Style): string {
  const {
    startLine,
    endLine,
    startColumn,
    severity,
    title,
    tool,
    ruleId,
    cwe,
    tools,
    message,
    help,
    suggestion,
    introduced,
    carried,
    id,
  } = finding;
  const place = `${startLine}${endLine > startLine ? `-${endLine}` : ''}${startColumn === undefined ? '' : `:${startColumn}`}`;
  const others = tools.filter(other => other !== tool);
  const source = [
    `${toSafeLine(tool)} ${toSafeLine(ruleId)}`,
    cwe.join(' '),
    others.length > 0 ? `also ${toSafeLine(others.join(', '))}` : '',
    finding.risk === null ? '' : `${toSafeLine(finding.risk.tier)} ${Math.round(finding.risk.score)}`,
    introduced ? '' : 'not introduced here',
    carried === true ? CARRIED : '',
    `id ${id}`,
  ];
  const [first = '', ...rest] = wrapText(`${toSafeLine(title)}`, view.width - 2 - place.length - severity.length - 4);
  const head = `  ${place}  ${paint(severity, severity, view)}  ${paint(first, 'bold', view)}`;
  const body = [
    ...rest.map(line => paint(line, 'bold', view)),
    paint(source.filter(part => part !== '').join(' · '), 'dim', view),
    ...renderCode(finding, view),
    ...(message.trim() === title.trim() ? [] : toParagraph(message, view)),
    ...(help === undefined || help === message ? [] : toParagraph(`Fix: ${help}`, view)),
    ...(suggestion === undefined ? [] : toParagraph(`Suggestion: ${suggestion}`, view)),
  ];
  return [head, ...body.map(line => `${INDENT}${line}`)].join('\n');
}

const INDENT = '    ';
const MAX_CODE_LINES = 4;

function toParagraph(text: string, view: Style): string[] {
  const lines = wrapText(
    toVisibleText(cutCodePoints(text, 1_500)).replaceAll('\t', '  ').trim(),
    view.width - INDENT.length,
  );
  return lines.filter((line, at) => line.trim() !== '' || (lines[at - 1] ?? '').trim() !== '').slice(0, 20);
}

/** The matched text with its line numbers; a caret below where one line of it is marked. */
function renderCode(finding: ReportFinding, view: Style): string[] {
  const { snippet, startLine } = finding;
  if (snippet.trim() === '') return [];
  const all = toVisibleText(snippet).replaceAll('\t', '  ').replace(/\n+$/, '').split('\n');
  const shown = all.slice(0, MAX_CODE_LINES);
  const gutter = String(startLine + shown.length - 1).length;
  const room = view.width - INDENT.length - gutter - 3;
  const margin = Math.min(
    ...shown.filter(line => line.trim() !== '').map(line => line.length - line.trimStart().length),
  );
  const lines = shown.map((line, at) => {
    const number = String(startLine + at).padStart(gutter);
    return `${paint(`${number} |`, 'dim', view)} ${cutColumns(line.slice(margin), room)}`.trimEnd();
  });
  const caret = all.length === 1 ? toCaret(finding, all[0] ?? '', margin, room) : '';
  if (caret !== '')
    lines.push(`${paint(`${' '.repeat(gutter)} |`, 'dim', view)} ${paint(caret, finding.severity, view)}`);
  if (all.length > shown.length) lines.push(`${' '.repeat(gutter)} | … ${all.length - shown.length} more`);
  return lines;
}

/** A snippet holds either whole lines or the marked text alone: columns count only in the first case. */
function toCaret(
  { startColumn, endColumn, endLine, startLine }: ReportFinding,
  line: string,
  margin: number,
  room: number,
): string {
  const isWhole =
    startColumn !== undefined && endColumn !== undefined && endLine === startLine && endColumn - 1 <= line.length;
  const from = isWhole && startColumn - 1 >= margin ? startColumn - 1 : margin;
  const to = isWhole ? Math.max(endColumn - 1, from + 1) : line.trimEnd().length;
  const lead = toColumns(line.slice(margin, from));
  const length = Math.min(toColumns(line.slice(from, to)), room - lead);
  return length < 1 ? '' : ' '.repeat(lead) + '^'.padEnd(length, '~');
}
