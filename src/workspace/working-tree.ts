import { lstatSync, type Stats } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CypherFixError } from '../core/errors.ts';
import { readSmallFile } from './confined-read.ts';
import { createGit, type GitOptions } from './git.ts';
import type { PrivateGitDir } from './private-git-dir.ts';

const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

/**
 * Stores what the work tree holds (tracked files as they are now, new files that are not ignored) as a tree in our own
 * git folder and returns its id. The repository and its index are not written to. Filters do not run, since none is
 * defined; end-of-line attributes hold, so that a file differs only where git would say so.
 */
export async function snapshotWorkingTree(
  privateDir: PrivateGitDir,
  workTree: string,
  options: Omit<GitOptions, 'gitDir' | 'workTree' | 'indexFile'>,
): Promise<string> {
  const indexFile = join(privateDir.path, 'index');
  const index = readSmallFile(privateDir.indexFile, MAX_INDEX_BYTES);
  if (index !== null) await writeFile(indexFile, index);
  const settings = [...privateDir.worktreeSettings, ...(options.settings ?? [])];
  const git = createGit({ ...options, gitDir: privateDir.path, workTree, indexFile, settings, readAttributes: true });
  const [changed, others] = await Promise.all([
    git.run(['ls-files', '-z', '--modified', '--deleted', '--stage'], { maxBytes: MAX_INDEX_BYTES }),
    git.run(['ls-files', '-z', '--others', '--exclude-standard'], { maxBytes: MAX_INDEX_BYTES }),
  ]);
  const plan = planUpdate(workTree, [
    ...splitNul(changed.stdout).map(toTracked),
    // A folder here is another repository with a history of its own; its files are not this one's.
    ...splitNul(others.stdout)
      .filter(path => path.at(-1) !== 0x2f)
      .map(path => ({ path, isSubmodule: false })),
  ]);
  if (plan.removed.length > 0)
    await git.run(['update-index', '-z', '--force-remove', '--stdin'], { input: plan.removed });
  if (plan.present.length > 0) {
    await git.run(['update-index', '-z', '--add', '--replace', '--stdin'], { input: plan.present });
  }
  const tree = await git.run(['write-tree']);
  const id = tree.stdout.toString('latin1').trim();
  if (!/^[0-9a-f]{40,64}$/.test(id))
    throw new CypherFixError('internal', `git write-tree printed ${JSON.stringify(id)}`);
  return id;
}

interface Candidate {
  readonly path: Buffer;
  readonly isSubmodule: boolean;
}

/** NUL-separated paths for `git update-index`: gone (or no longer something that git stores), and present. */
function planUpdate(workTree: string, candidates: readonly Candidate[]): { removed: Buffer; present: Buffer } {
  const removed: Buffer[] = [];
  const present: Buffer[] = [];
  const links = new Map<string, boolean>();
  const isLink = (folder: string): boolean => {
    const known = links.get(folder) ?? lstatOf(workTree, folder)?.isSymbolicLink() ?? false;
    links.set(folder, known);
    return known;
  };
  for (const candidate of candidates) {
    const target = canStore(workTree, candidate, isLink) ? present : removed;
    target.push(candidate.path, NUL);
  }
  return { removed: Buffer.concat(removed), present: Buffer.concat(present) };
}

const NUL = Buffer.from([0]);

// Git stops at a pipe or a device, and at a file behind a folder that became a link.
function canStore(workTree: string, { path, isSubmodule }: Candidate, isLink: (folder: string) => boolean): boolean {
  const text = path.toString('latin1');
  for (let cut = text.indexOf('/'); cut >= 0; cut = text.indexOf('/', cut + 1)) {
    if (isLink(text.slice(0, cut))) return false;
  }
  const stat = lstatOf(workTree, text);
  return stat !== undefined && (stat.isFile() || stat.isSymbolicLink() || (isSubmodule && stat.isDirectory()));
}

function lstatOf(workTree: string, path: string): Stats | undefined {
  try {
    return lstatSync(Buffer.concat([Buffer.from(`${workTree}/`), Buffer.from(path, 'latin1')]), {
      throwIfNoEntry: false,
    });
  } catch {
    // A file where the path has a folder: not there.
    return undefined;
  }
}

// `<mode> <id> <stage>\t<path>`
function toTracked(record: Buffer): Candidate {
  return { path: record.subarray(record.indexOf(9) + 1), isSubmodule: record.toString('latin1', 0, 6) === '160000' };
}

function splitNul(list: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let end = list.indexOf(0); end >= 0; end = list.indexOf(0, at)) {
    parts.push(list.subarray(at, end));
    at = end + 1;
  }
  return parts;
}
