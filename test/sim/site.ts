import type { FaultQueue } from './faults.ts';
import type { Journal } from './journal.ts';
import type { Repository } from './repository.ts';
import type { State } from './state.ts';
import type { Token } from './tokens.ts';

/** Switches of the repository and of the organisation that change what GitHub answers. */
export interface Settings {
  private: boolean;
  defaultBranch: string;
  /** "Allow GitHub Actions to create and approve pull requests". */
  actionsMayApprove: boolean;
  /** Requests an hour for one token. */
  hourlyLimit: number;
  /** Writes that create content, a minute, before the secondary limit answers. */
  contentPerMinute: number;
  /** Comments of one review above which GitHub was seen to post a part of them and answer 502. */
  reviewCommentsPosted: number;
}

/** Everything that handlers share. */
export interface Site {
  /** Root of all URLs, without a slash at the end. */
  url: string;
  /** `owner/name` of the repository under test. */
  fullName: string;
  repo: Repository;
  /** Every repository by its full name in lower case, forks included. */
  repositories: Map<string, Repository>;
  state: State;
  settings: Settings;
  tokens: Map<string, Token>;
  journal: Journal;
  faults: FaultQueue;
  /** Bugs of the simulator, or requests that it does not model: `close` fails on any. */
  violations: string[];
  now(): Date;
}

export function timestamp(site: Site): string {
  return `${site.now().toISOString().slice(0, 19)}Z`;
}

export function findRepository(site: Site, owner: string, name: string): Repository | undefined {
  return site.repositories.get(`${owner}/${name}`.toLowerCase());
}

/** The API's address of something in a repository, such as `/pulls/7`. */
export function apiUrl(site: Site, path: string, fullName = site.fullName): string {
  return `${site.url}/repos/${fullName}${path}`;
}

/** The web address of something in a repository. */
export function webUrl(site: Site, path: string, fullName = site.fullName): string {
  return `${site.url}/${fullName}${path}`;
}
