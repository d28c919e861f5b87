import type { Git } from './git.ts';

export interface MergeBase {
  /** The one that `git diff A...B` takes. */
  readonly sha: string;
  /** All best common ancestors, the chosen one first; more than one after criss-cross merges. */
  readonly all: readonly string[];
}

export type MergeBaseAnswer =
  | { readonly status: 'found'; readonly mergeBase: MergeBase }
  /** The history known here ends before the answer is certain. */
  | { readonly status: 'cut-off' }
  | { readonly status: 'unrelated' };

/**
 * The merge base of two commits, and whether missing history could change it. `shallow` holds the commits whose parents
 * are not there. An answer is certain when every path from both tips down to a merge base's history is whole: then no
 * unseen commit can be a better common ancestor.
 */
export async function findMergeBase(
  git: Git,
  tips: { readonly base: string; readonly head: string },
  shallow: ReadonlySet<string>,
): Promise<MergeBaseAnswer> {
  const found = await git.run(['merge-base', '--all', tips.base, tips.head], { okExitCodes: [1] });
  const all = found.stdout.toString('latin1').split('\n').filter(Boolean);
  const [sha] = all;
  if (sha === undefined)
    return { status: (await reaches(git, [tips.base, tips.head], [], shallow)) ? 'cut-off' : 'unrelated' };
  if (shallow.size > 0) {
    if (await reaches(git, [tips.base, tips.head], all, shallow)) return { status: 'cut-off' };
    // Of several, one may be an ancestor of another through history that is not there.
    if (all.length > 1 && (await reaches(git, all, [], shallow))) return { status: 'cut-off' };
  }
  return { status: 'found', mergeBase: { sha, all } };
}

/** True when the history of `from` without that of `without` holds a commit whose parents are missing. */
async function reaches(
  git: Git,
  from: readonly string[],
  without: readonly string[],
  shallow: ReadonlySet<string>,
): Promise<boolean> {
  if (shallow.size === 0) return false;
  let rest = '';
  let hit = false;
  const look = (chunk: Buffer): void => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    hit ||= lines.some(line => shallow.has(line));
  };
  await git.stream(['rev-list', ...from, ...without.map(sha => `^${sha}`), '--'], look);
  return hit;
}
