import { type GitHub, type GitHubOptions, startGitHub } from '../sim/github.ts';
import type { OpenPullRequest } from '../sim/pulls.ts';
import type { FileChange, Repository } from '../sim/repository.ts';
import type { CheckRun, PullRequest, ReviewComment } from '../sim/state.ts';

/** A clean program of the default branch; line 5 is the one that changes spoil. */
export const CLEAN = `import json


def run(name):
    return json.loads(name)
`;

/** High: ruff S602 and bandit B602, on line 6. Medium: S307 and B307, on line 10. */
export const FAULTY = `import json
import subprocess


def run(name):
    return subprocess.run("ls " + name, shell=True)


def calculate(text):
    return eval(text)
`;

/** One of the two is mended, and another high one stands on line 14. */
export const HALF_MENDED = `import json
import subprocess


def run(name):
    return json.loads(name)


def calculate(text):
    return eval(text)


def listen(name):
    return subprocess.call("nc " + name, shell=True)
`;

/** A GitHub with a small repository on its default branch. */
export const startShop = (options: GitHubOptions = {}): Promise<GitHub> =>
  startGitHub({
    settings: { hourlyLimit: 100_000, contentPerMinute: 10_000, ...options.settings },
    ...options,
    files: { 'README.md': '# Shop\n', 'app.py': CLEAN, ...options.files },
  });

/** A branch from the default branch with these files, and its pull request. */
export function openChange(
  github: GitHub,
  branch: string,
  files: Record<string, FileChange>,
  request: Partial<OpenPullRequest> = {},
): PullRequest {
  const from: Repository = request.from ?? github.repo;
  from.setBranch(branch, from.sha('main') ?? '');
  from.commit({ branch, files });
  return github.openPullRequest({ head: branch, ...request });
}

export const commentsOn = (github: GitHub, pull: PullRequest): ReviewComment[] =>
  github.state.reviewComments.filter(comment => comment.pullNumber === pull.number);

/** Ours: a person's reply in a thread is a review too. */
export const reviewsOn = (github: GitHub, pull: PullRequest) =>
  github.state.reviews.filter(review => review.pullNumber === pull.number && review.author.type === 'Bot');

/** The newest check run of a commit. */
export function checkOf(github: GitHub, headSha: string): CheckRun {
  const check = github.state.checkRuns.findLast(candidate => candidate.headSha === headSha);
  if (check === undefined) throw new Error(`no check run for ${headSha}`);
  return check;
}

export const reactionsTo = (github: GitHub, kind: 'issue-comment' | 'review-comment', id: number): string[] =>
  github.state.reactions.filter(reaction => reaction.subject === `${kind}/${id}`).map(reaction => reaction.content);
