// node compare.mjs BUNDLE [FOLDER…]: lints files with the bundle and with the packages as they are, each as it comes, and
// ends with 1 at the first file of which they say different things. Without folders: samples, and what the packages hold.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Linter } from 'eslint/universal';
import { lintWith, toConfigs } from './eslint.lint.mjs';

const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const MAX_BYTES = 300_000;
/** Of so many files one is taken, where no folder is named: the packages hold some thousands. */
const STRIDE = 7;

/** What neither the samples nor published packages hold: refused code, and code that the rules are about. */
const SNIPPETS = [
  ...JSON.parse(readFileSync(join(here, 'snippets.json'), 'utf8')),
  `${'('.repeat(300)}1${')'.repeat(300)}`,
  `${'a+'.repeat(3000)}b`,
];

const [bundle, ...folders] = process.argv.slice(2);
const { lint } = await import(pathToFileURL(resolve(bundle)).href);
const linter = new Linter({ configType: 'flat' });
const texts = [
  ...SNIPPETS,
  ...['sample-js.txt', 'sample-ts.txt', 'sample-tsx.txt'].map(name => readFileSync(join(here, name), 'utf8')),
];
let compared = 0;
for (const [index, text] of texts.entries())
  for (const extension of ['js', 'ts', 'tsx']) compare(`snippet ${index}`, extension, text);
const files =
  folders.length > 0
    ? folders.flatMap(listFiles)
    : listFiles(join(here, 'node_modules')).filter((_, index) => index % STRIDE === 0);
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  const extension = /\.[cm]?ts$/.test(file) ? 'ts' : /\.tsx$/.test(file) ? 'tsx' : 'js';
  if (text.length <= MAX_BYTES) compare(file, extension, text);
}
process.stdout.write(`${compared} texts: the bundle and the packages agree\n`);

function compare(what, extension, text) {
  const name = `a.${extension}`;
  const expected = outcome(() => lintWith(linter, toConfigs(extension), name, text));
  const actual = outcome(() => lint(name, text));
  compared += 1;
  if (actual === expected) return;
  process.stderr.write(
    `${what} as .${extension}:\nbundle:   ${actual.slice(0, 1000)}\npackages: ${expected.slice(0, 1000)}\n`,
  );
  process.exit(1);
}

function outcome(run) {
  try {
    return JSON.stringify(run());
  } catch (error) {
    return `throws ${error instanceof Error ? error.message : String(error)}`;
  }
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() && /\.(?:[cm]?[jt]s|[jt]sx)$/.test(entry.name) ? [path] : [];
  });
}
