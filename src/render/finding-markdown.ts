import type { ReportFinding } from '../core/report.ts';
import { isTier, TIER_NAMES } from '../core/risk.ts';
import { codeFence, codeSpan, plainText, sanitizeMarkdown, sanitizeTitle, toVisibleText } from '../core/untrusted.ts';
import { cutCodePoints, fitSections, type Section } from './budget.ts';
import { reviewedMarker } from './finding-marker.ts';
import { COMMENT_LIMIT } from './limits.ts';
import { type LinkTarget, toBlobUrl, toCweUrl } from './links.ts';
import { CARRIED, SEVERITY_ICON, SEVERITY_NAME } from './phrases.ts';

export const findingMarker = (fingerprint: string): string => `<!-- cypherfix:v1 finding ${fingerprint} -->`;

/** The inline comment of a finding, its marker last; within GitHub's limit whatever its texts hold. */
export function renderFindingComment(finding: ReportFinding, target: LinkTarget): string {
  const sections: Section[] = [
    always(`${toBadge(finding)}${toCweLinks(finding)}`),
    always(`**${toTitle(finding)}**`),
    ...toDetails(finding, target, MAX_MESSAGE).map((text, at): Section => ({ text, rank: 2 + at, kind: 'details' })),
    { text: toSuggestion(finding), rank: 1, kind: 'details' },
    { text: '', rank: 0, kind: 'notice' },
    always(`<sub>${toFootnote(finding)}</sub>`),
    { text: reviewedMarker(finding), rank: 0, kind: 'marker' },
    { text: findingMarker(finding.fingerprint), rank: 0, kind: 'marker' },
  ];
  return fitSections(sections, COMMENT_LIMIT, () => 'Shortened to fit; the summary of the workflow run has more.').text;
}

const always = (text: string): Section => ({ text, rank: 0, kind: 'head' });

/** A finding as an item of a list, with what there is to say about it. */
export function renderFindingItem(finding: ReportFinding, target: LinkTarget): string {
  const lines = [
    ...toDetails(finding, target, MAX_ITEM_MESSAGE),
    toProposal(finding),
    // The line above says already that it is carried.
    `<sub>${toFootnote({ ...finding, carried: false })}</sub>`,
  ];
  const details = lines.filter(line => line !== '').map(indent);
  return [renderFindingLine(finding, target), ...details].join('\n\n');
}

/** A finding on one line of a list, below the name of its file. */
export function renderFindingLine(finding: ReportFinding, target: LinkTarget): string {
  const carried = finding.carried === true ? ` · ${CARRIED}` : '';
  return `- ${toBadge(finding)} · ${toLines(finding, target)} · **${toTitle(finding)}**${toCweLinks(finding)}${carried}`;
}

const MAX_TITLE = 200;
const MAX_MESSAGE = 4_000;
const MAX_ITEM_MESSAGE = 1_200;
const MAX_HELP = 2_000;
const MAX_FLOW_STEPS = 20;

/** Severity and, for a scanner, tool and rule: the same code always gives the same finding. */
function toBadge({ severity, origin, tool, ruleId }: ReportFinding): string {
  const source = codeSpan(cutCodePoints(`${tool} ${ruleId}`, 120));
  return `${SEVERITY_ICON[severity]} **${SEVERITY_NAME[severity]}** · ${origin === 'scanner' ? '⚙️ ' : ''}${source}`;
}

const toTitle = (finding: ReportFinding): string =>
  sanitizeTitle(cutCodePoints(finding.title, MAX_TITLE)) || codeSpan(finding.ruleId) || 'Finding';

function toCweLinks({ cwe }: ReportFinding): string {
  const links = cwe.slice(0, 5).map(id => {
    const url = toCweUrl(id);
    return url === undefined ? plainText(id) : `[${id}](${url})`;
  });
  return links.length === 0 ? '' : ` · ${links.join(' ')}`;
}

/** `lines 12-14` as a link to them at the head. */
function toLines({ path, startLine, endLine }: ReportFinding, target: LinkTarget): string {
  const label = endLine > startLine ? `lines ${startLine}-${endLine}` : `line ${startLine}`;
  const url = toBlobUrl(target, path, startLine, endLine);
  return url === undefined ? label : `[${label}](${url})`;
}

function toDetails(finding: ReportFinding, target: LinkTarget, maxMessage: number): string[] {
  const message = sanitizeMarkdown(cutCodePoints(finding.message, maxMessage), target);
  const help = finding.help === undefined ? '' : sanitizeMarkdown(cutCodePoints(finding.help, MAX_HELP), target);
  const advice =
    finding.suggestion === undefined ? '' : sanitizeMarkdown(cutCodePoints(finding.suggestion, MAX_HELP), target);
  const isRepeated = finding.message.trim() === finding.title.trim();
  return [
    isRepeated ? '' : message,
    help === '' || help === message ? '' : labelled('How to fix', help),
    advice === '' ? '' : labelled('Suggestion', advice),
    toFlow(finding, target),
  ];
}

