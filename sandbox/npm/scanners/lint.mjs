// node lint.mjs FOLDER…: the way where node refuses the image's snapshot of the same.
import { writeSync } from 'node:fs';
import { lintFolders } from './eslint.mjs';

try {
  lintFolders(process.argv.slice(2));
} catch (error) {
  // Node itself would print the line of the bundle too, which is all of it.
  writeSync(2, `eslint: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 70;
}
