import type { Language } from './languages.ts';
import { LANGUAGE_MARK, type PackRule } from './rule-pack.ts';

/** What the engine loads: one file with all rules, and one for each utility that rules share. */
export interface EngineRules {
  readonly rules: string;
  /** The engine takes one utility a file. */
  readonly utilities: readonly string[];
}

interface Document {
  readonly language: string;
  readonly utils?: Readonly<Record<string, unknown>>;
}

/**
 * The rules as the engine takes them, for these languages only. Reading a rule costs it time at every start, and most of
 * a rule are its utilities: those that several rules hold alike are written once, under a name of their own for each
 * language. Written as JSON, which is YAML too and a hundred times faster to write.
 */
export function renderForEngine(rules: readonly PackRule[], languages?: readonly Language[]): EngineRules {
  const utilities = new Map<string, string>();
  const rename = createRenamer();
  const documents = rules
    .flatMap(rule => documentsOf(rule, languages))
    .map(document => shareUtilities(document, utilities, rename));
  return { rules: toText(documents), utilities: [...utilities.values()] };
}

/** One rule that stands on its own, its utilities inside. */
export const renderAlone = (rule: PackRule): string => toText(rule.engine);

const toText = (documents: readonly object[]): string =>
  documents.map(document => `${JSON.stringify(document)}\n`).join('---\n');

function documentsOf(rule: PackRule, languages: readonly Language[] | undefined): Document[] {
  return rule.engine.filter((_, index) => {
    const language = rule.languages[index];
    return language !== undefined && (languages === undefined || languages.includes(language));
  }) as Document[];
}

/** The document without its utilities, once they are among the shared ones; as it is when one differs from its namesake there. */
function shareUtilities(document: Document, shared: Map<string, string>, toText: Renamer): object {
  const { utils, ...rest } = document;
  if (utils === undefined) return document;
  const names = new Map(Object.keys(utils).map(name => [name, `${name}${LANGUAGE_MARK}${document.language}`]));
  const own = new Map(
    Object.entries(utils).map(([name, rule]) => {
      const id = names.get(name) ?? name;
      return [id, toText(id, document.language, rule, names)];
    }),
  );
  for (const [id, text] of own) if ((shared.get(id) ?? text) !== text) return document;
  for (const [id, text] of own) shared.set(id, text);
  return rename(rest, names) as object;
}

/** The text of a utility with every `matches` of these names changed. */
type Renamer = (id: string, language: string, utility: unknown, names: ReadonlyMap<string, string>) => string;

/** Most documents of a language hold the very same objects, whose text is then written once. */
function createRenamer(): Renamer {
  const known = new WeakMap<object, Map<string, { readonly text: string; readonly asked: Asked }>>();
  return (id, language, utility, names) => {
    const toText = (asked: Asked): string => JSON.stringify({ id, language, rule: rename(utility, names, asked) });
    if (typeof utility !== 'object' || utility === null) return toText(new Map());
    const texts = known.get(utility) ?? new Map<string, { text: string; asked: Asked }>();
    known.set(utility, texts);
    const before = texts.get(id);
    // A name that one document defines may be open in another.
    if (before !== undefined && [...before.asked].every(([name, renamed]) => names.get(name) === renamed)) {
      return before.text;
    }
    const asked: Asked = new Map();
    const text = toText(asked);
    texts.set(id, { text, asked });
    return text;
  };
}

/** Names that a rename looked up, and what it found. */
type Asked = Map<string, string | undefined>;

/** The same rule with every `matches` of these names changed; `asked` takes what was looked up. */
function rename(value: unknown, names: ReadonlyMap<string, string>, asked?: Asked): unknown {
  if (Array.isArray(value)) return value.map(item => rename(item, names, asked));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => {
    if (key !== 'matches' || typeof child !== 'string') return [key, rename(child, names, asked)] as const;
    asked?.set(child, names.get(child));
    return [key, names.get(child) ?? child] as const;
  });
  return Object.fromEntries(entries);
}
