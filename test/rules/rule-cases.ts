import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { EXTENSION_OF, type Language } from '../../src/scanners/languages.ts';
import type { PackRule } from '../../src/scanners/rule-pack.ts';

export const RULES_FOLDER = new URL('../../rules', import.meta.url).pathname;

export const RuleTests = z.strictObject({
  id: z.string(),
  /** A real path for the snippets, where the rule looks at paths. */
  path: z.string().optional(),
  valid: z.array(z.string().min(1)).min(2),
  invalid: z.array(z.string().min(1)).min(2),
});
export type RuleTests = z.infer<typeof RuleTests>;

export interface RuleCase {
  readonly ruleId: string;
  readonly path: string;
  readonly code: string;
  /** Lines on which the rule must hit, 1-based; none for a valid snippet. */
  readonly lines: readonly number[];
}

/** Ends a line on which the rule must hit; taken off before the scan. A snippet of one line needs none. */
const MARK = /\s*(?:#|\/\/) hit$/;

/** Every file below a `tests` folder of the pack, by name. */
export function listTestFiles(): string[] {
  return readdirSync(RULES_FOLDER, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && basename(entry.parentPath) === 'tests')
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
}

export const readTests = (path: string): RuleTests => RuleTests.parse(parse(readFileSync(path, 'utf8')));

/** The snippets of a rule, once for each language that it has; `next` numbers them, since each is a file of its own. */
export function toCases(rule: PackRule, tests: RuleTests, next: () => number): RuleCase[] {
  return rule.languages.flatMap(language => [
    ...tests.valid.map(text => toCase(rule.id, language, tests.path, text, false, next())),
    ...tests.invalid.map(text => toCase(rule.id, language, tests.path, text, true, next())),
  ]);
}

function toCase(
  ruleId: string,
  language: Language,
  path: string | undefined,
  text: string,
  isInvalid: boolean,
  index: number,
): RuleCase {
  const lines = text.replace(/\n$/, '').split('\n');
  const marked = lines.flatMap((line, at) => (MARK.test(line) ? [at + 1] : []));
  const code = `${lines.map(line => line.replace(MARK, '')).join('\n')}\n`;
  const expected = isInvalid && marked.length === 0 && lines.length === 1 ? [1] : marked;
  if (isInvalid !== expected.length > 0)
    throw new Error(`${ruleId}: lines with a hit are marked, others not:\n${text}`);
  return { ruleId, path: toPath(path, language, index), code, lines: expected };
}

function toPath(path: string | undefined, language: Language, index: number): string {
  if (path === undefined) return `case-${index}/snippet.${EXTENSION_OF[language]}`;
  // Workflows have no folders below their own.
  return path.startsWith('.github/')
    ? path.replace(/\.\w+$/, extension => `-${index}${extension}`)
    : `case-${index}/${path}`;
}
