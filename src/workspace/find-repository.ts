import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { CypherFixError } from '../core/errors.ts';
import { readSmallFile } from './confined-read.ts';

const MAX_POINTER_BYTES = 65_536;

/** Where the parts of a repository are. Found by reading files only; its configuration is not loaded. */
export interface RepositoryFolders {
  /** HEAD and index of this work tree. */
  readonly gitDir: string;
  /** Objects, refs and configuration, shared by all work trees. */
  readonly commonDir: string;
  /** Null for a bare repository. */
  readonly workTree: string | null;
}

/** The repository that holds `folder`, as git would find it. Throws a usage error when there is none. */
export async function findRepository(folder: string): Promise<RepositoryFolders> {
  const start = await toRealFolder(folder);
  for (let at = start; ; at = dirname(at)) {
    const found = (await openDotGit(at)) ?? (await openGitDir(at, null));
    if (found !== null) return found;
    if (dirname(at) === at) break;
  }
  throw new CypherFixError('usage', `not a git repository: ${folder}`, {
    hint: 'Name a folder inside a clone, or review a plain folder with --dir DIR --all.',
  });
}

/** The real path of a folder. Throws a usage error when it is none. */
export async function toRealFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    throw new CypherFixError('usage', `no such folder: ${folder}`, { cause: error });
  }
  throw new CypherFixError('usage', `not a folder: ${folder}`);
}

async function openDotGit(workTree: string): Promise<RepositoryFolders | null> {
  const dotGit = join(workTree, '.git');
  const kind = await stat(dotGit).catch(() => null);
  if (kind?.isDirectory()) return openGitDir(dotGit, workTree);
  if (!kind?.isFile()) return null;
  // A linked work tree or a submodule: `gitdir: <path>`.
  const text = readSmallFile(dotGit, MAX_POINTER_BYTES)?.toString('utf8') ?? '';
  const target = /^gitdir: ([^\n]+)/.exec(text)?.[1]?.trimEnd();
  const gitDir = target === undefined ? null : await openGitDir(resolve(workTree, target), workTree);
  if (gitDir === null) throw new CypherFixError('usage', `${dotGit} names no repository`);
  return gitDir;
}

async function openGitDir(folder: string, workTree: string | null): Promise<RepositoryFolders | null> {
  if (readSmallFile(join(folder, 'HEAD'), MAX_POINTER_BYTES) === null) return null;
  const common = readSmallFile(join(folder, 'commondir'), MAX_POINTER_BYTES)?.toString('utf8').trimEnd();
  const commonDir = common === undefined ? folder : isAbsolute(common) ? common : join(folder, common);
  for (const part of ['objects', 'refs']) {
    if (!(await stat(join(commonDir, part)).catch(() => null))?.isDirectory()) return null;
  }
  return { gitDir: await realpath(folder), commonDir: await realpath(commonDir), workTree };
}
