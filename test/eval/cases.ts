import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CypherFixError, toMessage } from '../../src/core/errors.ts';
import { REVIEWERS } from '../../src/review/outcome.ts';

export const VARIANTS = ['faulty', 'clean'] as const;
export type Variant = (typeof VARIANTS)[number];

/** A planted fault; `line` is where its quote stands in the faulty file. */
export interface Fault {
  readonly role: (typeof REVIEWERS)[number];
  readonly path: string;
  readonly quote: string;
  readonly why: string;
  readonly line: number;
}

/** A change with known faults, and the same change made well. */
export interface Case {
  readonly name: string;
  readonly title: string;
  readonly body: string | null;
  readonly base: ReadonlyMap<string, string>;
  /** What each variant adds to the base or changes in it. */
  readonly files: Readonly<Record<Variant, ReadonlyMap<string, string>>>;
  readonly faults: readonly Fault[];
}

const line = z.string().min(1);
const CaseFile = z.strictObject({
  title: line,
  body: z.string().nullable(),
  faults: z.array(z.strictObject({ role: z.enum(REVIEWERS), path: line, quote: line, why: line })).min(1),
});

/** Every case of the folder, sorted by name; those of `only` where it names any. Throws CypherFixError('usage') with the place. */
export function readCases(folder: string, only: readonly string[] = []): Case[] {
  const names = listFolders(folder);
  for (const name of only) if (!names.includes(name)) throw refuse(`${folder} has no case '${name}'`);
  const wanted = only.length === 0 ? names : names.filter(name => only.includes(name));
  if (wanted.length === 0) throw refuse(`${folder} has no cases`);
  return wanted.map(name => readCase(join(folder, name), name));
}

function readCase(folder: string, name: string): Case {
  const { title, body, faults } = readCaseFile(join(folder, 'case.json'));
  const files = { faulty: readFiles(join(folder, 'faulty')), clean: readFiles(join(folder, 'clean')) };
  return {
    name,
    title,
    body,
    base: readFiles(join(folder, 'base')),
    files,
    faults: faults.map(fault => ({ ...fault, line: findLine(files.faulty.get(fault.path), fault, folder) })),
  };
}

function findLine(text: string | undefined, { path, quote }: { path: string; quote: string }, folder: string): number {
  const at = text?.indexOf(quote) ?? -1;
  if (text === undefined || at < 0) throw refuse(`${folder}: faulty/${path} does not hold ${JSON.stringify(quote)}`);
  if (text.indexOf(quote, at + 1) >= 0)
    throw refuse(`${folder}: ${JSON.stringify(quote)} stands twice in faulty/${path}`);
  return text.slice(0, at).split('\n').length;
}

function readCaseFile(path: string): z.infer<typeof CaseFile> {
  try {
    return CaseFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw refuse(`${path}: ${toMessage(error)}`);
  }
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(name => statSync(join(folder, name)).isDirectory())
      .sort();
  } catch (error) {
    throw refuse(`${folder} cannot be read: ${toMessage(error)}`);
  }
}

function readFiles(folder: string): Map<string, string> {
  try {
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(path => statSync(join(folder, path)).isFile())
      .sort();
    return new Map(paths.map(path => [path, readFileSync(join(folder, path), 'utf8')]));
  } catch (error) {
    throw refuse(`${folder} cannot be read: ${toMessage(error)}`);
  }
}

const refuse = (message: string) => new CypherFixError('usage', `eval: ${message}`);
