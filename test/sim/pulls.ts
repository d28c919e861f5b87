import { join } from 'node:path';
import { createRepository, type Repository } from './repository.ts';
import { type Site, timestamp } from './site.ts';
import type { Issue, PullRequest } from './state.ts';
import { closePull, setHead, syncPulls } from './sync-pulls.ts';

export interface OpenPullRequest {
  /** Head branch, which must exist. */
  head: string;
  base?: string;
  title?: string;
  body?: string;
  author?: string;
  draft?: boolean;
  labels?: string[];
  /** Numbers of issues that it would close. */
  closes?: number[];
  /** The fork that holds the head branch. */
  from?: Repository;
  number?: number;
  authorAssociation?: PullRequest['authorAssociation'];
}

export interface OpenIssue {
  title?: string;
  body?: string;
  author?: string;
  labels?: string[];
  number?: number;
}

/** What a test does to the repository as its users would. */
export interface Pulls {
  /** Copies the repository to another owner. Its branches are its own from then on. */
  fork(owner: string): Repository;
  openPullRequest(request: OpenPullRequest): PullRequest;
  openIssue(request?: OpenIssue): Issue;
  closePullRequest(number: number): void;
  findPullRequest(number: number): PullRequest;
}

export function createPulls(site: Site, directory: string): Pulls {
  const findPullRequest = (number: number): PullRequest => {
    const pull = site.state.pulls.find(candidate => candidate.number === number);
    if (pull === undefined) throw new Error(`no pull request ${number}`);
    return pull;
  };
  return {
    findPullRequest,
    fork: owner => {
      const fullName = `${owner}/${site.fullName.split('/')[1]}`;
      const fork = createRepository(fullName, join(directory, `${fullName}.git`), {
        source: site.repo,
        changed: () => syncPulls(site),
      });
      site.repositories.set(fullName.toLowerCase(), fork);
      site.state.user(owner);
      return fork;
    },
    openPullRequest: request => openPullRequest(site, request),
    openIssue: (request = {}) => {
      const issue = createIssue(site, request);
      site.state.issues.push(issue);
      return issue;
    },
    closePullRequest: number => closePull(site, findPullRequest(number)),
  };
}

function openPullRequest(site: Site, request: OpenPullRequest): PullRequest {
  const from = request.from ?? site.repo;
  const baseRef = request.base ?? site.settings.defaultBranch;
  const head = from.sha(`refs/heads/${request.head}`);
  const base = site.repo.sha(`refs/heads/${baseRef}`);
  if (head === undefined) throw new Error(`${from.fullName} has no branch ${request.head}`);
  if (base === undefined) throw new Error(`${site.fullName} has no branch ${baseRef}`);
  const isFork = from !== site.repo;
  const pull: PullRequest = {
    ...createIssue(site, { author: from.fullName.split('/')[0] ?? '', title: 'Change the shop', ...request }),
    draft: request.draft ?? false,
    merged: false,
    headRepository: from.fullName,
    headRef: request.head,
    headSha: head,
    baseRef,
    baseSha: base,
    mergeSha: null,
    closes: request.closes ?? [],
    authorAssociation: request.authorAssociation ?? (isFork ? 'NONE' : 'MEMBER'),
  };
  if (!isFork && request.author === undefined) pull.author = site.state.user('octocat');
  setHead(site, pull, head);
  site.state.pulls.push(pull);
  return pull;
}

function createIssue(site: Site, request: OpenIssue): Issue {
  const at = timestamp(site);
  return {
    id: site.state.nextId(),
    number: request.number ?? site.state.nextNumber(),
    title: request.title ?? 'Something is wrong',
    body: request.body ?? null,
    state: 'open',
    author: site.state.user(request.author ?? 'octocat'),
    labels: [...(request.labels ?? [])],
    locked: false,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    stateReason: null,
  };
}
