import { SEVERITIES, type Severity } from '../core/finding.ts';
import { TIER_NAMES } from '../core/risk.ts';
import type { TriageRemediation } from '../core/triage.ts';
import { normaliseSeverity } from '../risk/grades.ts';
import { isTruthy, strip, textOr, toList, toNumber, toText } from '../risk/python-values.ts';
import { roundTo } from '../risk/rounding.ts';
import { takeCodePoints } from '../risk/text.ts';
import { toCveIds } from './intel.ts';
import type { FindingGroup, RankedFinding } from './ranked-finding.ts';

export const MAX_TITLE = 120;
export const MAX_DESCRIPTION = 600;
export const MAX_SOLUTION = 800;
const MAX_EVIDENCE = 2_000;
const MAX_ASSETS = 5;
const MAX_IDS = 500;
const MAX_ID = 200;
const MAX_WEAKNESSES = 50;
const MAX_FILES = 50;

/** Where the fix belongs. */
export interface FixTarget {
  /** `owner/name`; empty where it is not known. */
  readonly repository: string;
  readonly branch: string;
}

/** What is to be done, worked out of the groups in their order. */
export const toRemediations = (groups: readonly FindingGroup[], target: FixTarget): TriageRemediation[] =>
  groups.filter(needsFix).map((group, at) => toRemediation(group, at + 1, target));

/** Whether a group is for the list of fixes: above T4, with a member that is still open. */
export const needsFix = ({ tier, liveCount }: FindingGroup): boolean => tier !== 'T4' && liveCount > 0;

/** The name of a group's fix. */
export function toGroupTitle({ key, members }: Pick<FindingGroup, 'key' | 'members'>): string {
  const [prefix, rest] = splitKey(key);
  const name = strip(textOr(members[0]?.row.name)).replace(/\s+/g, ' ');
  const own = name === '' ? key : name;
  switch (prefix) {
    case 'cve': {
      const cve = rest.toUpperCase();
      return cut(name === '' || name.toUpperCase() === cve ? cve : `${cve} - ${name}`, MAX_TITLE);
    }
    case 'pkg':
      return cut(`Upgrade ${rest}`, MAX_TITLE);
    case 'malpkg':
      return cut(`Remove malicious package (${rest})`, MAX_TITLE);
    case 'secret':
      return cut(`Rotate exposed secret: ${own}`, MAX_TITLE);
    default:
      return cut(own, MAX_TITLE);
  }
}

/** What mends a group, where no model has put it into better words. */
export function toStandardSolution({ members }: Pick<FindingGroup, 'members'>): string {
  const first = members[0];
  if (first === undefined) return '';
  const lever = first.review?.channel === 'builtin' && isValid(first) ? strip(first.review.fixLever) : '';
  if (lever !== '') return cut(lever, MAX_SOLUTION);
  const name = textOr(first.row.package_name) || textOr(first.row.package_purl);
  if (name === '') return "Review this finding and apply the vendor's recommended fix.";
  const fixed = textOr(first.row.fixed_version);
  return cut(`Upgrade \`${name}\` to ${fixed === '' ? 'a version without this advisory' : fixed}.`, MAX_SOLUTION);
}

function toRemediation(group: FindingGroup, priority: number, target: FixTarget): TriageRemediation {
  const { key, members, tier, score, liveCount } = group;
  const rows = members.map(({ row }) => row);
  const kev = rows.some(row => isTruthy(row.cisa_kev));
  const assets = unique(members.map(({ host }) => host));
  let cvssScore: number | null = null;
  for (const row of rows) {
    const given = toNumber(row.cvss_score) ?? toNumber(row.cve_cvss);
    if (given !== undefined) cvssScore = Math.min(10, Math.max(0, given, cvssScore ?? 0));
  }
  const quoted = members.find(
    member => member.review?.channel === 'builtin' && isValid(member) && member.review.evidenceQuote !== '',
  );
  return {
    groupKey: key,
    title: toGroupTitle(group),
    description: toDescription(group),
    solution: toStandardSolution(group),
    ...toKind(key),
    estimatedFiles: Math.min(
      MAX_FILES,
      unique(members.map(({ label, row }) => textOr(label === 'CodeFinding' ? row.path : ''))).length,
    ),
    severity: worstSeverity(members),
    priority,
    priorityScore: roundTo(score, 4),
    tier,
    affectedAssets: assets.slice(0, MAX_ASSETS).map(asset => cut(asset, 300)),
    affectedAssetCount: assets.length,
    cveIds: unique(rows.flatMap(toCveIds)).sort().slice(0, MAX_WEAKNESSES),
    cweIds: unique(rows.flatMap(row => toList(row.cwe_ids).map(toText)))
      .sort()
      .slice(0, MAX_WEAKNESSES)
      .map(id => cut(id, 120)),
    cvssScore,
    cisaKev: kev,
    exploitAvailable: kev || members.some(({ base, signals }) => base.inputs.proven || signals.includes('public PoC')),
    evidence: cut(quoted?.review?.evidenceQuote ?? '', MAX_EVIDENCE),
    findingIds: members.slice(0, MAX_IDS).map(({ id }) => cut(id, MAX_ID)),
    liveMemberCount: liveCount,
    ...toHome(members, target),
  };
}

