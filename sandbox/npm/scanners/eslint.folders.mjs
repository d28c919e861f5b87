import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { lint } from './eslint.lint.mjs';

const STANDARD_OUTPUT = 1;

/** Writes `{files: […]}` with one entry a file of the folders, so that a file left out shows. */
export function lintFolders(folders) {
  const reports = folders.flatMap(listFiles).map(file => JSON.stringify({ file, ...lintFile(file) }));
  // In one piece, and past process.stdout, which has to be loaded.
  writeAll(Buffer.from(`{"files":[${reports.join(',\n')}]}\n`));
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return /\.(?:js|ts|tsx)$/.test(entry.name) ? [path] : [];
  });
}

function lintFile(file) {
  try {
    // The bare name: a path outside the working directory has no configuration in ESLint's eyes.
    return lint(basename(file), readFileSync(file, 'utf8'));
  } catch (error) {
    return { error: `ESLint failed: ${error instanceof Error ? error.message : String(error)}`, messages: [] };
  }
}

function writeAll(bytes) {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(STANDARD_OUTPUT, bytes, done);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
