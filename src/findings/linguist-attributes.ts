import { toPathMatcher } from '../core/globs.ts';

export interface LinguistAttributes {
  /** True for files that are called generated or vendored (`linguist-generated`, `linguist-vendored`). */
  isGenerated(path: string): boolean;
  readonly notices: readonly string[];
}

/**
 * What the root's `.gitattributes` says. Of several lines that match, the last one holds, as in git. Patterns in quotes,
 * with brackets or backslashes, long ones and lines beyond the last 500 have no effect, and a notice says how many those are.
 */
export function readLinguistAttributes(gitattributes: string): LinguistAttributes {
  const lines = gitattributes.split(/\r?\n/).flatMap(parseLine);
  const usable = lines.filter(({ pattern }) => isUsable(pattern)).slice(-MAX_LINES);
  const rules = usable.map(toRule).reverse();
  return { isGenerated: path => isGenerated(rules, path), notices: toNotices(lines.length - usable.length) };
}

type Attribute = (typeof ATTRIBUTES)[number];

interface AttributeLine {
  readonly pattern: string;
  readonly settings: ReadonlyMap<Attribute, boolean>;
}

interface AttributeRule {
  readonly settings: AttributeLine['settings'];
  readonly matches: (path: string) => boolean;
}

const ATTRIBUTES = ['linguist-generated', 'linguist-vendored'] as const;
/** Each line is tried on each file that has findings. */
const MAX_LINES = 500;
const MAX_PATTERN_CHARS = 200;
const MAX_WILDCARDS = 8;

function parseLine(line: string): AttributeLine[] {
  const [pattern = '', ...texts] = line.trim().split(/[ \t]+/);
  // As in git: a comment, a negation, and a folder, which no file is.
  if (/^$|^[#!]|\/$/.test(pattern)) return [];
  const settings = new Map(texts.flatMap(toSetting));
  return settings.size === 0 ? [] : [{ pattern, settings }];
}

function toSetting(text: string): [Attribute, boolean][] {
  const found = /^([-!]?)(linguist-generated|linguist-vendored)(?:=(\w+))?$/.exec(text);
  if (found === null) return [];
  return [[found[2] as Attribute, found[1] === '' && (found[3] === undefined || found[3] === 'true')]];
}

const isUsable = (pattern: string): boolean =>
  pattern.length <= MAX_PATTERN_CHARS &&
  !/^"|[[\]\\]/.test(pattern) &&
  (pattern.match(/\*+|\?/g) ?? []).length <= MAX_WILDCARDS;

const toRule = ({ pattern, settings }: AttributeLine): AttributeRule => ({
  settings,
  matches: toPathMatcher([toGlob(pattern)]),
});

/** Git matches a pattern without a slash against names at any depth, and all others from the root. */
function toGlob(pattern: string): string {
  // Several stars cross folders only where they are a whole name.
  const plain = pattern.split('/').map(name => (/^\*+$/.test(name) ? name : name.replace(/\*+/g, '*')));
  return plain.length === 1 ? `**/${plain[0]}` : plain.join('/').replace(/^\//, '');
}

const isGenerated = (rules: readonly AttributeRule[], path: string): boolean =>
  ATTRIBUTES.some(name => rules.find(rule => rule.settings.has(name) && rule.matches(path))?.settings.get(name));

function toNotices(left: number): string[] {
  if (left === 0) return [];
  const subject = left === 1 ? 'One line' : `${left} lines`;
  return [
    `${subject} of .gitattributes about generated or vendored files ${left === 1 ? 'has' : 'have'} no effect: only the ` +
      `last ${MAX_LINES} count, and patterns without quotes, brackets or backslashes, of at most ${MAX_PATTERN_CHARS} ` +
      `characters and ${MAX_WILDCARDS} wildcards.`,
  ];
}
