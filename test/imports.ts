import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

export interface Import {
  /** Source file, relative to src/, POSIX. */
  readonly from: string;
  /** File relative to src/ for our own modules, else the package or `node:` name. */
  readonly to: string;
  readonly own: boolean;
  readonly dynamic: boolean;
  readonly typeOnly: boolean;
}

export const SOURCE_FOLDER = new URL('../src', import.meta.url).pathname;

/** Every TypeScript file below src/, relative to it. */
export function listSources(): string[] {
  return readdirSync(SOURCE_FOLDER, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .map(path => path.split(sep).join('/'))
    .sort();
}

export const readSource = (path: string): string => readFileSync(join(SOURCE_FOLDER, path), 'utf8');

const STATIC = /^(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*(?:\/\*.*?\*\/\s*)?['"]([^'"]+)['"]\s*\)/g;

/** The import statements of one file, static and dynamic. */
export function readImports(from: string): Import[] {
  const text = readSource(from);
  const imports: Import[] = [];
  for (const match of text.matchAll(STATIC)) {
    imports.push({ from, ...resolveTarget(from, match[2] ?? ''), dynamic: false, typeOnly: match[1] !== undefined });
  }
  for (const match of text.matchAll(DYNAMIC)) {
    imports.push({ from, ...resolveTarget(from, match[1] ?? ''), dynamic: true, typeOnly: false });
  }
  return imports;
}

function resolveTarget(from: string, specifier: string): { to: string; own: boolean } {
  if (!specifier.startsWith('.')) return { to: toPackage(specifier), own: false };
  return {
    to: relative('.', normalize(join(dirname(from), specifier)))
      .split(sep)
      .join('/'),
    own: true,
  };
}

function toPackage(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
