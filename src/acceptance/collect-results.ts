import { z } from 'zod';
import { toPathMatcher } from '../core/globs.ts';
import type { Step } from '../sandbox/sandbox.ts';
import { TREE_FOLDER } from './tree-snapshot.ts';

export interface CollectedFiles {
  readonly texts: readonly string[];
  /** Why files that match may be missing; null when none is. */
  readonly incomplete: string | null;
}

const MAX_FILES = 500;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;
export const COLLECT_BYTES = MAX_TOTAL_BYTES + 1024 * 1024;

/** A step that prints the result files of the tree: a line of JSON, then the file's bytes, for each. */
export function toCollectStep(name: string, globs: readonly string[]): Step {
  const ends = globs.map(glob => ({
    prefix: glob.slice(0, glob.search(/[*?]|$/)).replace(/[^/]*$/, ''),
    suffix: /[^*?/]*$/.exec(glob)?.[0] ?? '',
  }));
  const limits = { files: MAX_FILES, fileBytes: MAX_FILE_BYTES, totalBytes: MAX_TOTAL_BYTES };
  const argument = JSON.stringify({ root: `/work/${TREE_FOLDER}`, ends, limits });
  return {
    name,
    argv: ['/usr/bin/node', '--input-type=commonjs', '-e', PROGRAM, argument],
    cwd: '/work',
    env: {},
    timeoutMs: 30_000,
    maxStdoutBytes: COLLECT_BYTES,
    maxStderrBytes: 4_096,
  };
}

/** Reads what the step printed; only files that match a glob count. */
export function parseCollected(output: Buffer, globs: readonly string[]): CollectedFiles {
  const matches = toPathMatcher(globs);
  const texts: string[] = [];
  let incomplete: string | null = null;
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    const header = end < 0 ? null : toHeader(output.subarray(at, end).toString('utf8'));
    if (header === null) return { texts, incomplete: 'the result files could not be read' };
    if ('left' in header) {
      incomplete ??= `a result file was left out: ${header.left}`;
      at = end + 1;
      continue;
    }
    const body = output.subarray(end + 1, end + 1 + header.size);
    if (body.length < header.size) return { texts, incomplete: 'the result files were cut' };
    if (matches(header.path)) texts.push(body.toString('utf8'));
    at = end + 1 + header.size;
  }
  return { texts, incomplete };
}

const Header = z.union([
  z.strictObject({ path: z.string(), size: z.int().nonnegative().max(MAX_FILE_BYTES) }),
  z.strictObject({ left: z.string().max(200) }),
]);

function toHeader(line: string): z.infer<typeof Header> | null {
  try {
    return Header.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // Not a header: the step's output was cut or is not the program's.
    return null;
  }
}

/**
 * Runs inside the sandbox, after every process of the tests has ended. It follows no link. The ends of a glob narrow the
 * search here; the globs themselves are applied outside.
 */
const PROGRAM = `
const fs = require('node:fs');
const { root, ends, limits } = JSON.parse(process.argv[1]);
const found = [];
const within = (folder, prefix) => folder.startsWith(prefix) || prefix.startsWith(folder);
const walk = (folder, depth) => {
  if (depth > 40 || found.length > limits.files) return;
  for (const entry of fs.readdirSync(root + '/' + folder, { withFileTypes: true })) {
    const path = folder + entry.name;
    if (entry.isDirectory()) {
      const open = ends.filter(({ prefix }) => within(path + '/', prefix));
      const skip = entry.name === 'node_modules' && !open.some(({ prefix }) => prefix.includes('node_modules'));
      if (open.length > 0 && !skip) walk(path + '/', depth + 1);
    } else if (entry.isFile()) {
      if (ends.some(({ prefix, suffix }) => path.startsWith(prefix) && path.endsWith(suffix))) found.push(path);
    }
  }
};
walk('', 0);
let total = 0;
const say = value => process.stdout.write(JSON.stringify(value) + '\\n');
if (found.length > limits.files) say({ left: 'there are more than ' + limits.files });
for (const path of found.sort().slice(0, limits.files)) {
  const file = fs.openSync(root + '/' + path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  const { size } = fs.fstatSync(file);
  if (size > limits.fileBytes || total + size > limits.totalBytes) say({ left: 'it has ' + size + ' bytes' });
  else {
    const bytes = fs.readFileSync(file);
    total += bytes.length;
    say({ path, size: bytes.length });
    process.stdout.write(bytes);
  }
  fs.closeSync(file);
}
`;
