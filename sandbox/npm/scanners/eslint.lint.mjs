// How the scanners run ESLint: its security rules, and the parsers in the order in which a file is tried with them.
import * as typescriptParser from '@typescript-eslint/parser';
import { Linter } from 'eslint/universal';
import method from 'eslint-plugin-no-unsanitized/lib/rules/method.js';
import property from 'eslint-plugin-no-unsanitized/lib/rules/property.js';
import pluginSecurity from 'eslint-plugin-security';
import * as espree from 'espree';
import { FlatConfigArray } from './node_modules/eslint/lib/config/flat-config-array.js';

const RULES = {
  ...pluginSecurity.configs.recommended.rules,
  'no-unsanitized/method': 'warn',
  'no-unsanitized/property': 'warn',
};
// The plugin's own entry reads its package.json at run time, which a bundle does not have beside it.
const pluginNoUnsanitized = { meta: { name: 'eslint-plugin-no-unsanitized' }, rules: { method, property } };

const linter = new Linter({ configType: 'flat', cwd: '/' });
const ready = Object.fromEntries(
  ['js', 'ts', 'tsx'].map(extension => [extension, toConfigs(extension).map(plain => prepare(plain, extension))]),
);

/**
 * `name`: without folders, with one of the extensions above. Gives `{messages}`, or `{error, messages: []}` where no parser
 * takes the text; the first one's complaint counts. Comments in the code switch nothing off.
 */
export function lint(name, text) {
  return lintWith(linter, ready[name.slice(name.lastIndexOf('.') + 1)], name, text);
}

export function lintWith(linter, configs, name, text) {
  const options = { filename: name, allowInlineConfig: false };
  let refusal;
  for (const config of configs) {
    const messages = linter.verify(text, config, options);
    const fatal = messages.find(message => message.fatal === true || message.ruleId === null);
    if (fatal === undefined) return { messages: messages.map(toPlainMessage) };
    refusal ??= `line ${fatal.line ?? 0}: ${fatal.message}`;
  }
  return { error: refusal, messages: [] };
}

/**
 * For files of an extension: configurations in the order in which they are tried.
 *
 * JavaScript goes to espree, which is three times as fast, as a module and then as a script (octals, `with`); only what
 * it refuses, types and decorators, needs the TypeScript parser. In a .ts file JSX would forbid old casts, `<T>value`.
 */
export function toConfigs(extension) {
  const ecmaFeatures = { jsx: extension !== 'ts' };
  const plain = { parser: espree, ecmaVersion: 'latest' };
  const module = { ...plain, sourceType: 'module', parserOptions: { ecmaFeatures } };
  const script = {
    ...plain,
    sourceType: 'script',
    parserOptions: { ecmaFeatures: { ...ecmaFeatures, globalReturn: true } },
  };
  const typed = { parser: typescriptParser, sourceType: 'module', parserOptions: { ecmaFeatures } };
  const order = extension === 'js' ? [module, script, typed] : [typed, script];
  const files = ['**/*.{js,ts,tsx}'];
  const plugins = { security: pluginSecurity, 'no-unsanitized': pluginNoUnsanitized };
  const linterOptions = { noInlineConfig: true, reportUnusedDisableDirectives: 'off' };
  return order.map(languageOptions => ({ files, plugins, rules: RULES, linterOptions, languageOptions }));
}

/** The Linter asks an array with this function; it would work a plain configuration out again for each file. */
function prepare(plain, extension) {
  const all = new FlatConfigArray([plain], { basePath: '/' });
  all.normalizeSync();
  const config = all.getConfig(`a.${extension}`);
  if (config === undefined) throw new Error(`ESLint has no configuration for .${extension}`);
  return Object.assign([], { getConfig: () => config });
}

const toPlainMessage = ({ ruleId, message, line, column, endLine, endColumn }) => ({
  ruleId,
  message,
  line: line ?? 1,
  column: column ?? 1,
  ...(endLine === undefined ? {} : { endLine }),
  ...(endColumn === undefined ? {} : { endColumn }),
});
