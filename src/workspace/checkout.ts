import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CypherFixError } from '../core/errors.ts';
import { readSmallFile } from './confined-read.ts';
import { createGit, type Git } from './git.ts';
import { assertGitVersion } from './git-version.ts';
import { findMergeBase, type MergeBase } from './merge-base.ts';
import { createObjectReader } from './object-reader.ts';
import { findCommit } from './revisions.ts';

const FIRST_DEPTH = 32;
const MAX_DEPTH = 1 << 30;
const FETCH_TIMEOUT_MS = 900_000;
const MAX_SHALLOW_BYTES = 64 * 1024 * 1024;
const HEAD_REF = 'refs/cypherfix/head';
const BASE_REF = 'refs/cypherfix/base';

export interface FetchOptions {
  /** A bare repository of our own; made when absent, reused and only ever deepened when present. */
  readonly gitDir: string;
  /** https, http on loopback, or file. Without credentials in it. */
  readonly url: string;
  /** Reaches git in the environment of the fetching process only. */
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly gitBinary?: string | undefined;
  readonly searchPath?: string | undefined;
  /** Proxy and certificate variables. */
  readonly network?: Readonly<Record<string, string>> | undefined;
}

export interface PullRequestCommits {
  readonly headSha: string;
  /** Tip of the base branch when it is known exactly; else `baseRef` is fetched and its tip taken. */
  readonly baseSha?: string | undefined;
  /** Full name of the base branch, `refs/heads/main`. */
  readonly baseRef?: string | undefined;
  /** Commits of the pull request, as a hint how deep to start. */
  readonly commits?: number | undefined;
}

export interface FetchedPullRequest {
  readonly headSha: string;
  readonly baseSha: string;
  readonly mergeBaseSha: string;
  /** More than one after criss-cross merges; the first is `mergeBaseSha`, as in `git diff base...head`. */
  readonly mergeBases: readonly string[];
}

/**
 * Fetches a pull request's head, the tip of its base branch and all history down to their merge base. Never submodules,
 * never tags. Throws when the head is not exactly the commit asked for or the histories are unrelated.
 */
export async function fetchPullRequest(options: FetchOptions & PullRequestCommits): Promise<FetchedPullRequest> {
  const base = options.baseSha ?? options.baseRef;
  if (base === undefined) throw new CypherFixError('internal', 'fetchPullRequest needs baseSha or baseRef');
  assertSha(options.headSha);
  if (options.baseSha !== undefined) assertSha(options.baseSha);
  const repository = await openOwnRepository(options);
  const refspecs = [`+${options.headSha}:${HEAD_REF}`, `+${base}:${BASE_REF}`];
  let depth = Math.max(FIRST_DEPTH, (options.commits ?? 0) + 1);
  await fetch(repository, repository.isNew ? [`--depth=${depth}`] : [], refspecs);
  const tips = {
    head: await verifyTip(repository, HEAD_REF, options.headSha),
    base: await verifyTip(repository, BASE_REF, options.baseSha),
  };
  for (let known = await readShallow(options.gitDir); ; ) {
    const answer = await findMergeBase(repository.local, tips, known);
    if (answer.status === 'found') return toFetched(tips, answer.mergeBase);
    if (answer.status === 'unrelated') {
      throw new CypherFixError('git', `base ${tips.base} and head ${tips.head} share no history`, {
        hint: 'The head branch was started anew. Review it as a whole tree instead.',
      });
    }
    depth = Math.min(depth * 2, MAX_DEPTH);
    await fetch(repository, [`--deepen=${depth}`], [`+${tips.head}:${HEAD_REF}`, `+${tips.base}:${BASE_REF}`]);
    const before = known;
    known = await readShallow(options.gitDir);
    if (known.size === before.size && [...known].every(sha => before.has(sha))) {
      throw new CypherFixError('git', `${options.url} is itself a shallow clone that ends above the merge base`, {
        hint: 'Fetch from a server that has the whole history.',
      });
    }
  }
}

