import { CypherFixError } from '../core/errors.ts';
import { findRepository } from './find-repository.ts';
import { createGit, type Git } from './git.ts';
import { keepObjects } from './kept-objects.ts';
import { createObjectReader, type ObjectReader } from './object-reader.ts';
import { createPrivateGitDir, type PrivateGitDir } from './private-git-dir.ts';
import { createTreeWalk } from './tree-walk.ts';

const MAX_POLICY_BYTES = 1024 * 1024;

export interface GitUse {
  readonly signal?: AbortSignal | undefined;
  readonly gitBinary?: string | undefined;
  /** The caller's PATH. */
  readonly searchPath?: string | undefined;
}

/** Git over one repository, in a folder of our own. */
export interface Session {
  readonly git: Git;
  readonly objects: ObjectReader;
  readonly privateDir: PrivateGitDir;
  readonly workTree: string | null;
  close(): Promise<void>;
}

/** Opens the repository that holds `folder`. Throws a usage error when there is none. */
export async function openSession(folder: string, use: GitUse): Promise<Session> {
  const folders = await findRepository(folder);
  const privateDir = await createPrivateGitDir(folders, use);
  const git = createGit({ ...use, gitDir: privateDir.path });
  const objects = keepObjects(createObjectReader(git));
  const close = async (): Promise<void> => {
    await objects.close();
    await privateDir.remove();
  };
  return { git, objects, privateDir, workTree: folders.workTree, close };
}

/** A regular file at a commit; null when it is absent or something else. Throws when it is over 1 MiB. */
export async function readFileAt(session: Session, commit: string, path: string): Promise<Buffer | null> {
  const item = await createTreeWalk(session.objects, commit).find(Buffer.from(path));
  if (item === null || !item.mode.startsWith('100')) return null;
  const object = await session.objects.read(item.id, MAX_POLICY_BYTES);
  if (object === null) return null;
  if (object.bytes === null) {
    throw new CypherFixError('policy', `${path} at ${commit} has ${object.size} bytes, more than ${MAX_POLICY_BYTES}`);
  }
  return object.bytes;
}

/** Paths of all files below a folder at a commit, sorted by bytes; none where there is no such folder. */
export async function listFilesAt(session: Session, commit: string, folder: string): Promise<readonly string[]> {
  const inside = folder.replace(/\/*$/, '/');
  const listed = await session.git.run([
    'ls-tree',
    '-r',
    '-z',
    '--full-tree',
    '--name-only',
    '--end-of-options',
    commit,
    inside,
  ]);
  return listed.stdout.toString('utf8').split('\0').filter(Boolean);
}
