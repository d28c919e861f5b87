import { createHash } from 'node:crypto';
import { TIER_NAMES } from '../core/risk.ts';
import { redact } from '../core/secrets.ts';
import type { TriageRemediation } from '../core/triage.ts';
import { codeFence, plainText, sanitizeMarkdown, toVisibleText } from '../core/untrusted.ts';
import { cutCodePoints } from './budget.ts';
import { plural } from './phrases.ts';

/** An issue that stands for a remediation of the triage, as its marker and text. */
export interface RemediationIssue {
  /** 16 hex digits that name project and group. */
  readonly key: string;
  readonly title: string;
  /** From the first marker to the last; people write before and after it. */
  readonly section: string;
}

/** First 16 hex digits of SHA-256 over project, a line feed and group key: neither can be read from it. */
export const toIssueKey = (projectId: string, groupKey: string): string =>
  createHash('sha256').update(`${projectId}\n${groupKey}`, 'utf8').digest('hex').slice(0, 16);

const toMarker = (key: string): string => `<!-- cypherfix:v1 remediation ${key} -->`;
const END = '<!-- cypherfix:v1 remediation-end -->';
const GONE = '<!-- cypherfix:v1 remediation-gone -->';
const MARKER = /<!-- cypherfix:v1 remediation ([0-9a-f]{16}) -->/;

const MAX_TITLE = 200;
const MAX_TEXT = 4_000;
const MAX_LIST = 20;

/** The issue of a remediation. The group key is left out, since that of a secret holds its hash. */
export function renderRemediationIssue(item: TriageRemediation, projectId: string): RemediationIssue {
  const key = toIssueKey(projectId, item.groupKey);
  const { tier, severity, priorityScore, liveMemberCount } = item;
  const lines = [
    `**${tier} ${TIER_NAMES[tier]}** · score ${priorityScore.toFixed(1)} · ${severity} · ${plural(liveMemberCount, 'open finding')}`,
    toText(item.description),
    `### What to do\n\n${toText(item.solution) || 'Look at the findings and mend their cause.'}`,
    toFacts(item)
      .map(fact => `- ${fact}`)
      .join('\n'),
    item.evidence === '' ? '' : `Evidence:\n\n${codeFence(cut(item.evidence))}`,
    '<sub>CypherFix keeps this part up to date and closes the issue once no finding is left. What stands above or below it is yours.</sub>',
  ];
  return {
    key,
    title: cutCodePoints(toVisibleText(redact(item.title)).replace(/\s+/g, ' ').trim(), MAX_TITLE) || 'Remediation',
    section: [toMarker(key), ...lines.filter(line => line !== ''), END].join('\n\n'),
  };
}

/** What an issue's body says of itself; null where no marker of ours stands in it. */
export function readIssueBody(
  body: string,
): { readonly key: string; readonly section: string | null; readonly gone: boolean } | null {
  const text = body.replace(/\r\n/g, '\n');
  const key = MARKER.exec(text)?.[1];
  if (key === undefined) return null;
  const section = toRange(text, key);
  if (section === null) return { key, section: null, gone: false };
  const own = text.slice(section.from, section.to);
  return { key, section: own, gone: own.includes(GONE) };
}

/** The body with our part replaced; people's words around it stay. The body as it is where our part is not whole. */
export function replaceSection(body: string, key: string, section: string): string {
  const text = body.replace(/\r\n/g, '\n');
  const range = toRange(text, key);
  return range === null ? body : text.slice(0, range.from) + section + text.slice(range.to);
}

/** Our part once no run finds it any more: an issue that carries this was closed by us, and may be opened by us again. */
export const toGoneSection = (section: string): string =>
  section.includes(GONE)
    ? section
    : `${section.slice(0, -END.length)}No finding of it is left, as the last triage saw it.\n\n${GONE}\n\n${END}`;

function toRange(text: string, key: string): { readonly from: number; readonly to: number } | null {
  const from = text.indexOf(toMarker(key));
  const end = text.indexOf(END, from);
  return from < 0 || end < 0 ? null : { from, to: end + END.length };
}

function toFacts(item: TriageRemediation): string[] {
  const { affectedAssets, affectedAssetCount, cveIds, cweIds, cvssScore, cisaKev, exploitAvailable } = item;
  const more = affectedAssetCount - affectedAssets.length;
  const assets = `Affected: ${toList(affectedAssets)}${more > 0 ? ` and ${more} more` : ''}`;
  const ids = [...cveIds, ...cweIds];
  return [
    ...(affectedAssets.length === 0 ? [] : [assets]),
    ...(ids.length === 0 ? [] : [`Known as ${toList(ids)}`]),
    ...(cvssScore === null ? [] : [`CVSS ${cvssScore}`]),
    ...(cisaKev ? ['In the catalogue of exploited vulnerabilities (CISA KEV)'] : []),
    ...(exploitAvailable && !cisaKev ? ['An exploit is known'] : []),
  ];
}

const toList = (texts: readonly string[]): string =>
  texts
    .slice(0, MAX_LIST)
    .map(text => plainText(cutCodePoints(redact(text), 200)))
    .join(', ');

const cut = (text: string): string => cutCodePoints(redact(text), MAX_TEXT);

const toText = (text: string): string => sanitizeMarkdown(cut(text));
