// A V8 start-up snapshot with ESLint already loaded: evaluating it at each start takes longer than linting.
// node --snapshot-blob /opt/eslint/eslint.blob FOLDER… lints the folders. With `wait` in place of the folders it says on
// file descriptor 3 that it is ready and takes {cwd, argv} from standard input, argv being the folders.
const { readFileSync, writeSync } = require('node:fs');
const { startupSnapshot } = require('node:v8');
const { Linter, lint, lintFolders } = require('./eslint.entry.mjs');
const javascript = require('./sample-js.txt');
const tsx = require('./sample-tsx.txt');
const typescript = require('./sample-ts.txt');

// What V8 has compiled is kept in the snapshot: a function that is first called at run time must be compiled there.
const samples = { 'a.js': javascript, 'b.ts': typescript, 'c.tsx': tsx };
for (const [name, text] of Object.entries(samples)) {
  const { error } = lint(name, text);
  if (error !== undefined) throw new Error(`sample ${name}: ${error}`);
}
// No parser takes this, and it lets go of the last sample's tree.
for (const name of Object.keys(samples)) lint(name, 'const = ;');

startupSnapshot.setDeserializeMainFunction(() => {
  process.removeAllListeners('warning');
  const words = process.argv.slice(1);
  try {
    if (words[0] === 'version') writeSync(1, `${Linter.version}\n`);
    else lintFolders(words[0] === 'wait' ? receiveFolders() : words);
  } catch (error) {
    // Node itself would print the line of the bundle too, which is all of it.
    writeSync(2, `eslint: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 70;
  }
});

function receiveFolders() {
  writeSync(3, '.');
  const { cwd, argv } = JSON.parse(readFileSync(0, 'utf8'));
  process.chdir(cwd);
  return argv;
}
