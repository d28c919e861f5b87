import { setTimeout as delay } from 'node:timers/promises';
import type { GitHub as OctokitClass } from '@actions/github/lib/utils';
import { CypherFixError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { TOOL } from '../core/version.ts';
import { downloadCapped } from './download.ts';
import { GitHubFailure, isLimited, isUncertain } from './failure.ts';
import { MAX_REQUESTS_PER_RUN, REQUEST_TIMEOUT_MS, UNSPACED_WRITES, WRITE_SPACING_MS } from './limits.ts';
import { DEFAULT_WAITS, Patience, type Waits } from './patience.ts';
import { toGitHubFailure } from './translate.ts';

export type Octokit = InstanceType<typeof OctokitClass>;

/**
 * Looks whether a write whose answer was lost took effect: gives its result, or null when it did not. It is asked
 * before any second sending, because a 502 after a review of many comments was seen to have posted them.
 */
export type Reconcile<T> = () => Promise<T | null>;

/** For a write that leaves the same state however often it is sent. */
export const REPEATABLE: Reconcile<never> = async () => null;

export interface GitHub {
  /** Sends reads, again after limits, server errors and lost connections. Rejects with GitHubFailure. */
  read<T>(what: string, call: (octokit: Octokit) => Promise<T>): Promise<T>;
  /** Sends one write; sends it again only after `reconcile` found nothing. Rejects with GitHubFailure. */
  write<T>(what: string, call: (octokit: Octokit) => Promise<T>, reconcile: Reconcile<T>): Promise<T>;
  /** One GraphQL query. */
  query<T>(what: string, document: string, variables: Record<string, unknown>): Promise<T>;
  /** One GraphQL mutation. */
  mutate<T>(what: string, document: string, variables: Record<string, unknown>, reconcile: Reconcile<T>): Promise<T>;
  /** Asks for the address of a file on another host and reads it, without the token. Rejects with GitHubFailure. */
  download(what: string, maxBytes: number, address: (octokit: Octokit) => Promise<string>): Promise<Buffer>;
  /** Requests sent so far. */
  readonly requests: number;
}

export interface GitHubOptions {
  readonly token: string;
  /** Base of the REST API, as in GITHUB_API_URL; GraphQL is found from it. */
  readonly apiUrl: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Least time between two writes in milliseconds, once there were ten; 0 turns it off. */
  readonly writeSpacingMs?: number;
  readonly waits?: Waits;
  readonly maxRequests?: number;
  readonly requestTimeoutMs?: number;
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly jitter?: () => number;
}

/** The client library is loaded with the first request, so that a step without one starts fast. */
export function createGitHub(options: GitHubOptions): GitHub {
  const now = options.now ?? Date.now;
  const sleep = options.sleep ?? ((ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }));
  const patience = new Patience(options.waits ?? DEFAULT_WAITS, options.jitter ?? Math.random);
  const meter: Meter = { requests: 0, writes: 0, lastWrite: 0 };
  let loading: Promise<Octokit> | undefined;

  async function attempt<T>(what: string, call: (octokit: Octokit) => Promise<T>): Promise<T | GitHubFailure> {
    loading ??= load(options, meter, now, sleep);
    const octokit = await loading;
    try {
      return await call(octokit);
    } catch (error) {
      if (options.signal.aborted) throw new CypherFixError('interrupted', `interrupted: ${what}`, { cause: error });
      return toGitHubFailure(what, error, now());
    }
  }

  async function send<T>(what: string, call: (octokit: Octokit) => Promise<T>, reconcile?: Reconcile<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const result = await attempt(what, call);
      if (!(result instanceof GitHubFailure)) return result;
      if (!isLimited(result) && !isUncertain(result)) throw result;
      const wait = patience.nextWait(result, tries);
      if (wait !== null) {
        options.log.warn(`${result.message}; waiting ${Math.ceil(wait / 1000)} s`);
        await sleep(wait, options.signal);
      }
      // A limit that ends the attempts is certain to have had no effect; everything else is looked at first.
      const found = wait === null && isLimited(result) ? null : await look(result, reconcile);
      if (found !== null) return found;
      if (wait === null) throw result;
    }
  }

  return {
    read: (what, call) => send(what, call),
    write: (what, call, reconcile) => send(what, call, reconcile),
    query: (what, document, variables) => send(what, octokit => octokit.graphql(document, variables)),
    mutate: (what, document, variables, reconcile) =>
      send(what, octokit => octokit.graphql(document, variables), reconcile),
    download: (what, maxBytes, address) =>
      send(what, async octokit => {
        const { defaults } = await import('@actions/github/lib/utils');
        const fetchIt: typeof fetch = defaults.request?.['fetch'] ?? fetch;
        return downloadCapped(fetchIt, await address(octokit), maxBytes, options.signal);
      }),
    get requests() {
      return meter.requests;
    },
  };
}

interface Meter {
  requests: number;
  writes: number;
  lastWrite: number;
}

/** What a lost write left behind; where even that cannot be read, sending again could double it, so it is not. */
async function look<T>(failure: GitHubFailure, reconcile?: Reconcile<T>): Promise<T | null> {
  try {
    return (await reconcile?.()) ?? null;
  } catch (error) {
    if (error instanceof GitHubFailure) throw failure;
    throw error;
  }
}

async function load(
  options: GitHubOptions,
  meter: Meter,
  now: () => number,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): Promise<Octokit> {
  const { GitHub: Client, getOctokitOptions } = await import('@actions/github/lib/utils');
  const baseUrl = options.apiUrl.replace(/\/+$/, '');
  const origin = new URL(baseUrl).origin;
  const quiet = () => {};
  const octokit = new Client(
    getOctokitOptions(options.token, {
      baseUrl,
      userAgent: `${TOOL.name}/${TOOL.version}`,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    }),
  );
  octokit.hook.wrap('request', async (request, parameters) => {
    if (++meter.requests > (options.maxRequests ?? MAX_REQUESTS_PER_RUN)) {
      throw new GitHubFailure('rate-limit', 0, 'the request budget of this run is used up', {
        retryAfterMs: Number.POSITIVE_INFINITY,
      });
    }
    // A `next` link that left the API's own host would take the token along.
    if (new URL(parameters.url, `${baseUrl}/`).origin !== origin) {
      throw new GitHubFailure('validation', 0, 'GitHub pointed to another host');
    }
    if (isWrite(parameters)) await spaceWrites(options, meter, now, sleep);
    const limit = AbortSignal.timeout(options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
    // Hooks of the library hand on the object that they were given, whatever they are called with.
    parameters.headers['x-github-api-version'] = '2022-11-28';
    parameters.request = { ...parameters.request, signal: AbortSignal.any([options.signal, limit]) };
    return request(parameters);
  });
  return octokit;
}

async function spaceWrites(
  options: GitHubOptions,
  meter: Meter,
  now: () => number,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const wait = meter.lastWrite + (options.writeSpacingMs ?? WRITE_SPACING_MS) - now();
  if (++meter.writes > UNSPACED_WRITES && wait > 0) await sleep(wait, options.signal);
  meter.lastWrite = now();
}

function isWrite(parameters: { method: string; url: string; query?: unknown }): boolean {
  if (parameters.method === 'GET' || parameters.method === 'HEAD') return false;
  return !(parameters.url.endsWith('/graphql') && /^\s*query\b/.test(String(parameters['query'])));
}
