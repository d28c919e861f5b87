import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { toMessage } from '../core/errors.ts';
import type { Need } from './needed-text.ts';
import { type PackRule, toPackRule } from './rule-format.ts';
import { isShared, toUtilities, type Utilities, withUtilities } from './shared-utilities.ts';

export interface RuleSource {
  /** Named in warnings. */
  readonly name: string;
  readonly text: string;
  /** What the text's YAML documents say, where it was read at build time (compiled-rules.ts). */
  readonly documents?: readonly unknown[];
  /** Of the action's own pack. */
  readonly isShipped?: boolean;
  /** Regular expression of the file → what a text needs for a match (needed-text.ts), where it was read at build time. */
  readonly needs?: Readonly<Record<string, Need>>;
}

export interface RulePack {
  /** Sorted by id. */
  readonly rules: readonly PackRule[];
  /** Rules set aside, each with the reason: those that are wrong, and those that the engine turned out to refuse. */
  readonly quarantined: ReadonlyMap<string, string>;
  /** What is known of regular expressions of the pack. */
  readonly needs: ReadonlyMap<string, Need>;
  /** The pack without a rule that the engine refuses. */
  without(id: string, reason: string): RulePack;
}

/** Reads every rule file of the action's own pack, below a folder, files in `tests/` folders apart. Sorted, so that the result is the same everywhere. */
export async function readRuleFiles(folder: string): Promise<RuleSource[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter(entry => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !relative(folder, path).split(/[\\/]/).includes('tests'))
    .sort();
  return Promise.all(
    paths.map(async path => ({ name: relative(folder, path), text: await readFile(path, 'utf8'), isShipped: true })),
  );
}

/**
 * Checks each rule alone; what is wrong is set aside with the reason and the rest stays. A later rule of an id that is
 * taken is wrong. Utilities of `shared` documents are open to the rules of every source.
 */
export function toRulePack(sources: readonly RuleSource[], disabled: readonly string[] = []): RulePack {
  const rules = new Map<string, PackRule>();
  const quarantined = new Map<string, string>();
  const documents = sources.flatMap(source => readDocuments(source, quarantined));
  const shared = readUtilities(documents, quarantined);
  for (const { place, value, isShipped } of documents) {
    if (value === null || isShared(value)) continue;
    try {
      const rule = { ...toPackRule(withUtilities(value, shared), place), isShipped };
      if (rules.has(rule.id)) throw new Error(`the id ${rule.id} is taken by ${rules.get(rule.id)?.place}`);
      rules.set(rule.id, rule);
    } catch (error) {
      quarantined.set(place, toMessage(error));
    }
  }
  for (const id of disabled) rules.delete(id);
  return createPack(
    [...rules.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    quarantined,
    new Map(sources.flatMap(source => Object.entries(source.needs ?? {}))),
  );
}

function createPack(
  rules: readonly PackRule[],
  quarantined: ReadonlyMap<string, string>,
  needs: RulePack['needs'],
): RulePack {
  return {
    rules,
    quarantined,
    needs,
    without: (id, reason) => {
      const place = rules.find(rule => rule.id === id)?.place ?? id;
      return createPack(
        rules.filter(rule => rule.id !== id),
        new Map([...quarantined, [`${id} (${place})`, reason]]),
        needs,
      );
    },
  };
}

interface RuleDocument {
  readonly place: string;
  readonly value: unknown;
  readonly isShipped: boolean;
}

function readDocuments(source: RuleSource, quarantined: Map<string, string>): RuleDocument[] {
  const toPlace = (index: number): string => (index === 0 ? source.name : `${source.name} (rule ${index + 1})`);
  const isShipped = source.isShipped === true;
  if (source.documents !== undefined) {
    return source.documents.map((value, index) => ({ place: toPlace(index), value, isShipped }));
  }
  return parseAllDocuments(source.text).flatMap((document, index) => {
    const place = toPlace(index);
    try {
      if (document.errors[0] !== undefined) throw new Error(document.errors[0].message);
      return [{ place, value: document.toJS({ maxAliasCount: 20 }) as unknown, isShipped }];
    } catch (error) {
      quarantined.set(place, toMessage(error));
      return [];
    }
  });
}

function readUtilities(documents: readonly RuleDocument[], quarantined: Map<string, string>): Utilities {
  const shared = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { place, value } of documents.filter(document => isShared(document.value))) {
    try {
      for (const [name, utility] of toUtilities(value)) if (!shared.has(name)) shared.set(name, utility);
    } catch (error) {
      quarantined.set(place, toMessage(error));
    }
  }
  return shared;
}
