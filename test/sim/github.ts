import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createState } from './create-state.ts';
import { createFaultQueue, type FaultQueue, type Match } from './faults.ts';
import { createIdTokenSource, type IdTokenSource } from './http/oidc.ts';
import { type Hook, listen } from './http/server.ts';
import { createJournal, type Journal } from './journal.ts';
import { createPeople, type People } from './people.ts';
import { createPulls, type Pulls } from './pulls.ts';
import { createRepository, type FileChange, type Repository } from './repository.ts';
import { createRuns, type Runs } from './runs.ts';
import type { Settings, Site } from './site.ts';
import type { State } from './state.ts';
import { syncPulls } from './sync-pulls.ts';
import { createToken, type Permissions, type Token } from './tokens.ts';

export interface GitHubOptions {
  /** `owner/name`; default `acme/shop`. */
  repository?: string;
  /** Files of the first commit on the default branch; null starts with an empty repository. */
  files?: Record<string, FileChange> | null;
  /** What the workflow's token may do; default everything. */
  permissions?: Permissions;
  settings?: Partial<Settings>;
  now?: () => Date;
}

/** A GitHub on loopback with one repository in it. */
export interface GitHub extends Pulls, People, Runs {
  /** Root of the API, of the web and of git alike. GraphQL is at `/graphql`, and all of the API at `/api/v3` too. */
  url: string;
  owner: string;
  name: string;
  fullName: string;
  /** The workflow's own token (`github-actions[bot]`). */
  token: string;
  /** The same token's record: `permissions` may be changed at any time. */
  workflowToken: Token;
  repo: Repository;
  journal: Journal;
  faults: FaultQueue;
  state: State;
  settings: Settings;
  /** Bugs of the simulator, or requests that it does not model. */
  violations: string[];
  site: Site;
  /** Another token: a person's, or an App's. */
  addToken(options?: Parameters<typeof createToken>[1]): Token;
  /** Runs `action` when the `nth` matching request (default the first) has been handled, before its answer is sent. */
  after(match: Match, action: () => void | Promise<void>, nth?: number): void;
  /** For ACTIONS_ID_TOKEN_REQUEST_URL and _TOKEN. */
  createIdTokenSource(): IdTokenSource;
  /** Stops the server and removes the repositories; rejects when there were violations. */
  close(): Promise<void>;
}

export async function startGitHub(options: GitHubOptions = {}): Promise<GitHub> {
  const fullName = options.repository ?? 'acme/shop';
  const [owner = '', name = ''] = fullName.split('/');
  const directory = mkdtempSync(join(tmpdir(), 'sim-github-'));
  const site = createSite(fullName, directory, options);
  const hooks: Hook[] = [];
  const idTokens: IdTokenSource[] = [];
  const workflowToken = createToken(
    site.state,
    options.permissions === undefined ? {} : { permissions: options.permissions },
  );
  site.tokens.set(workflowToken.value, workflowToken);
  site.state.users.set(owner.toLowerCase(), { ...site.state.user(owner), type: 'Organization' });
  const server = await listen({ site, hooks, idTokens, pushed: () => syncPulls(site) });
  const branch = site.settings.defaultBranch;
  if (options.files !== null) {
    site.repo.commit({ branch, files: options.files ?? { 'README.md': '# Shop\n' }, message: 'First commit' });
  }
  return {
    ...createPulls(site, directory),
    ...createPeople(site),
    ...createRuns(site),
    url: site.url,
    owner,
    name,
    fullName,
    token: workflowToken.value,
    workflowToken,
    repo: site.repo,
    journal: site.journal,
    faults: site.faults,
    state: site.state,
    settings: site.settings,
    violations: site.violations,
    site,
    addToken: tokenOptions => {
      const token = createToken(site.state, tokenOptions);
      site.tokens.set(token.value, token);
      return token;
    },
    after: (match, action, nth = 1) => {
      hooks.push({ match, action, left: nth });
    },
    createIdTokenSource: () => {
      const source = createIdTokenSource(site);
      idTokens.push(source);
      return source;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
      if (site.violations.length > 0) throw new Error(`the GitHub simulator found:\n${site.violations.join('\n')}`);
    },
  };
}

function createSite(fullName: string, directory: string, options: GitHubOptions): Site {
  const settings: Settings = {
    private: false,
    defaultBranch: 'main',
    actionsMayApprove: false,
    hourlyLimit: 1_000,
    contentPerMinute: 80,
    reviewCommentsPosted: 60,
    ...options.settings,
  };
  const site: Omit<Site, 'repo'> = {
    url: '',
    fullName,
    repositories: new Map(),
    state: createState(),
    settings,
    tokens: new Map(),
    journal: createJournal(),
    faults: createFaultQueue(),
    violations: [],
    now: options.now ?? (() => new Date()),
  };
  const whole: Site = Object.assign(site, {
    repo: createRepository(fullName, join(directory, `${fullName}.git`), { changed: () => syncPulls(whole) }),
  });
  whole.repositories.set(fullName.toLowerCase(), whole.repo);
  return whole;
}
