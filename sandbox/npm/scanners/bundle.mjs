// node bundle.mjs FOLDER: writes eslint.mjs, lint.mjs and snapshot.cjs: ESLint without what neither a parser that knows no types nor
// rules of plugins ever run. What is left out throws if it is called after all.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parseModule, reachable, toStatements } from './reachable.mjs';
import { reduceTypescript, usedNames } from './reduce-typescript.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const modules = join(here, 'node_modules');
const ESTREE = '@typescript-eslint/typescript-estree/dist';
const TYPESCRIPT = 'typescript/lib/typescript.js';

/** TypeScript's programs and projects, and the search for files of such. */
const ABSENT = [
  `${ESTREE}/create-program/createIsolatedProgram.js`,
  `${ESTREE}/create-program/createProjectProgram.js`,
  `${ESTREE}/create-program/getWatchProgramsForProjects.js`,
  `${ESTREE}/create-program/useProvidedPrograms.js`,
  `${ESTREE}/semantic-or-syntactic-errors.js`,
  `${ESTREE}/useProgramFromProjectService.js`,
  '@typescript-eslint/project-service/dist/index.js',
  'tinyglobby/dist/index.cjs',
];

/** What a module of a package becomes, from its own text. */
const REPLACED = {
  ...Object.fromEntries(ABSENT.map(path => [path, () => toAbsent(path)])),
  // The configuration names no rule of ESLint itself.
  'eslint/lib/rules/index.js': () => 'module.exports = new Map();',
  // Which way through the code leads where; only rules that listen for it would notice (checkPlugin).
  'eslint/lib/linter/code-path-analysis/code-path-analyzer.js': () =>
    'module.exports = class { constructor(generator) { return generator; } };',
  // It writes only where the environment says so, for which it loads what node has of terminals.
  'debug/src/index.js': () => `
    module.exports = () => Object.assign(() => {}, { enabled: false });
    Object.assign(module.exports, { enabled: () => false, enable() {}, default: module.exports });`,
  // safe-regex calls these two.
  'regexp-tree/dist/regexp-tree.js': () => `
    const parser = require('./parser');
    exports.parse = (regexp, options) => parser.parse('' + regexp, options);
    exports.traverse = (ast, handlers, options) => require('./traverse').traverse(ast, handlers, options);`,
  'ts-api-utils/lib/index.cjs': () => reduceModule('ts-api-utils/lib/index.js', ['iterateComments']),
};

const options = {
  absWorkingDir: here,
  bundle: true,
  platform: 'node',
  target: 'node20',
  minify: true,
  legalComments: 'none',
  logLevel: 'error',
  define: { __filename: '"/opt/eslint/eslint.mjs"', __dirname: '"/opt/eslint"' },
};
const [outdir] = process.argv.slice(2);
if (outdir === undefined) throw new Error('usage: node bundle.mjs FOLDER');
const names = await findUsedNames();
const reduced = new Map();
await bundle('eslint.entry.mjs', 'eslint.mjs', {
  format: 'esm',
  banner: { js: 'import{createRequire as makeRequire}from"node:module";const require=makeRequire(import.meta.url);' },
});
await bundle('eslint.snapshot.cjs', 'snapshot.cjs', { format: 'cjs' });
// Not copied: the copy would have the mode of the checkout's file.
writeFileSync(join(outdir, 'lint.mjs'), readFileSync(join(here, 'lint.mjs')));

async function bundle(entry, output, more) {
  const replaced = new Set();
  const plugin = replace(replaced, {
    ...REPLACED,
    [TYPESCRIPT]: () =>
      reduced.get(TYPESCRIPT) ?? reduced.set(TYPESCRIPT, reduceTypescript(read(TYPESCRIPT), names)).get(TYPESCRIPT),
  });
  await build({ ...options, ...more, entryPoints: [entry], outfile: join(outdir, output), plugins: [plugin] });
  const unmet = Object.keys(REPLACED).filter(path => !replaced.has(path));
  if (unmet.length > 0) throw new Error(`ESLint no longer loads ${unmet.join(', ')}`);
}

/** The names that ESLint's modules use of TypeScript. */
async function findUsedNames() {
  const { metafile } = await build({
    ...options,
    entryPoints: ['eslint.entry.mjs'],
    format: 'esm',
    write: false,
    metafile: true,
    external: ['typescript'],
    plugins: [replace(new Set(), REPLACED)],
  });
  const users = Object.entries(metafile.inputs).filter(([, { imports }]) =>
    imports.some(({ path }) => path === 'typescript'),
  );
  const found = users.flatMap(([path]) => {
    const inModules = relative('node_modules', path);
    return [...usedNames(REPLACED[inModules]?.() ?? read(inModules), path)];
  });
  if (!found.includes('createSourceFile'))
    throw new Error('ESLint no longer parses with createSourceFile of TypeScript');
  return new Set(found);
}

/** Loads a package once, as it is for `require`, also where a module imports it; and `contents` in place of some modules. */
function replace(replaced, contents) {
  return {
    name: 'replace',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ kind, path, importer, resolveDir, pluginData }) =>
        kind === 'import-statement' && pluginData !== 'resolved'
          ? build.resolve(path, { kind: 'require-call', importer, resolveDir, pluginData: 'resolved' })
          : undefined,
      );
      build.onLoad({ filter: /node_modules/ }, ({ path }) => {
        const inModules = relative(modules, path);
        if (inModules.startsWith('eslint-plugin-')) checkPlugin(inModules);
        if (!Object.hasOwn(contents, inModules)) return undefined;
        replaced.add(inModules);
        return { contents: contents[inModules](), loader: 'js' };
      });
    },
  };
}

function checkPlugin(path) {
  if (/onCodePath|onUnreachable/.test(read(path)))
    throw new Error(`${path} needs the analysis of code paths, which is left out`);
}

function toAbsent(path) {
  const complaint = JSON.stringify(`${path} is left out of this ESLint`);
  return `module.exports = new Proxy({}, { get: () => () => { throw new Error(${complaint}); } });`;
}

function reduceModule(path, exported) {
  const source = read(path);
  const statements = toStatements(parseModule(source, 'module').body);
  const imports = statements.filter(({ node }) => node.type === 'ImportDeclaration');
  const text = [...imports, ...reachable(statements, exported)].map(({ node }) => source.slice(node.start, node.end));
  return [...text, `export { ${exported.join(', ')} };`].join('\n');
}

function read(path) {
  return readFileSync(join(modules, path), 'utf8');
}
