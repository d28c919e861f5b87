import { createHash } from 'node:crypto';
import { isPresent, lower, SPACE_CLASS, strip, textOr, toList, toText } from './python-values.ts';
import type { FindingRow } from './row.ts';
import { takeCodePoints, wellFormed } from './text.ts';

/** Longest key, in characters. */
export const MAX_GROUP_KEY_LENGTH = 200;

const AI_SOURCES: ReadonlySet<string> = new Set([
  'ai_surface_recon',
  'ai_attack',
  'garak',
  'pyrit',
  'promptfoo',
  'giskard',
]);

/**
 * What one fix removes, as a key: the lowest CVE id, else the package, template, check or secret. The host is part of it
 * only where the same thing on two hosts needs two fixes.
 */
export const groupKeyOf = (row: FindingRow): string => keyOf(row, lower(row.source)).slice(0, MAX_GROUP_KEY_LENGTH);

function keyOf(row: FindingRow, source: string): string {
  const { label } = row;
  // The text of a code finding may name a CVE as an example, which makes it no finding of that CVE.
  if (label === 'CodeFinding') return codeKey(row, source);
  const cve = lowestCve(row);
  if (cve !== undefined) return `cve:${cve.toLowerCase()}`;
  if (source === 'osv' || source === 'retirejs' || source === 'guarddog' || label === 'MalPackageFinding') {
    return packageKey(row);
  }
  if (source === 'nuclei' && isPresent(row.template_id)) return `nuclei:${slug(row.template_id, 140)}`;
  if (source === 'gvm' || label === 'ExploitGvm') return `gvm:${slug(firstOf(row.oid, row.id), 140)}`;
  if (source === 'security_check') {
    const header = slug(row.missing_header, 60);
    return `check:${slug(firstOf(row.type, row.name))}${header === '' ? '' : `:${header}`}`;
  }
  if (source === 'takeover_scan') return `takeover:${slug(row.provider)}:${slug(row.takeover_method)}`;
  if (source === 'cache_poisoning') return `cache:${slug(row.technique)}:${slug(row.vector)}`;
  if (source === 'graphql_scan' || source === 'graphql_cop') {
    return `graphql:${slug(firstOf(row.vulnerability_type, row.name))}`;
  }
  if (AI_SOURCES.has(source)) return `ai:${slug(row.ai_owasp_llm_id)}:${slug(row.payload_class)}`;
  return labelKey(row, source);
}

function labelKey(row: FindingRow, source: string): string {
  const { label } = row;
  if (label === 'Secret' || label === 'GithubSecret' || label === 'MultiscannerFinding') return secretKey(row);
  if (label === 'GithubSensitiveFile') {
    return `ghfile:${slug(hostOf(row), 60)}:${slug(firstOf(row.path, row.name), 100)}`;
  }
  if (label === 'JsReconFinding' || source === 'js_recon' || source === 'jsluice') {
    return `js:${slug(row.finding_type)}:${slug(firstOf(row.name, row.package_name), 100)}`;
  }
  return `finding:${slug(row.id, 150)}`;
}

const hostOf = (row: FindingRow): unknown => firstOf(row.triage_host, row.host);

/** In code, one rule in one file is one piece of work. */
const codeKey = (row: FindingRow, source: string): string =>
  `code:${slug(source, 20)}:${slug(firstOf(row.rule_id, row.name), 60)}:${slug(row.path, 100)}`;

function packageKey(row: FindingRow): string {
  const id = textOr(row.id);
  if (/^mal-/i.test(id)) return `malpkg:${slug(id)}`;
  const name = slug(firstOf(row.package_purl, row.package_name), 140);
  if (name === '') return `advisory:${slug(id)}`;
  return name.startsWith('pkg:') ? name : `pkg:${name}`;
}

/** The secret's own hash, so that one value found in many places is one rotation; the value itself is not in the key. */
function secretKey(row: FindingRow): string {
  const value = strip(toText(firstOf(row.matched_text, row.raw_secret, row.secret_value, row.sample)));
  if (value !== '') {
    return `secret:${createHash('sha256').update(wellFormed(value), 'utf8').digest('hex').slice(0, 32)}`;
  }
  return `secret:${slug(firstOf(row.detector_name, row.secret_type))}:${slug(hostOf(row), 60)}`;
}

const CVE = /CVE-\d{4}-\d{4,7}/gi;

function lowestCve(row: FindingRow): string | undefined {
  let lowest: string | undefined;
  const take = (value: unknown): void => {
    const text = typeof value === 'string' ? value : textOr(value);
    if (text.length < 13) return;
    for (const [id] of text.matchAll(CVE)) {
      const upper = id.toUpperCase();
      if (lowest === undefined || upper < lowest) lowest = upper;
    }
  };
  for (const id of toList(row.cve_ids)) take(id);
  take(row.name);
  take(row.id);
  take(row.description);
  return lowest;
}

/** The first value that is present. */
const firstOf = (...values: readonly unknown[]): unknown => values.find(isPresent);

const SPACES = new RegExp(`${SPACE_CLASS}+`, 'g');

function slug(value: unknown, cap = 80): string {
  const text = lower(value);
  if (text === '') return '';
  return takeCodePoints(text.replace(SPACES, '-').replace(/[^a-z0-9._/@+:-]/g, ''), cap);
}
