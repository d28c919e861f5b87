import { getOctokit } from '@actions/github';
import { type GitHub, type GitHubOptions, startGitHub } from './github.ts';
import type { OpenPullRequest } from './pulls.ts';
import type { PullRequest } from './state.ts';

export interface Scene {
  github: GitHub;
  octokit: ReturnType<typeof getOctokit>;
  pull: PullRequest;
  /** `owner` and `repo`, as octokit wants them. */
  place: { owner: string; repo: string };
  /** The same with `pull_number`. */
  at: { owner: string; repo: string; pull_number: number };
}

/** Sixty numbered lines: far enough apart for two hunks. */
export const LINES = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);

/**
 * A site with one open pull request: `a.js` changed in lines 10 and 50 (two hunks, 7-13 and 47-53), `b.js` added with
 * three lines, `gone.js` deleted, `old.js` renamed to `new.js`.
 */
export async function startWithPull(
  options: GitHubOptions = {},
  request: Partial<OpenPullRequest> = {},
): Promise<Scene> {
  const github = await startGitHub({
    ...options,
    files: { 'a.js': toText(LINES), 'gone.js': 'x\n', 'old.js': toText(LINES.slice(0, 20)), ...options.files },
  });
  github.repo.setBranch('feature', github.repo.sha(github.settings.defaultBranch) ?? '');
  github.repo.commit({
    branch: 'feature',
    files: {
      'a.js': toText(LINES.with(9, 'eval(x)').with(49, 'new Function(y)')),
      'b.js': 'one\ntwo\nthree\n',
      'gone.js': null,
      'old.js': null,
      'new.js': toText(LINES.slice(0, 20)),
    },
  });
  const pull = github.openPullRequest({ head: 'feature', ...request });
  const octokit = connect(github, github.token);
  const place = { owner: github.owner, repo: github.name };
  return { github, octokit, pull, place, at: { ...place, pull_number: pull.number } };
}

/** The real client on the simulator, without a retry or a throttle of its own. */
export function connect(github: GitHub, token: string): ReturnType<typeof getOctokit> {
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  return getOctokit(token, { baseUrl: github.url, log });
}

export function toText(lines: string[]): string {
  return `${lines.join('\n')}\n`;
}

/** What GitHub answered to a request that it refused. */
export async function refusal(
  request: Promise<unknown>,
): Promise<{ status: number; message: string; errors: unknown; headers: Record<string, string> }> {
  try {
    await request;
  } catch (error) {
    const { status, response } = error as {
      status: number;
      response?: { data?: { message?: string; errors?: unknown }; headers?: Record<string, string> };
    };
    const { message = '', errors } = response?.data ?? {};
    return { status, message, errors, headers: response?.headers ?? {} };
  }
  throw new Error('the request was not refused');
}
