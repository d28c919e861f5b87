import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Need } from './needed-text.ts';
import type { RuleSource } from './parse-rules.ts';
import { createPack, LANGUAGE_MARK, type PackRule, type RulePack, toEngineDocuments } from './rule-pack.ts';

/** The action's own pack as the build writes it: reading its YAML costs a fifth of a second in every review. */
export interface CompiledPack {
  /** Of the rule files that it was made of. */
  readonly sha256: string;
  readonly rules: readonly CompiledRule[];
  /** Utilities by name, each written once. */
  readonly utilities: Readonly<Record<string, Utility>>;
  /** What rules need, each once and after its parts: written out, the parts that rules share would fill gigabytes. */
  readonly needs: readonly ListedNeed[];
}

type ListedNeed =
  | { readonly words: readonly string[] }
  /** Places in the list. */
  | { readonly all: readonly number[] }
  | { readonly any: readonly number[] };

interface CompiledRule extends Omit<PackRule, 'engine' | 'need'> {
  /** Place in the list. */
  readonly need?: number | null;
  /** What all engine documents of the rule have in common; absent from a Dockerfile rule. */
  readonly document?: Omit<EngineText, 'utils'> & {
    /** In their order; one without an own text is the pack's. */
    readonly utils?: readonly (readonly [name: string, own?: Utility])[];
  };
}

type Utility = Readonly<Record<string, unknown>>;
type EngineText = Parameters<typeof toEngineDocuments>[0];

/** Reads every rule file of the action's own pack, below a folder, folders `tests` apart. Sorted, so that the result is the same everywhere. */
export function readRuleFiles(folder: string): RuleSource[] {
  // All at once and not in turns: they are small, and a review waits for them.
  const names = listRuleFiles(folder, '').sort();
  return names.map(name => ({ name, text: readFileSync(join(folder, name), 'utf8'), isShipped: true }));
}

function listRuleFiles(folder: string, below: string): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap(entry => {
    const name = join(below, entry.name);
    if (entry.isDirectory()) return entry.name === 'tests' ? [] : listRuleFiles(folder, name);
    return entry.isFile() && /\.ya?ml$/.test(entry.name) ? [name] : [];
  });
}

/**
 * The pack in a folder, from the compiled one where that was made of the very same files. Files with faults are set aside
 * with the reason; throws when the folder cannot be read.
 */
export async function readShippedPack(folder: string, compiledPath: string): Promise<RulePack> {
  const sources = readRuleFiles(folder);
  const compiled = readCompiled(compiledPath);
  if (compiled?.sha256 === toDigest(sources)) return restore(compiled);
  const { toRulePack } = await import('./parse-rules.ts');
  return toRulePack(sources);
}

/** For the build. Throws when a rule is wrong. */
export async function compilePack(sources: readonly RuleSource[]): Promise<CompiledPack> {
  const { toRulePack } = await import('./parse-rules.ts');
  const pack = toRulePack(sources);
  const [wrong] = pack.quarantined;
  if (wrong !== undefined) throw new Error(`${wrong[0]}: ${wrong[1]}`);
  const needs = createNeedList();
  const rules = pack.rules.map(({ engine, need, ...common }): CompiledRule => {
    const rule = { ...common, ...(need === undefined ? {} : { need: needs.add(need) }) };
    const [first] = engine;
    if (first === undefined) return rule;
    const { language: _each, severity: _same, utils, ...document } = first;
    const id = document.id.slice(0, document.id.lastIndexOf(LANGUAGE_MARK));
    if (utils === undefined) return { ...rule, document: { ...document, id } };
    const named = Object.entries(utils).map(([name, utility]) =>
      pack.utilities.get(name) === utility ? ([name] as const) : ([name, utility as Utility] as const),
    );
    return { ...rule, document: { ...document, id, utils: named } };
  });
  return { sha256: toDigest(sources), rules, utilities: Object.fromEntries(pack.utilities), needs: needs.list };
}

function createNeedList() {
  const list: ListedNeed[] = [];
  const places = new Map<string, number>();
  const known = new Map<Need, number>();
  const add = (need: Exclude<Need, null>): number => {
    const before = known.get(need);
    if (before !== undefined) return before;
    const listed = toListed(need);
    const text = JSON.stringify(listed);
    const place = places.get(text) ?? list.push(listed) - 1;
    places.set(text, place);
    known.set(need, place);
    return place;
  };
  const toListed = (need: Exclude<Need, null>): ListedNeed => {
    if ('words' in need) return need;
    // No part of a need is unknown: all of it would be.
    const parts = ('all' in need ? need.all : need.any).flatMap(part => (part === null ? [] : add(part)));
    return 'all' in need ? { all: parts } : { any: parts };
  };
  return { list, add: (need: Need): number | null => (need === null ? null : add(need)) };
}

function restoreNeeds(list: readonly ListedNeed[]): Need[] {
  const needs: Need[] = [];
  const at = (place: number): Need => needs[place] ?? null;
  for (const listed of list) {
    if ('words' in listed) needs.push(listed);
    else needs.push('all' in listed ? { all: listed.all.map(at) } : { any: listed.any.map(at) });
  }
  return needs;
}

/** Documents share the objects of their utilities, as those of a parsed pack do. */
function restore({ rules, utilities, needs: list }: CompiledPack): RulePack {
  const needs = restoreNeeds(list);
  const restored = rules.map(({ document, need, ...common }): PackRule => {
    const rule = {
      ...common,
      ...(need === undefined ? {} : { need: need === null ? null : (needs[need] ?? null) }),
    };
    if (document === undefined) return { ...rule, engine: [] };
    const { languages } = rule;
    const { utils: named, ...rest } = document;
    if (named === undefined) return { ...rule, engine: toEngineDocuments(rest, languages) };
    const utils = Object.fromEntries(named.map(([name, own]) => [name, own ?? utilities[name]]));
    return { ...rule, engine: toEngineDocuments({ ...rest, utils }, languages) };
  });
  return createPack(restored, new Map(), new Map(Object.entries(utilities)));
}

/** In a checkout without a build there is no such file, and the YAML is read. */
function readCompiled(path: string): CompiledPack | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as CompiledPack;
  } catch {
    return undefined;
  }
}

function toDigest(sources: readonly RuleSource[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of sources) hash.update(`${name}\0${text.length}\0${text}`);
  return hash.digest('hex');
}
