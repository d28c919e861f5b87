import type { z } from 'zod';
import { ENGINE_LANGUAGE, type Language } from './languages.ts';
import type { Need } from './needed-text.ts';
import type { DockerfileMatcher, RuleMetadata } from './rule-format.ts';

/** The engine wants an id for each language; an id of ours holds no two hyphens in a row. */
export const LANGUAGE_MARK = '--';

/** A rule of the pack, checked; the engine itself may still refuse the `rule` part. */
export interface PackRule {
  readonly id: string;
  /** File that holds it, for messages. */
  readonly place: string;
  readonly languages: readonly Language[];
  readonly message: string;
  readonly note?: string;
  readonly metadata: z.infer<typeof RuleMetadata>;
  /** What ast-grep gets: one document a language; empty for a Dockerfile rule. */
  readonly engine: readonly EngineDocument[];
  readonly dockerfile?: DockerfileMatcher;
  /**
   * What a file must contain for a match; null where nothing is known. Absent from rules of a repository's own: that the
   * engine refuses one must show in every review.
   */
  readonly need?: Need;
}

export interface EngineDocument {
  readonly id: string;
  /** By the engine's name. */
  readonly language: string;
  readonly severity: 'warning';
  readonly rule?: unknown;
  readonly utils?: Readonly<Record<string, unknown>> | undefined;
}

/** Parts of rules, by name, that other rules may name. */
export type Utilities = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

export interface RulePack {
  /** Sorted by id. */
  readonly rules: readonly PackRule[];
  /** Rules set aside, each with the reason: those that are wrong, and those that the engine turned out to refuse. */
  readonly quarantined: ReadonlyMap<string, string>;
  /** Open to further rules. */
  readonly utilities: Utilities;
  /** The pack without a rule that the engine refuses. */
  without(id: string, reason: string): RulePack;
}

export function createPack(
  rules: readonly PackRule[],
  quarantined: ReadonlyMap<string, string>,
  utilities: Utilities,
): RulePack {
  return {
    rules,
    quarantined,
    utilities,
    without: (id, reason) => {
      const place = rules.find(rule => rule.id === id)?.place ?? id;
      return createPack(
        rules.filter(rule => rule.id !== id),
        new Map([...quarantined, [`${id} (${place})`, reason]]),
        utilities,
      );
    },
  };
}

const ENGINE_NAME = new Map<Language, string>(
  Object.entries(ENGINE_LANGUAGE).map(([name, language]) => [language, name]),
);

/** The rule as the engine takes it, once for each of the languages that it knows. */
export function toEngineDocuments(
  document: {
    readonly id: string;
    readonly rule?: unknown;
    readonly utils?: Readonly<Record<string, unknown>> | undefined;
  },
  languages: readonly Language[],
): EngineDocument[] {
  const names = languages.flatMap(language => ENGINE_NAME.get(language) ?? []);
  return names.map(language => ({
    ...document,
    id: `${document.id}${LANGUAGE_MARK}${language}`,
    language,
    // With `error` the engine exits 1 on a match, as it does when it breaks.
    severity: 'warning',
  }));
}
