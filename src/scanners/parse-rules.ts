import { parseAllDocuments } from 'yaml';
import { toMessage } from '../core/errors.ts';
import { toPackRule } from './rule-format.ts';
import { createNeedReader } from './rule-needs.ts';
import { createPack, type PackRule, type RulePack, type Utilities } from './rule-pack.ts';
import { isShared, toUtilities, withUtilities } from './shared-utilities.ts';

export interface RuleSource {
  /** Named in warnings. */
  readonly name: string;
  readonly text: string;
  /** Of the action's own pack, so that tests show what its rules need and that the engine takes them. */
  readonly isShipped?: boolean;
}

const NO_RULES = createPack([], new Map(), new Map());

/**
 * The rules of a pack and of these sources. Checks each rule alone; what is wrong is set aside with the reason and the rest
 * stays. A later rule of an id that is taken is wrong. Utilities of `shared` documents are open to the rules of every source.
 */
export function toRulePack(sources: readonly RuleSource[], base: RulePack = NO_RULES): RulePack {
  const rules = new Map(base.rules.map(rule => [rule.id, rule]));
  const quarantined = new Map(base.quarantined);
  const documents = sources.flatMap(source => readDocuments(source, quarantined));
  const utilities = readUtilities(documents, base.utilities, quarantined);
  const readNeed = createNeedReader();
  for (const { place, value, isShipped } of documents) {
    if (value === null || isShared(value)) continue;
    try {
      const rule = toPackRule(withUtilities(value, utilities), place);
      if (rules.has(rule.id)) throw new Error(`the id ${rule.id} is taken by ${rules.get(rule.id)?.place}`);
      const [document] = rule.engine;
      const need = isShipped && document !== undefined ? { need: readNeed(document) } : {};
      rules.set(rule.id, { ...rule, ...need });
    } catch (error) {
      quarantined.set(place, toMessage(error));
    }
  }
  const sorted: PackRule[] = [...rules.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return createPack(sorted, quarantined, utilities);
}

interface RuleDocument {
  readonly place: string;
  readonly value: unknown;
  readonly isShipped: boolean;
}

function readDocuments(source: RuleSource, quarantined: Map<string, string>): RuleDocument[] {
  const toPlace = (index: number): string => (index === 0 ? source.name : `${source.name} (rule ${index + 1})`);
  const isShipped = source.isShipped === true;
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

function readUtilities(
  documents: readonly RuleDocument[],
  known: Utilities,
  quarantined: Map<string, string>,
): Utilities {
  const shared = new Map(known);
  for (const { place, value } of documents.filter(document => isShared(document.value))) {
    try {
      for (const [name, utility] of toUtilities(value)) if (!shared.has(name)) shared.set(name, utility);
    } catch (error) {
      quarantined.set(place, toMessage(error));
    }
  }
  return shared;
}
