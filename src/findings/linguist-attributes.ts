import { toPathMatcher } from '../policy/globs.ts';

/**
 * A test for the files that the root's `.gitattributes` calls generated or vendored (`linguist-generated`,
 * `linguist-vendored`). Of several lines that match, the last one holds, as in git. Patterns in quotes, with brackets or
 * backslashes are passed over.
 */
export function toGeneratedMatcher(gitattributes: string): (path: string) => boolean {
  const rules = gitattributes.split(/\r?\n/).slice(0, MAX_LINES).flatMap(toRules).reverse();
  return path =>
    ATTRIBUTES.some(name => rules.find(rule => rule.attribute === name && rule.matches(path))?.isSet === true);
}

interface AttributeRule {
  readonly attribute: string;
  readonly isSet: boolean;
  readonly matches: (path: string) => boolean;
}

const ATTRIBUTES = ['linguist-generated', 'linguist-vendored'] as const;
const MAX_LINES = 5_000;
const MAX_PATTERN_CHARS = 300;

function toRules(line: string): AttributeRule[] {
  const [pattern = '', ...settings] = line.trim().split(/[ \t]+/);
  if (pattern === '' || /^[#!"]|[[\]\\]|\/$/.test(pattern) || pattern.length > MAX_PATTERN_CHARS) return [];
  const rules: AttributeRule[] = [];
  for (const setting of settings) {
    const found = /^([-!]?)(linguist-generated|linguist-vendored)(?:=(\w+))?$/.exec(setting);
    if (found?.[2] === undefined) continue;
    const isSet = found[1] === '' && (found[3] === undefined || found[3] === 'true');
    rules.push({ attribute: found[2], isSet, matches: toPathMatcher([toGlob(pattern)]) });
  }
  return rules;
}

/** Git matches a pattern without a slash against names at any depth, and all others from the root. */
const toGlob = (pattern: string): string => (pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`);
