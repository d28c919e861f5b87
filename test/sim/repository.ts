import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Bytes of a file in a commit; null removes it. Modes are git's: 100644, 100755, 120000 (a symbolic link), 160000. */
export type FileChange = string | Buffer | null | { mode: string; content: string | Buffer };

export interface CommitRequest {
  branch: string;
  /** Relative POSIX path to its new content. */
  files: Record<string, FileChange>;
  message?: string;
  /** Parent, when it is not the branch's tip; null starts a history of its own. */
  parent?: string | null;
  author?: string;
  /** Seconds since 1970; fixed by default so that the same calls give the same SHA. */
  at?: number;
}

export interface Repository {
  readonly fullName: string;
  readonly directory: string;
  /** Runs git on the bare repository; throws on a non-zero exit. */
  git(...args: string[]): string;
  /** The SHA that a ref or expression names, or undefined. */
  sha(ref: string): string | undefined;
  commit(request: CommitRequest): string;
  /** Writes a ref, nothing else: no pull request follows. */
  setRef(ref: string, sha: string): void;
  /** Creates or moves a branch, forwards or not. */
  setBranch(branch: string, sha: string): void;
  deleteBranch(branch: string): void;
  read(ref: string, path: string): Buffer;
  /** Bytes of a blob by its own SHA. */
  readObject(sha: string): Buffer;
}

/** Nothing of the machine's own git set-up may change what the simulator does. */
export const GIT_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Simulator',
  GIT_AUTHOR_EMAIL: 'simulator@example.test',
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.com',
};

const FIRST_COMMIT_AT = 1_790_000_000;

/** A bare repository in `directory`, empty or a copy of `source`. `changed` is called after every move of a ref. */
export function createRepository(
  fullName: string,
  directory: string,
  options: { source?: Repository; changed?: () => void } = {},
): Repository {
  const run = (args: string[], input?: Buffer): Buffer =>
    execFileSync('git', ['--git-dir', directory, ...args], {
      env: GIT_ENVIRONMENT,
      maxBuffer: 1 << 29,
      stdio: ['pipe', 'pipe', 'pipe'],
      input: input ?? '',
    });
  mkdirSync(directory, { recursive: true });
  if (options.source !== undefined) cpSync(options.source.directory, directory, { recursive: true });
  else initialise(directory);
  const changed = options.changed ?? (() => undefined);
  let clock = FIRST_COMMIT_AT;

  const repository: Repository = {
    fullName,
    directory,
    git: (...args) => run(args).toString('utf8'),
    sha: ref => {
      const loose = readLooseRef(directory, ref);
      if (loose !== undefined) return loose;
      try {
        return run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])
          .toString()
          .trim();
      } catch {
        return undefined; // git exits 1 for an unknown name, and that is an answer
      }
    },
    commit: request => {
      const stream = toImportStream(request, repository, request.at ?? ++clock);
      const sha = run(['fast-import', '--quiet', '--force', '--date-format=raw'], stream).toString().trim();
      changed();
      return sha;
    },
    setRef: (ref, sha) => {
      if (!/^[0-9a-f]{40}$/.test(sha)) throw new Error(`${ref}: ${JSON.stringify(sha)} is no commit`);
      const file = join(directory, ref);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${sha}\n`);
    },
    setBranch: (branch, sha) => {
      repository.setRef(`refs/heads/${branch}`, sha);
      changed();
    },
    deleteBranch: branch => {
      run(['update-ref', '-d', `refs/heads/${branch}`]);
      changed();
    },
    read: (ref, path) => run(['cat-file', 'blob', `${ref}:${path}`]),
    readObject: sha => run(['cat-file', 'blob', sha]),
  };
  return repository;
}

/** GitHub serves any object by its id, filtered clones included, and keeps its own refs out of reach of a push. */
const CONFIGURATION = `
[uploadpack]
\tallowAnySHA1InWant = true
\tallowFilter = true
[http]
\treceivepack = true
[receive]
\thideRefs = refs/pull
`;

function initialise(directory: string): void {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', directory], { env: GIT_ENVIRONMENT });
  appendFileSync(join(directory, 'config'), CONFIGURATION);
}

/** A branch or pull ref without a process; every ref here is a loose file, as nothing ever packs them. */
function readLooseRef(directory: string, ref: string): string | undefined {
  const file = join(directory, ref);
  const isFile = ref.startsWith('refs/') && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? readFileSync(file, 'utf8').trim() : undefined;
}

/** One process writes any number of files, which keeps a test repository of thousands of files cheap. */
function toImportStream(request: CommitRequest, repository: Repository, at: number): Buffer {
  const branch = `refs/heads/${request.branch}`;
  const parent = request.parent === undefined ? repository.sha(branch) : (request.parent ?? undefined);
  const author = request.author ?? 'Simulator <simulator@example.test>';
  const parts: (string | Buffer)[] = [
    request.parent === undefined ? '' : `reset ${branch}\n\n`,
    `commit ${branch}\nmark :1\nauthor ${author} ${at} +0000\ncommitter GitHub <noreply@github.com> ${at} +0000\n`,
    ...data(request.message ?? 'Change files'),
    parent === undefined ? '' : `from ${parent}\n`,
  ];
  for (const [path, change] of Object.entries(request.files)) {
    if (change === null) {
      parts.push(`D ${quote(path)}\n`);
      continue;
    }
    const file = typeof change === 'string' || Buffer.isBuffer(change) ? { mode: '100644', content: change } : change;
    if (file.mode === '160000') parts.push(`M 160000 ${file.content.toString()} ${quote(path)}\n`);
    else parts.push(`M ${file.mode} inline ${quote(path)}\n`, ...data(file.content));
  }
  parts.push('get-mark :1\n');
  return Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function data(content: string | Buffer): (string | Buffer)[] {
  const bytes = Buffer.from(content);
  return [`data ${bytes.length}\n`, bytes, '\n'];
}

/** C-style quoting of fast-import: a name may hold blanks, quotes and newlines. */
function quote(path: string): string {
  return `"${path.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n').replace(/\t/g, '\\t')}"`;
}