/** A label before text; text that is more than a line stands below it, so that its lists and fences keep their form. */
const labelled = (label: string, text: string): string =>
  /\n|^(?:[-+*]|\d+[.)]|`{3})/.test(text) ? `**${label}:**\n\n${text}` : `**${label}:** ${text}`;

function toFlow({ flow }: ReportFinding, target: LinkTarget): string {
  if (flow === undefined || flow.length === 0) return '';
  const steps = flow.slice(0, MAX_FLOW_STEPS).map(({ path, line, text }, at) => {
    const place = codeSpan(`${cutCodePoints(path, 200)}:${line}`);
    const url = toBlobUrl(target, path, line);
    return `${at + 1}. ${url === undefined ? place : `[${place}](${url})`} ${codeSpan(cutCodePoints(text.trim(), 200))}`;
  });
  const rest = flow.length > MAX_FLOW_STEPS ? `\n\n… and ${flow.length - MAX_FLOW_STEPS} more steps` : '';
  return `<details><summary>How the data gets there (${flow.length} steps)</summary>\n\n${steps.join('\n')}${rest}\n\n</details>`;
}

/** `T2 Act soon, 58 of 100`. */
function toRank(risk: ReportFinding['risk']): string {
  if (risk === null) return '';
  const name = isTier(risk.tier) ? ` ${TIER_NAMES[risk.tier]}` : '';
  return `${plainText(cutCodePoints(risk.tier, 20))}${name}, ${Math.round(risk.score)} of 100`;
}

function toFootnote(finding: ReportFinding): string {
  const { origin, tools, tool, confidence, id, introduced, placementReason, mergedFrom, carried } = finding;
  const others = mergedFrom.filter(other => other.tool !== tool).map(other => `${other.tool} ${other.ruleId}`);
  const named = others.length > 0 ? others : tools.filter(other => other !== tool);
  const agreeing = [...new Set(named)].slice(0, 6).map(name => plainText(cutCodePoints(name, 80)));
  const parts = [
    origin === 'scanner' ? 'deterministic' : 'reviewer',
    `confidence ${Math.round(confidence * 100)} %`,
    toRank(finding.risk),
    agreeing.length > 0 ? `also reported by ${agreeing.join(', ')}` : '',
    introduced ? '' : 'was there before this change',
    carried === true ? CARRIED : '',
    placementReason === undefined ? '' : plainText(cutCodePoints(placementReason, 300)),
    `id ${codeSpan(id)}`,
  ];
  return parts.filter(part => part !== '').join(' · ');
}

/** GitHub's button to commit a fix: only for one edit of exactly the commented lines, which stand in one hunk. */
function toSuggestion(finding: ReportFinding): string {
  const edit = finding.fix?.edits[0];
  if (edit === undefined) return '';
  const isExact =
    finding.fix?.edits.length === 1 &&
    finding.placement === 'inline' &&
    edit.path === finding.path &&
    edit.startLine === finding.startLine &&
    edit.endLine === finding.endLine &&
    isFitToCommit(edit.replacement);
  if (!isExact) return toProposal(finding);
  const text = edit.replacement.replace(/\n$/, '');
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(run => run[0].length + 1)));
  return `${fence}suggestion\n${text}${text === '' ? '' : '\n'}${fence}`;
}

/** What a suggestion commits must be what it shows. */
function isFitToCommit(text: string): boolean {
  return text.length <= 8_000 && toVisibleText(text) === text && !/\[redacted:|<!--\s*cypherfix|^\/[a-z]/im.test(text);
}

function toProposal({ fix }: ReportFinding): string {
  const edits = (fix?.edits ?? []).slice(0, 3).map(({ path, startLine, endLine, replacement }) => {
    const lines = endLine > startLine ? `lines ${startLine} to ${endLine}` : `line ${startLine}`;
    return `${codeSpan(cutCodePoints(path, 200))}, ${lines}:\n\n${codeFence(cutCodePoints(replacement, 2_000))}`;
  });
  return edits.length === 0 ? '' : `<details><summary>Proposed change</summary>\n\n${edits.join('\n\n')}\n\n</details>`;
}

const indent = (text: string): string =>
  text
    .split('\n')
    .map(line => (line === '' ? '' : `  ${line}`))
    .join('\n');
