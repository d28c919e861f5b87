import { createReadStream, createWriteStream, existsSync, mkdtempSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface CacheEntry {
  id: number;
  key: string;
  version: string;
  size: number;
  /** The archive on disk, as uploaded. */
  path: string;
}

export interface CacheServer {
  url: string;
  /** Variables that @actions/cache reads. The runner gives them to JavaScript actions only. */
  env: Record<string, string>;
  entries: CacheEntry[];
  /** Calls in order, such as `CreateCacheEntry` and `PUT blob`. */
  calls: string[];
  close(): Promise<void>;
}

interface Store {
  url: string;
  token: string;
  directory: string;
  readOnly: boolean;
  entries: CacheEntry[];
  reserved: CacheEntry[];
  calls: string[];
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

const SERVICE = '/twirp/github.actions.results.api.v1.CacheService/';

/**
 * The cache service that @actions/cache talks to (version 2): its three calls, and the blob store behind their
 * addresses. With `mode: 'read'` the token is one of a run that may not write, and the variable says so as well.
 */
export async function startCacheServer(options: { mode?: 'read' | 'write' } = {}): Promise<CacheServer> {
  const store: Store = {
    url: '',
    token: `runtime-${Math.random().toString(36).slice(2)}`,
    directory: mkdtempSync(join(tmpdir(), 'sim-cache-')),
    readOnly: options.mode === 'read',
    entries: [],
    reserved: [],
    calls: [],
  };
  const server = createServer((request, response) => {
    serve(store, request, response).catch((error: unknown) => reply(response, 500, { msg: String(error) }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  store.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: store.url,
    env: {
      ACTIONS_RESULTS_URL: `${store.url}/`,
      ACTIONS_CACHE_URL: `${store.url}/`,
      ACTIONS_RUNTIME_TOKEN: store.token,
      ACTIONS_CACHE_SERVICE_V2: 'true',
      // Any other host counts as an Enterprise Server, which has no version 2.
      GITHUB_SERVER_URL: 'http://github.localhost',
      ...(store.readOnly ? { ACTIONS_CACHE_MODE: 'read' } : {}),
    },
    entries: store.entries,
    calls: store.calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await rm(store.directory, { recursive: true, force: true });
    },
  };
}

async function serve(store: Store, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', store.url);
  if (url.pathname.startsWith('/blob/')) return serveBlob(store, url, request, response);
  const call = url.pathname.replace(SERVICE, '');
  store.calls.push(call);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.headers.authorization !== `Bearer ${store.token}`) {
    return reply(response, 401, { code: 'unauthenticated', msg: 'bad runtime token' });
  }
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
  const send = (answer: Answer) => reply(response, answer.status, answer.body);
  if (call === 'CreateCacheEntry') return send(createEntry(store, body));
  if (call === 'FinalizeCacheEntryUpload') return send(finalizeEntry(store, body));
  if (call === 'GetCacheEntryDownloadURL') return send(findEntry(store, body));
  return reply(response, 404, { code: 'bad_route', msg: `no such call: ${call}` });
}

function createEntry(store: Store, body: Record<string, unknown>): Answer {
  if (store.readOnly) return { status: 403, body: { code: 'permission_denied', msg: 'cache token is read-only' } };
  const { key, version } = body as { key: string; version: string };
  const same = (entry: CacheEntry) => entry.key === key && entry.version === version;
  if (store.entries.some(same) || store.reserved.some(same)) {
    return { status: 409, body: { code: 'already_exists', msg: 'cache entry with the same key and version exists' } };
  }
  const id = store.entries.length + store.reserved.length + 1;
  store.reserved.push({ id, key, version, size: 0, path: join(store.directory, String(id)) });
  return { status: 200, body: { ok: true, signed_upload_url: `${store.url}/blob/${id}?sig=upload` } };
}

function finalizeEntry(store: Store, body: Record<string, unknown>): Answer {
  const index = store.reserved.findIndex(entry => entry.key === body['key'] && entry.version === body['version']);
  const [entry] = index < 0 ? [] : store.reserved.splice(index, 1);
  if (entry === undefined || !existsSync(entry.path))
    return { status: 404, body: { code: 'not_found', msg: 'no upload' } };
  const size = statSync(entry.path).size;
  if (size !== Number(body['size_bytes'])) {
    return { status: 400, body: { code: 'invalid_argument', msg: `size is ${size}, not ${body['size_bytes']}` } };
  }
  store.entries.push({ ...entry, size });
  return { status: 200, body: { ok: true, entry_id: String(entry.id) } };
}

/** The exact key, else the newest entry that starts with one of the restore keys, in their order. */
function findEntry(store: Store, body: Record<string, unknown>): Answer {
  const {
    key,
    restore_keys: prefixes = [],
    version,
  } = body as { key: string; restore_keys?: string[]; version: string };
  const candidates = store.entries.filter(entry => entry.version === version);
  const found =
    candidates.find(entry => entry.key === key) ??
    prefixes
      .map(prefix => candidates.findLast(entry => entry.key.startsWith(prefix)))
      .find(entry => entry !== undefined);
  if (found === undefined) return { status: 200, body: { ok: false } };
  const address = `${store.url}/blob/${found.id}?sig=download`;
  return { status: 200, body: { ok: true, signed_download_url: address, matched_key: found.key } };
}

/** Put Blob, Put Block, Put Block List, Get Blob with a range, Get Blob Properties: what the uploader and downloader use. */
async function serveBlob(store: Store, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = join(store.directory, url.pathname.replace('/blob/', '').replace(/\D/g, ''));
  const part = url.searchParams.get('comp');
  store.calls.push(`${request.method} ${part ?? 'blob'}`);
  if (request.method === 'PUT') {
    if (part === 'blocklist') await joinBlocks(path, request);
    else
      await pipeline(
        request,
        createWriteStream(part === 'block' ? blockPath(path, url.searchParams.get('blockid')) : path),
      );
    response.writeHead(201, { etag: '"1"', 'last-modified': new Date().toUTCString(), 'x-ms-request-id': '1' });
    response.end();
    return;
  }
  if (!existsSync(path)) return reply(response, 404, { code: 'BlobNotFound' });
  const { size } = statSync(path);
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? String(request.headers['x-ms-range'] ?? ''));
  const start = Number(range?.[1] ?? 0);
  const end = Math.min(size - 1, range?.[2] ? Number(range[2]) : size - 1);
  response.writeHead(range === null ? 200 : 206, {
    'content-length': String(end - start + 1),
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(path, { start, end }), response);
}

async function joinBlocks(path: string, request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const ids = [
    ...Buffer.concat(chunks)
      .toString('utf8')
      .matchAll(/<Latest>([^<]+)<\/Latest>/g),
  ].map(match => match[1]);
  const file = createWriteStream(path);
  for (const id of ids) file.write(await readFile(blockPath(path, id ?? null)));
  await new Promise<void>(resolve => file.end(resolve));
}

function blockPath(path: string, id: string | null): string {
  return `${path}.${Buffer.from(id ?? '').toString('hex')}`;
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
