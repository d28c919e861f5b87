/** A go.mod, as far as it says where packages of this repository lie. */
export interface GoModule {
  /** Folder of the go.mod in the repository, '' for the root. */
  readonly root: string;
  readonly path: string;
  /** Import path → folder in the repository, for `replace x => ./y`. */
  readonly local: ReadonlyMap<string, string>;
}

export function parseGoModule(root: string, text: string): GoModule {
  const lines = text
    .split(/\n+/)
    .map(line => line.split('//', 1)[0]?.trim() ?? '')
    .filter(line => line !== '');
  const path = lines.flatMap(line => /^module\s+"?([^"\s]+)"?$/.exec(line)?.[1] ?? [])[0] ?? '';
  const local = new Map<string, string>();
  for (const line of lines) {
    const replace = /^(?:replace\s+)?"?([^"\s]+)"?(?:\s+v\S+)?\s*=>\s*"?(\.{1,2}(?:\/[^"\s]*)?)"?$/.exec(line);
    const folder = replace?.[2] === undefined ? undefined : joinFolder(root, replace[2]);
    if (replace?.[1] !== undefined && folder !== undefined) local.set(replace[1], folder);
  }
  return { root, path, local };
}

/**
 * Sets the language version down to what the image's Go knows and drops the toolchain line: a newer one makes the Go
 * tool refuse the whole module. Keeps every line's place.
 */
export function clampGoVersion(text: string, newestMinor: number): string {
  return text
    .replace(/^([ \t]*)toolchain[ \t\r]+\S+/gm, '$1// toolchain')
    .replace(/^([ \t]*go[ \t\r]+)1\.(\d+)(\S*)/gm, (line, head: string, minor: string) =>
      Number(minor) > newestMinor ? `${head}1.${newestMinor}` : line,
    )
    .replace(/^([ \t]*go[ \t\r]+)(?!1\.)\d+\S*/gm, `$11.${newestMinor}`);
}

/** Longer import paths name no folder of a repository; each part of one is looked up. */
const MAX_IMPORT_CHARS = 1_000;
const MAX_IMPORT_PARTS = 100;

/**
 * Folder of a package of this module or of a module that it replaces by a folder, the longest name first as for the Go
 * tool; undefined for any other import.
 */
export function folderOfImport(module: GoModule, importPath: string): string | undefined {
  if (importPath.length > MAX_IMPORT_CHARS) return undefined;
  const parts = importPath.split('/');
  if (parts.length > MAX_IMPORT_PARTS) return undefined;
  for (let count = parts.length; count > 0; count--) {
    const prefix = parts.slice(0, count).join('/');
    const folder = module.local.get(prefix) ?? (prefix === module.path ? module.root : undefined);
    if (folder !== undefined && prefix !== '') return joinFolder(folder, parts.slice(count).join('/'));
  }
  return undefined;
}

/** POSIX join of a folder in the repository and a relative path; undefined when it leaves the repository. */
export function joinFolder(folder: string, path: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
