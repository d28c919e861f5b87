import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSmallFile } from './confined-read.ts';
import type { RepositoryFolders } from './find-repository.ts';
import { createGit, type Git, type GitOptions } from './git.ts';
import { assertGitVersion } from './git-version.ts';

const MAX_REF_BYTES = 1024 * 1024;
const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_SHALLOW_BYTES = 16 * 1024 * 1024;

/** A git folder of our own over a repository that we do not trust. */
export interface PrivateGitDir {
  readonly path: string;
  /** Copied from the repository; no file when the repository has none. */
  readonly indexFile: string;
  /** Settings of work trees that change what a file's bytes mean and execute nothing. */
  readonly worktreeSettings: readonly (readonly [string, string])[];
  /** Address of the remote `origin`; null where there is none. */
  readonly originUrl: string | null;
  /** Commits whose parents the clone lacks. */
  readonly shallow: ReadonlySet<string>;
  remove(): Promise<void>;
}

/**
 * Builds, in a temporary folder, a bare repository that shares objects and refs with the given one and nothing else: its
 * configuration, hooks, attributes and grafts never reach git. Objects that we make (a snapshot of a work tree) are
 * stored in our folder, so the repository is never written to.
 */
export async function createPrivateGitDir(
  folders: RepositoryFolders,
  use: Omit<GitOptions, 'gitDir'> = {},
): Promise<PrivateGitDir> {
  const path = await mkdtemp(join(tmpdir(), 'cypherfix-git-'));
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true });
  try {
    return { ...(await fill(path, folders, use)), path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function fill(path: string, folders: RepositoryFolders, use: Omit<GitOptions, 'gitDir'>) {
  const { gitDir, commonDir } = folders;
  await mkdir(join(path, 'objects', 'info'), { recursive: true });
  await mkdir(join(path, 'info'));
  await mkdir(join(path, 'logs'));
  const git = createGit({ ...use, gitDir: path });
  const shallow = readSmallFile(join(commonDir, 'shallow'), MAX_SHALLOW_BYTES)?.toString('latin1') ?? '';
  const [settings] = await Promise.all([
    readSettings(git, join(commonDir, 'config')),
    writeFile(join(path, 'objects', 'info', 'alternates'), `${quotePath(join(commonDir, 'objects'))}\n`),
    copyFile(join(gitDir, 'HEAD'), join(path, 'HEAD')),
    copyFile(join(gitDir, 'FETCH_HEAD'), join(path, 'FETCH_HEAD')),
    copyFile(join(gitDir, 'ORIG_HEAD'), join(path, 'ORIG_HEAD')),
    copyFile(join(commonDir, 'info', 'exclude'), join(path, 'info', 'exclude')),
    link(join(commonDir, 'refs'), join(path, 'refs')),
    link(join(commonDir, 'packed-refs'), join(path, 'packed-refs')),
    link(join(commonDir, 'reftable'), join(path, 'reftable')),
    link(join(gitDir, 'logs', 'HEAD'), join(path, 'logs', 'HEAD')),
    link(join(commonDir, 'logs', 'refs'), join(path, 'logs', 'refs')),
    linkSharedIndexes(gitDir, path),
    assertGitVersion(git),
  ]);
  const boundary = shallow.split('\n').filter(line => /^[0-9a-f]{40,64}$/.test(line));
  if (boundary.length > 0) await writeFile(join(path, 'shallow'), `${boundary.join('\n')}\n`);
  await writeFile(join(path, 'config'), renderConfig(settings));
  return {
    indexFile: join(gitDir, 'index'),
    worktreeSettings: toWorktreeSettings(settings),
    originUrl: settings.get('remote.origin.url') ?? null,
    shallow: new Set(boundary),
  };
}

/** The repository's settings as plain data: git parses the file, includes off, and acts on nothing in it. */
async function readSettings(git: Git, file: string): Promise<Map<string, string>> {
  const text = readSmallFile(file, MAX_CONFIG_BYTES);
  const settings = new Map<string, string>();
  if (text === null) return settings;
  const listed = await git.run(['config', '--file', '-', '--no-includes', '-z', '--list'], { input: text });
  for (const item of listed.stdout.toString('utf8').split('\0')) {
    const cut = item.indexOf('\n');
    settings.set(cut < 0 ? item : item.slice(0, cut), cut < 0 ? 'true' : item.slice(cut + 1));
  }
  return settings;
}

function renderConfig(settings: ReadonlyMap<string, string>): string {
  const format = settings.get('extensions.objectformat');
  const refs = settings.get('extensions.refstorage');
  const isSafe = (value: string | undefined): value is string => value !== undefined && /^[a-z0-9]+$/i.test(value);
  const extensions = [
    ...(isSafe(format) ? [`\tobjectformat = ${format}\n`] : []),
    ...(isSafe(refs) ? [`\trefstorage = ${refs}\n`] : []),
  ];
  const version = extensions.length > 0 ? 1 : 0;
  return `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n${
    extensions.length > 0 ? `[extensions]\n${extensions.join('')}` : ''
  }`;
}

function toWorktreeSettings(settings: ReadonlyMap<string, string>): (readonly [string, string])[] {
  const allowed: Record<string, RegExp> = {
    'core.filemode': /^(true|false)$/i,
    'core.symlinks': /^(true|false)$/i,
    'core.autocrlf': /^(true|false|input)$/i,
    'core.eol': /^(lf|crlf|native)$/i,
  };
  return Object.entries(allowed).flatMap(([key, pattern]) => {
    const value = settings.get(key);
    return value !== undefined && pattern.test(value) ? [[key, value] as const] : [];
  });
}

async function copyFile(from: string, to: string): Promise<void> {
  const bytes = readSmallFile(from, MAX_REF_BYTES);
  if (bytes !== null) await writeFile(to, bytes);
}

async function link(target: string, path: string): Promise<void> {
  if (await stat(target).catch(() => null)) await symlink(target, path);
}

// A split index names its other half, which git looks for in its own folder.
async function linkSharedIndexes(gitDir: string, path: string): Promise<void> {
  const names = await readdir(gitDir);
  const shared = names.filter(name => /^sharedindex\.[0-9a-f]+$/.test(name));
  await Promise.all(shared.map(name => link(join(gitDir, name), join(path, name))));
}

// C-style quotes, so that a newline, a quote or a `#` in the path does not change the file's meaning.
function quotePath(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
