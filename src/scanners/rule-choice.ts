import type { Language } from './languages.ts';
import type { Need } from './needed-text.ts';
import type { PackRule, RulePack } from './rule-pack.ts';
import { createTextIndex } from './text-index.ts';

/** The rules that can find something in the texts shown. */
export interface RuleChoice {
  see(language: Language, text: Buffer): void;
  /** Each with those of its languages alone in which it can. */
  chosen(): PackRule[];
}

/** One rule in one language; `at` is the language's place among the rule's. */
interface Candidate {
  readonly rule: PackRule;
  readonly at: number;
  readonly need: Need;
}

/** A page's scripts are read with the rules of their own language too. */
const EMBEDDED: Readonly<Partial<Record<Language, readonly Language[]>>> = {
  html: ['javascript', 'typescript', 'tsx'],
};

/**
 * Loading a rule costs the engine a millisecond and every file more, and most changes hold no word of most rules. A rule
 * without a known need always stays.
 */
export function createRuleChoice(pack: RulePack, languages: readonly Language[]): RuleChoice {
  const index = createTextIndex();
  const open = new Map<Language, Candidate[]>(languages.map(language => [language, []]));
  const chosen = new Map<PackRule, Set<number>>();
  const choose = ({ rule, at }: Candidate): void => {
    chosen.set(rule, (chosen.get(rule) ?? new Set()).add(at));
  };
  for (const rule of pack.rules) {
    const { need = null } = rule;
    for (const at of rule.engine.keys()) {
      const candidates = open.get(rule.languages[at] as Language);
      if (candidates === undefined) continue;
      if (need === null) choose({ rule, at, need });
      else candidates.push({ rule, at, need });
    }
  }

  return {
    see: (language, text) => {
      const readers = [language, ...(EMBEDDED[language] ?? [])].filter(reader => (open.get(reader)?.length ?? 0) > 0);
      if (readers.length === 0 || text.length === 0) return;
      index.read(text);
      for (const reader of readers) {
        const left: Candidate[] = [];
        for (const candidate of open.get(reader) ?? []) {
          if (index.mayMeet(candidate.need)) choose(candidate);
          else left.push(candidate);
        }
        open.set(reader, left);
      }
    },
    chosen: () =>
      pack.rules.flatMap(rule => {
        const places = chosen.get(rule);
        if (places === undefined) return [];
        const pick = <T>(list: readonly T[]): T[] => list.filter((_, at) => places.has(at));
        return [{ ...rule, languages: pick(rule.languages), engine: pick(rule.engine) }];
      }),
  };
}
