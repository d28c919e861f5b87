import { codeClassOf } from './code-factors.ts';
import {
  CHECK_CLASSES,
  DEPENDENCY,
  EXPLOITABLE_CLASSES,
  type FindingClass,
  GENERIC_SECRET,
  HARDENING,
  JS_CLASSES,
  MISCONFIGURATION,
  MISCONFIGURATION_TAGS,
  SECRET_CLASSES,
  UNCLASSIFIED,
} from './data/class-table.ts';
import { isPresent, lower, toList } from './python-values.ts';
import type { FindingRow } from './row.ts';

export const SECRET_LABELS: ReadonlySet<unknown> = new Set([
  'Secret',
  'GithubSecret',
  'GithubSensitiveFile',
  'MultiscannerFinding',
]);
const SECRET_SOURCES: ReadonlySet<string> = new Set([
  'github_hunt',
  'github',
  'git',
  'trufflehog',
  'filesystem',
  'github_experimental',
]);
const DEPENDENCY_SOURCES: ReadonlySet<string> = new Set(['osv', 'retirejs', 'guarddog']);

/** The class of a row; `source` is its source in lower case. */
export function classOf(row: FindingRow, source: string): FindingClass {
  const { label } = row;
  if (label === 'CodeFinding') return codeClassOf(row);
  if (source === 'security_check') return checkClassOf(row);
  if (SECRET_LABELS.has(label) || SECRET_SOURCES.has(source)) return secretClassOf(row);
  if (label === 'JsReconFinding' || source === 'js_recon' || source === 'jsluice') {
    return JS_CLASSES.get(lower(row.finding_type)) ?? secretClassOf(row);
  }
  if (DEPENDENCY_SOURCES.has(source) || label === 'MalPackageFinding') return DEPENDENCY;
  const rank = Math.min(exploitableRank(lower(row.category)), exploitableRank(lower(row.type)));
  if (rank < EXPLOITABLE_CLASSES.length) return EXPLOITABLE_CLASSES[rank] ?? UNCLASSIFIED;
  return hasTag(row, MISCONFIGURATION_TAGS) ? MISCONFIGURATION : UNCLASSIFIED;
}

/** True when any of the row's tags, in lower case, is in the set. */
export function hasTag(row: FindingRow, tags: ReadonlySet<string>): boolean {
  const { tags: list } = row;
  if (list === undefined || list === null) return false;
  for (const tag of toList(list)) if (tags.has(lower(tag))) return true;
  return false;
}

/** True when a text names an exploitable class: in the class itself, or in what the row's source wrote about it. */
export function isExploitable(row: FindingRow, found: FindingClass): boolean {
  if (isExploitableText(found.name) || isExploitableText(lower(row.category)) || isExploitableText(lower(row.type)))
    return true;
  if (isExploitableText(lower(row.takeover_method)) || isExploitableText(lower(row.cache_impact))) return true;
  for (const tag of toList(row.tags)) if (isExploitableText(lower(tag))) return true;
  return isExploitableText(lower(row.template_id));
}

function checkClassOf(row: FindingRow): FindingClass {
  const type = lower(isPresent(row.type) ? row.type : row.name);
  return CHECK_CLASSES.get(type) ?? (type.startsWith('missing') ? HARDENING : MISCONFIGURATION);
}

function secretClassOf(row: FindingRow): FindingClass {
  const text = `${lower(row.detector_name)} ${lower(row.secret_type)}`;
  const remembered = secretClasses.get(text);
  if (remembered !== undefined) return remembered;
  const found = SECRET_CLASSES.find(({ words }) => words.some(word => text.includes(word)))?.class ?? GENERIC_SECRET;
  return remember(secretClasses, text, found);
}

const isExploitableText = (text: string): boolean => exploitableRank(text) < EXPLOITABLE_CLASSES.length;

/** A name stands alone: `rce` is in `apache rce`, not in `source_map` or `brute_force`. */
const EXPLOITABLE_PATTERNS = EXPLOITABLE_CLASSES.map(({ name }) => new RegExp(`(?<![a-z0-9])${name}(?![a-z0-9])`));

/** Place of the first name that occurs in the text; the number of names when none does. */
function exploitableRank(text: string): number {
  if (text.length < 3) return EXPLOITABLE_PATTERNS.length;
  const remembered = ranks.get(text);
  if (remembered !== undefined) return remembered;
  const rank = EXPLOITABLE_PATTERNS.findIndex(pattern => pattern.test(text));
  return remember(ranks, text, rank < 0 ? EXPLOITABLE_PATTERNS.length : rank);
}

const MAX_REMEMBERED = 4_096;
const ranks = new Map<string, number>();
const secretClasses = new Map<string, FindingClass>();

/** Categories, types and detectors are few and repeat; a full memory starts anew, and long texts are not kept. */
function remember<Value>(memory: Map<string, Value>, text: string, value: Value): Value {
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  if (text.length <= 100) memory.set(text, value);
  return value;
}
