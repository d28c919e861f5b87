import type { Fetch } from './watchdog.ts';

/** Values of HTTPS_PROXY, HTTP_PROXY and NO_PROXY as the edge of the program read them. */
export interface ProxySettings {
  readonly httpsProxy: string | null;
  readonly httpProxy: string | null;
  readonly noProxy: string | null;
}

export const NO_PROXIES: ProxySettings = { httpsProxy: null, httpProxy: null, noProxy: null };

/** A fetch whose first request need not wait until it is loaded. */
export interface LazyFetch {
  readonly fetch: Fetch;
  /** Loads undici; connects to nothing. */
  prepare(): Promise<void>;
}

/**
 * A fetch that goes through the proxy of the settings. Redirects are not followed: a prompt goes to the server it was
 * meant for, or nowhere. Undici is loaded at the first request.
 */
export function createFetch(proxies: ProxySettings): LazyFetch {
  let loaded: Promise<Fetch> | null = null;
  const load = () => {
    loaded ??= connect(proxies);
    return loaded;
  };
  return {
    fetch: async (url, init) => (await load())(url, init),
    async prepare() {
      await load();
    },
  };
}

async function connect({ httpsProxy, httpProxy, noProxy }: ProxySettings): Promise<Fetch> {
  const undici = await import('undici');
  // Empty, not absent: the agent reads the environment for what it is not given.
  const dispatcher = new undici.EnvHttpProxyAgent({
    httpsProxy: httpsProxy ?? '',
    httpProxy: httpProxy ?? '',
    noProxy: noProxy ?? '',
  });
  const fetch = undici.fetch as unknown as (url: unknown, init: object) => Promise<Response>;
  return (url, init) => fetch(url, { ...init, dispatcher, redirect: 'manual' });
}
