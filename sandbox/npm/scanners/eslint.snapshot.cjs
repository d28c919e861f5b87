// A V8 start-up snapshot with ESLint already loaded: evaluating its five megabytes at each start takes longer than linting.
// node --snapshot-blob /opt/eslint/eslint.blob PROGRAM.mjs ARGS runs PROGRAM.mjs, which finds ESLint in globalThis.cypherfixEslint.
const { startupSnapshot } = require('node:v8');
const eslint = require('./eslint.entry.mjs');

globalThis.cypherfixEslint = eslint;
startupSnapshot.setDeserializeMainFunction(() => {
  const { Script, constants } = require('node:vm');
  const { pathToFileURL } = require('node:url');
  // A program started from a snapshot has no module loader of its own until it asks for the default one.
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const load = new Script('(address) => import(address)', { importModuleDynamically }).runInThisContext();
  process.removeAllListeners('warning');
  load(pathToFileURL(process.argv[1]).href);
});
