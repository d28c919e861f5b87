import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Writable } from 'node:stream';
import { LINT_SAMPLE } from './lint-sample.ts';

/** What the image's bundle of ESLint exports (sandbox/npm). */
interface EslintBundle {
  readonly Linter: new (options: { configType: 'flat' }) => LinterLike;
  readonly typescriptParser: object;
  readonly espree: object;
  readonly pluginSecurity: {
    readonly configs: { readonly recommended: { readonly rules: Readonly<Record<string, unknown>> } };
  };
  readonly pluginNoUnsanitized: object;
}

interface LinterLike {
  verify(text: string, config: object, options: { filename: string; allowInlineConfig: false }): LintMessage[];
}

interface LintMessage {
  readonly ruleId: string | null;
  readonly fatal?: boolean;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

interface FileReport {
  readonly file: string;
  readonly error?: string;
  readonly messages: readonly Omit<LintMessage, 'fatal'>[];
}

const BUNDLE = '/opt/eslint/eslint.mjs';

/**
 * `lint FOLDER…`: runs ESLint's security rules over every file of the folders and prints `{files: […]}` with one entry
 * a file, so that a file left out shows. Reads no configuration but the one below; comments in the code switch nothing
 * off. Exit 0 also with findings.
 */
export async function run(
  folders: readonly string[],
  stdout: Writable = process.stdout,
  bundlePath = BUNDLE,
): Promise<number> {
  const bundle = await loadBundle(bundlePath);
  const linter = new bundle.Linter({ configType: 'flat' });
  let separator = '{"files":[';
  for (const file of folders.flatMap(listFiles)) {
    stdout.write(separator + JSON.stringify(lintFile(linter, bundle, file)));
    separator = ',\n';
  }
  stdout.write(separator.startsWith('{') ? '{"files":[]}\n' : ']}\n');
  return 0;
}

/** Lints code of our own, so that V8 has compiled what it needs before the first file is there. */
export async function warmUp(bundlePath = BUNDLE): Promise<void> {
  const bundle = await loadBundle(bundlePath);
  const linter = new bundle.Linter({ configType: 'flat' });
  const { error } = lintText(linter, bundle, 'sample.ts', LINT_SAMPLE);
  if (error !== undefined) throw new Error(error);
}

/** From the start-up snapshot where node was started with it, which saves reading and compiling 5 MB. */
async function loadBundle(path: string): Promise<EslintBundle> {
  const { cypherfixEslint } = globalThis as { cypherfixEslint?: EslintBundle };
  // The bundler must leave this import to run time: the file exists in the image only.
  return cypherfixEslint ?? ((await import(/* webpackIgnore: true */ /* @vite-ignore */ path)) as EslintBundle);
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return /\.(?:js|ts|tsx)$/.test(entry.name) ? [path] : [];
  });
}

function lintFile(linter: LinterLike, bundle: EslintBundle, file: string): FileReport {
  try {
    return lintText(linter, bundle, file, readFileSync(file, 'utf8'));
  } catch (error) {
    return { file, error: `ESLint failed: ${error instanceof Error ? error.message : String(error)}`, messages: [] };
  }
}

/** One parser after the other until one takes the file; the first one's complaint counts when none does. */
function lintText(linter: LinterLike, bundle: EslintBundle, file: string, text: string): FileReport {
  // The bare name: a path outside the working directory has no configuration in ESLint's eyes.
  const options = { filename: basename(file), allowInlineConfig: false } as const;
  let refusal: string | undefined;
  for (const languageOptions of parsersFor(bundle, file)) {
    const { fatal, messages } = split(linter.verify(text, { ...rulesConfig(bundle), languageOptions }, options));
    if (fatal === undefined) return { file, messages };
    refusal ??= fatal;
  }
  return { file, ...(refusal === undefined ? {} : { error: refusal }), messages: [] };
}

/**
 * JavaScript goes to espree, which is three times as fast, as a module and then as a script (octals, `with`); only what
 * it refuses, types and decorators, needs the TypeScript parser. In a .ts file JSX would forbid old casts, `<T>value`.
 */
function parsersFor(bundle: EslintBundle, file: string): object[] {
  const ecmaFeatures = { jsx: !file.endsWith('.ts') };
  const espree = { parser: bundle.espree, ecmaVersion: 'latest' };
  const plain = [
    { ...espree, sourceType: 'module', parserOptions: { ecmaFeatures } },
    { ...espree, sourceType: 'script', parserOptions: { ecmaFeatures: { ...ecmaFeatures, globalReturn: true } } },
  ];
  const typed = { parser: bundle.typescriptParser, sourceType: 'module', parserOptions: { ecmaFeatures } };
  return file.endsWith('.js') ? [...plain, typed] : [typed, ...plain.slice(1)];
}

function split(messages: readonly LintMessage[]): { fatal?: string; messages: FileReport['messages'] } {
  const fatal = messages.find(message => message.fatal === true || message.ruleId === null);
  if (fatal !== undefined) return { fatal: `line ${fatal.line ?? 0}: ${fatal.message}`, messages: [] };
  return {
    messages: messages.map(({ ruleId, message, line, column, endLine, endColumn }) => ({
      ruleId,
      message,
      line: line ?? 1,
      column: column ?? 1,
      ...(endLine === undefined ? {} : { endLine }),
      ...(endColumn === undefined ? {} : { endColumn }),
    })),
  };
}

function rulesConfig(bundle: EslintBundle): object {
  return {
    files: ['**/*.{js,ts,tsx}'],
    plugins: { security: bundle.pluginSecurity, 'no-unsanitized': bundle.pluginNoUnsanitized },
    rules: {
      ...bundle.pluginSecurity.configs.recommended.rules,
      'no-unsanitized/method': 'warn',
      'no-unsanitized/property': 'warn',
    },
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
  };
}
