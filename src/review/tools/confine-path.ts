export type ConfinedPath =
  | { readonly status: 'ok'; readonly path: string }
  | { readonly status: 'refused'; readonly reason: string };

/**
 * A path as a model writes it, to a path of the head tree; the root is the empty path. Leading slashes and `./` go; what
 * climbs out or enters git's own folder is refused. The tree itself follows no link, so that nothing else can lead out.
 */
export function confinePath(written: string): ConfinedPath {
  const path = written.trim();
  if (path.length > MAX_PATH_CHARS) return refused('the path is too long');
  if (/[\0\n\r]/.test(path)) return refused('the path holds a control character');
  const parts = path.split('/').filter(part => part !== '' && part !== '.');
  if (parts.includes('..')) return refused('the path leaves the repository');
  if (parts.some(isGitFolder)) return refused("git's own folder is not readable");
  return { status: 'ok', path: parts.join('/') };
}

const MAX_PATH_CHARS = 4_096;

const refused = (reason: string): ConfinedPath => ({ status: 'refused', reason });

// Some file systems take these spellings for `.git` too.
const isGitFolder = (part: string): boolean => /^(?:\.git|git~\d+)[ .]*$/i.test(part.normalize('NFKC'));
