import { SILENT_LOG } from '../../src/core/log.ts';
import { createGitHub, type GitHub, type GitHubOptions } from '../../src/github/client.ts';
import { type GitHub as Simulator, type GitHubOptions as SimulatorOptions, startGitHub } from '../sim/github.ts';
import type { PullRequest } from '../sim/state.ts';

export const LINES = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
export const toText = (lines: readonly string[]) => `${lines.join('\n')}\n`;

export interface World {
  readonly sim: Simulator;
  readonly gh: GitHub;
  readonly repository: { owner: string; repo: string };
  readonly pull: PullRequest;
  /** Waits that the client would have made, in milliseconds. */
  readonly waits: number[];
  /** A client with another token or other options. */
  client(options?: Partial<GitHubOptions>): GitHub;
}

/** A repository with one pull request: src/a.js changed on lines 2, 3 and 40, src/b.js new with 200 lines. */
export async function startWorld(options: SimulatorOptions = {}): Promise<World> {
  const sim = await startGitHub({ repository: 'octo/repo', files: { 'src/a.js': toText(LINES) }, ...options });
  sim.repo.setBranch('feature', sim.repo.sha('main') ?? '');
  const changed = LINES.with(1, 'eval(x)').with(2, 'eval(y)').with(39, 'new Function(z)');
  const added = Array.from({ length: 200 }, (_, index) => `new line ${index + 1}`);
  sim.repo.commit({ branch: 'feature', files: { 'src/a.js': toText(changed), 'src/b.js': toText(added) } });
  sim.setRole('alice', 'write');
  const pull = sim.openPullRequest({ head: 'feature', author: 'alice', number: 7 });
  const waits: number[] = [];
  const client = (change: Partial<GitHubOptions> = {}) =>
    createGitHub({
      token: sim.token,
      apiUrl: sim.url,
      log: SILENT_LOG,
      signal: new AbortController().signal,
      writeSpacingMs: 0,
      jitter: () => 0,
      sleep: async ms => {
        waits.push(ms);
      },
      ...change,
    });
  return { sim, gh: client(), repository: { owner: 'octo', repo: 'repo' }, pull, waits, client };
}