/** Fetches one commit without history, for the review of a whole tree. Returns its id. */
export async function fetchWholeTree(options: FetchOptions & { readonly headSha: string }): Promise<string> {
  assertSha(options.headSha);
  const repository = await openOwnRepository(options);
  await fetch(repository, repository.isNew ? ['--depth=1'] : [], [`+${options.headSha}:${HEAD_REF}`]);
  return verifyTip(repository, HEAD_REF, options.headSha);
}

interface OwnRepository {
  readonly isNew: boolean;
  readonly url: string;
  /** Cannot reach any server. */
  readonly local: Git;
  /** May reach the one server, with the credential. */
  readonly remote: Git;
}

async function openOwnRepository(options: FetchOptions): Promise<OwnRepository> {
  const url = parseUrl(options.url);
  const { gitDir, signal, gitBinary, searchPath, network } = options;
  const isNew = (await stat(join(gitDir, 'HEAD')).catch(() => null)) === null;
  const credential = Buffer.from(`x-access-token:${options.token ?? ''}`).toString('base64');
  const header = [`http.${url.origin}/.extraheader`, `AUTHORIZATION: basic ${credential}`] as const;
  const common = { gitDir, signal, gitBinary, searchPath };
  const local = createGit(common);
  const remote = createGit({
    ...common,
    network,
    protocols: [url.protocol.slice(0, -1)],
    settings: options.token && url.protocol !== 'file:' ? [header] : [],
    secrets: options.token ? [options.token, credential] : [],
  });
  if (isNew) await initialise(options);
  return { isNew, url: url.href, local, remote };
}

async function initialise(options: FetchOptions): Promise<void> {
  await mkdir(options.gitDir, { recursive: true });
  const { gitDir, signal, gitBinary, searchPath } = options;
  const git = createGit({ gitDir, signal, gitBinary, searchPath });
  await assertGitVersion(git);
  await git.run(['init', '--quiet', '--bare', '--template=']);
}

async function fetch(repository: OwnRepository, depth: readonly string[], refspecs: readonly string[]): Promise<void> {
  const quiet = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-maintenance'];
  // --update-shallow: a source that is shallow itself may hand over its boundary; the merge base check then sees it.
  const args = ['fetch', ...quiet, '--update-shallow', ...depth, '--', repository.url, ...refspecs];
  await repository.remote.run(args, { timeoutMs: FETCH_TIMEOUT_MS });
}

async function verifyTip(repository: OwnRepository, ref: string, expected: string | undefined): Promise<string> {
  const objects = createObjectReader(repository.local);
  try {
    const commit = await findCommit(objects, ref);
    if (commit === null) throw new CypherFixError('git', `the fetch brought no commit for ${expected ?? ref}`);
    if (expected !== undefined && commit !== expected) {
      throw new CypherFixError('git', `the fetch brought ${commit}, not ${expected}`);
    }
    return commit;
  } finally {
    await objects.close();
  }
}

async function readShallow(gitDir: string): Promise<ReadonlySet<string>> {
  const text = readSmallFile(join(gitDir, 'shallow'), MAX_SHALLOW_BYTES)?.toString('latin1') ?? '';
  return new Set(text.split('\n').filter(Boolean));
}

function toFetched(tips: { head: string; base: string }, mergeBase: MergeBase): FetchedPullRequest {
  return { headSha: tips.head, baseSha: tips.base, mergeBaseSha: mergeBase.sha, mergeBases: mergeBase.all };
}

function assertSha(sha: string): void {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha)) {
    throw new CypherFixError('internal', `not a full commit id: ${JSON.stringify(sha)}`);
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const loopback = url?.protocol === 'http:' && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
  if (url === null || !(url.protocol === 'https:' || url.protocol === 'file:' || loopback)) {
    throw new CypherFixError('usage', 'the repository URL must be https, http on loopback, or file');
  }
  if (url.username !== '' || url.password !== '') {
    throw new CypherFixError('usage', 'the repository URL must not hold credentials');
  }
  return url;
}
