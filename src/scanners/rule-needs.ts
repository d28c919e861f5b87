import { type Need, neededAll, neededAny, neededByRegex } from './needed-text.ts';

type Rule = Readonly<Record<string, unknown>>;
type Utilities = Readonly<Record<string, unknown>>;

/** Names that were looked up, and the utilities found under them. */
type Asked = Map<string, unknown>;
interface Known {
  readonly need: Need;
  readonly asked: Asked;
}

/** Reads what a file must contain for a rule, as the engine takes it, to match in it; remembers utilities that rules share. */
export type NeedReader = (document: { readonly rule?: unknown; readonly utils?: Utilities | undefined }) => Need;

/**
 * A rule matches a node where each of its parts matches that node or another one of the same file, so that the file
 * contains what each of them needs. What `not`, `constraints` and positions say only takes matches away.
 */
export function createNeedReader(): NeedReader {
  const utilities = new WeakMap<object, Known>();
  const regexes = new Map<string, Need>();

  const ofRegex = (source: string): Need => {
    const before = regexes.get(source);
    if (before !== undefined) return before;
    const need = neededByRegex(source);
    regexes.set(source, need);
    return need;
  };

  const ofUtility = (name: string, utils: Utilities, asked: Asked, open: ReadonlySet<string>): Need => {
    const utility = Object.hasOwn(utils, name) ? utils[name] : undefined;
    asked.set(name, utility);
    if (typeof utility !== 'object' || utility === null || open.has(name)) return null;
    const before = utilities.get(utility);
    // The same utility may name others that another rule defines in its own way.
    if (before !== undefined && [...before.asked].every(([other, found]) => utils[other] === found)) {
      for (const [other, found] of before.asked) asked.set(other, found);
      return before.need;
    }
    const own: Asked = new Map();
    const need = ofRule(utility as Rule, utils, own, new Set([...open, name]));
    // Inside a circle of names the need is that of a round cut short.
    if (open.size === 0 || ![...own.keys()].some(other => open.has(other)))
      utilities.set(utility, { need, asked: own });
    for (const [other, found] of own) asked.set(other, found);
    return need;
  };

  const ofRule = (rule: Rule, utils: Utilities, asked: Asked, open: ReadonlySet<string>): Need => {
    const inner = (value: unknown): Need =>
      typeof value === 'object' && value !== null ? ofRule(value as Rule, utils, asked, open) : null;
    const needs = Object.entries(rule).map(([key, value]): Need => {
      if (key === 'regex') return typeof value === 'string' ? ofRegex(value) : null;
      if (key === 'pattern') return typeof value === 'string' ? neededByPattern(value) : null;
      if (key === 'matches') return typeof value === 'string' ? ofUtility(value, utils, asked, open) : null;
      if (key === 'all') return Array.isArray(value) ? neededAll(value.map(inner)) : null;
      if (key === 'any') return Array.isArray(value) ? neededAny(value.map(inner)) : null;
      return RELATIONS.has(key) ? inner(value) : null;
    });
    return neededAll(needs);
  };

  return ({ rule, utils = {} }) =>
    typeof rule === 'object' && rule !== null ? ofRule(rule as Rule, utils, new Map(), new Set()) : null;
}

const RELATIONS: ReadonlySet<string> = new Set(['has', 'inside', 'precedes', 'follows']);

/** The names in a plain pattern stand in the code as they are; anything that could be a comment or an escape may not. */
function neededByPattern(pattern: string): Need {
  if (!/^[\w$.,'"()[\] =*]+$/.test(pattern)) return null;
  const words = pattern.replace(/\$+\w*/g, ' ').match(/[A-Za-z_]\w{3,}/g) ?? [];
  return neededAll(words.map(word => ({ words: [word.toLowerCase()] })));
}
