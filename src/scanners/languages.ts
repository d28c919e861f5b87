/** A language that at least one scanner reads. Each has a folder of the snapshot and one neutral extension. */
export const EXTENSION_OF = {
  python: 'py',
  javascript: 'js',
  typescript: 'ts',
  tsx: 'tsx',
  go: 'go',
  java: 'java',
  yaml: 'yml',
  html: 'html',
  dockerfile: 'dockerfile',
} as const;

export type Language = keyof typeof EXTENSION_OF;
export const LANGUAGES = Object.keys(EXTENSION_OF) as Language[];

/** Those that the engine of the rules has a grammar for, by its names. */
export const ENGINE_LANGUAGE = {
  JavaScript: 'javascript',
  TypeScript: 'typescript',
  Tsx: 'tsx',
  Python: 'python',
  Go: 'go',
  Java: 'java',
  Yaml: 'yaml',
  Html: 'html',
} as const satisfies Record<string, Language>;

/** One way to read a file: as it stands, or the code blocks taken out of a document with their line numbers kept. */
export interface View {
  readonly language: Language;
  readonly extract?: 'script-blocks' | 'notebook';
}

const BY_EXTENSION: Readonly<Record<string, readonly View[]>> = {
  py: [{ language: 'python' }],
  pyw: [{ language: 'python' }],
  pyi: [{ language: 'python' }],
  ipynb: [{ language: 'python', extract: 'notebook' }],
  js: [{ language: 'javascript' }],
  cjs: [{ language: 'javascript' }],
  mjs: [{ language: 'javascript' }],
  jsx: [{ language: 'javascript' }],
  ts: [{ language: 'typescript' }],
  cts: [{ language: 'typescript' }],
  mts: [{ language: 'typescript' }],
  tsx: [{ language: 'tsx' }],
  vue: [{ language: 'typescript', extract: 'script-blocks' }],
  svelte: [{ language: 'typescript', extract: 'script-blocks' }],
  html: [{ language: 'html' }, { language: 'javascript', extract: 'script-blocks' }],
  htm: [{ language: 'html' }, { language: 'javascript', extract: 'script-blocks' }],
  go: [{ language: 'go' }],
  java: [{ language: 'java' }],
  yml: [{ language: 'yaml' }],
  yaml: [{ language: 'yaml' }],
};

const DOCKERFILE = /^(?:dockerfile|containerfile)(?:\..+)?$|\.(?:dockerfile|containerfile)$/i;
const PYTHON_SHEBANG = /^#!.*\bpython[\d.]*w?\b/;
const NODE_SHEBANG = /^#!.*\b(?:node|nodejs|bun)\b/;
const TYPESCRIPT_SHEBANG = /^#!.*\b(?:deno|tsx|ts-node)\b/;

const NO_VIEWS: readonly View[] = [];
const DOCKERFILE_VIEWS: readonly View[] = [{ language: 'dockerfile' }];

/** How the scanners read a file. `firstLine` counts only for a name without an extension. */
export function viewsOf(path: string, firstLine = ''): readonly View[] {
  const name = baseName(path);
  const known = BY_EXTENSION[extensionOf(name)] ?? NO_VIEWS;
  const views = DOCKERFILE.test(name) ? [...known, ...DOCKERFILE_VIEWS] : known;
  return views.length === 0 && isNamedWithoutExtension(path) ? viewsOfShebang(firstLine) : views;
}

/** True when only the first line can tell the language. */
export function isNamedWithoutExtension(path: string): boolean {
  const name = baseName(path);
  return !name.includes('.') && !DOCKERFILE.test(name);
}

function viewsOfShebang(line: string): readonly View[] {
  if (PYTHON_SHEBANG.test(line)) return [{ language: 'python' }];
  if (TYPESCRIPT_SHEBANG.test(line)) return [{ language: 'typescript' }];
  if (NODE_SHEBANG.test(line)) return [{ language: 'javascript' }];
  return [];
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const extensionOf = (name: string): string =>
  name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
