/** What the image's bundle of ESLint exports (sandbox/npm/scanners). */
interface EslintBundle {
  lintFolders(folders: readonly string[]): void;
}

const BUNDLE = '/opt/eslint/eslint.mjs';

/**
 * `lint FOLDER…`: runs ESLint's security rules over every file of the folders and prints `{files: […]}` with one entry
 * a file, so that a file left out shows. Reads no configuration of theirs; comments in the code switch nothing off. Exit
 * 0 also with findings. This is the way where node refuses the image's snapshot of the same (guest/warm-programs.ts).
 */
export async function run(folders: readonly string[]): Promise<number> {
  // The bundler must leave this import to run time: the file exists in the image only.
  const { lintFolders } = (await import(/* webpackIgnore: true */ /* @vite-ignore */ BUNDLE)) as EslintBundle;
  lintFolders(folders);
  return 0;
}