/** A fix of code goes into the repository that the code is in; everything else is given to the run's own. */
function toHome(
  members: readonly RankedFinding[],
  target: FixTarget,
): Pick<TriageRemediation, 'targetRepo' | 'targetBranch'> {
  const homes = unique(members.map(({ label, row }) => (label === 'CodeFinding' ? textOr(row.repository) : '')));
  const isElsewhere =
    members.every(({ label }) => label === 'CodeFinding') &&
    homes.every(home => home.toLowerCase() !== target.repository.toLowerCase());
  const [home = ''] = homes;
  if (home !== '' && isElsewhere) return { targetRepo: home, targetBranch: '' };
  return { targetRepo: target.repository, targetBranch: target.branch };
}

function toDescription({ members, tier, liveCount }: FindingGroup): string {
  const [first] = members;
  if (first === undefined) return '';
  const name = strip(textOr(first.row.name)) || first.id;
  const source = textOr(first.row.source) || first.label;
  const place = first.label === 'CodeFinding' ? textOr(first.row.path) : first.host;
  const found = `${cut(name, 200)}, found by ${cut(source, 40)}${place === '' ? '' : ` in ${cut(place, 120)}`}.`;
  const why = `${TIER_NAMES[tier]}: ${first.final.tierRule}.`;
  const several = members.length > 1 ? ` The same fix resolves ${members.length} findings` : '';
  const open = several !== '' && liveCount < members.length ? `, ${liveCount} of them open` : '';
  return cut(`${found} ${why}${several}${open}${several === '' ? '' : '.'}`, MAX_DESCRIPTION);
}

type Kind = Pick<TriageRemediation, 'remediationType' | 'category' | 'fixComplexity'>;

function toKind(key: string): Kind {
  const [prefix, rest] = splitKey(key);
  switch (prefix) {
    case 'pkg':
    case 'malpkg':
      return { remediationType: 'dependency_upgrade', category: 'dependency', fixComplexity: 'low' };
    case 'check':
      return { remediationType: 'config_change', category: 'hardening', fixComplexity: 'low' };
    case 'secret':
    case 'ghfile':
      return { remediationType: 'manual_review', category: 'secret', fixComplexity: 'medium' };
    default:
      // A secret in the code must be revoked by a person; taking its line out mends nothing.
      return rest.startsWith('gitleaks:') && prefix === 'code'
        ? { remediationType: 'manual_review', category: 'secret', fixComplexity: 'medium' }
        : { remediationType: 'code_fix', category: 'vulnerability', fixComplexity: 'medium' };
  }
}

function worstSeverity(members: readonly RankedFinding[]): Severity {
  const words = new Set(
    members.map(({ row }) => normaliseSeverity(row.severity)).map(word => ALIASES[word ?? ''] ?? word),
  );
  return SEVERITIES.find(severity => words.has(severity)) ?? 'medium';
}

const ALIASES: Readonly<Record<string, Severity>> = { moderate: 'medium', informational: 'info', none: 'info' };

/** Whether the member's review is of the evidence as it is. */
const isValid = ({ review, evidenceHash }: RankedFinding): boolean =>
  review !== null && evidenceHash !== '' && review.evidenceHash === evidenceHash;

function splitKey(key: string): [prefix: string, rest: string] {
  const at = key.indexOf(':');
  return at < 0 ? [key, ''] : [key.slice(0, at), key.slice(at + 1)];
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts.filter(text => text !== ''))];

const cut = (text: string, most: number): string => {
  const short = takeCodePoints(text, most);
  return short.length === text.length ? text : `${takeCodePoints(text, most - 1)}…`;
};
