import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { type Need, neededByRegex } from './needed-text.ts';
import type { RuleSource } from './rule-pack.ts';

/** File below rules/ → digest of its text, what its YAML documents say, and what its regular expressions need. */
export type CompiledRules = Readonly<
  Record<
    string,
    {
      readonly sha256: string;
      readonly documents: readonly unknown[];
      readonly needs: Readonly<Record<string, Need>>;
    }
  >
>;

/**
 * Reads YAML ahead of time, for the build: parsing the pack costs a fifth of a second in every review. A file with an
 * error is left out, so that the error shows where the pack is used.
 */
export function compileRules(sources: readonly RuleSource[]): CompiledRules {
  const compiled: Record<string, CompiledRules[string]> = {};
  for (const { name, text } of sources) {
    const documents = parseAllDocuments(text);
    if (documents.some(document => document.errors.length > 0)) continue;
    const values = documents.map(document => document.toJS({ maxAliasCount: 20 }) as unknown);
    compiled[name] = {
      sha256: toDigest(text),
      documents: values,
      needs: Object.fromEntries([...listRegexes(values)].map(source => [source, neededByRegex(source)])),
    };
  }
  return compiled;
}

/** The sources with their documents, where the file's text is still the one that was compiled. */
export async function withCompiledRules(sources: readonly RuleSource[], path: string): Promise<RuleSource[]> {
  const compiled = await readCompiled(path);
  return sources.map(source => {
    const known = Object.hasOwn(compiled, source.name) ? compiled[source.name] : undefined;
    return known?.sha256 === toDigest(source.text)
      ? { ...source, documents: known.documents, needs: known.needs }
      : source;
  });
}

/** In a checkout without a build there is no such file; the YAML is read then. */
async function readCompiled(path: string): Promise<CompiledRules> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as CompiledRules;
  } catch {
    return {};
  }
}

function listRegexes(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, child] of Object.entries(value)) {
    if (key === 'regex' && typeof child === 'string') found.add(child);
    else listRegexes(child, found);
  }
  return found;
}

const toDigest = (text: string): string => createHash('sha256').update(text).digest('hex');
