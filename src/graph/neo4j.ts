import neo4j, { type Driver, type Result, type Session } from 'neo4j-driver';
import { CypherFixError } from '../core/errors.ts';
import { TOOL } from '../core/version.ts';
import { type ConnectTarget, toConnectError, tooOld } from './connect-failure.ts';
import type { Graph, GraphTx, Params, ReadOptions, Row, WriteOptions } from './graph.ts';
import { GraphError, isRetryable } from './graph-failure.ts';
import { loadQuery } from './load-query.ts';
import { toDriverParams, toPlainRow, toSparseRow } from './neo4j-values.ts';
import { parseServerAgent } from './server-version.ts';
import { startWatch } from './watch.ts';

export interface ConnectOptions {
  /** neo4j://, neo4j+s://, bolt:// or bolt+s:// with host and port; user and password never stand in it. */
  readonly uri: string;
  readonly user: string;
  readonly password: string;
  /** Name of the database; empty for the user's home database. */
  readonly database: string;
  readonly timeouts?: GraphTimeouts;
  readonly signal?: AbortSignal;
}

/** All in milliseconds. */
export interface GraphTimeouts {
  /** To open one connection: 5,000. */
  readonly connectMs?: number;
  /** Of a read that names none: 30,000. */
  readonly readMs?: number;
  /** Of an attempt to write that names none: 60,000. */
  readonly writeMs?: number;
  /** What a silent server gets beyond a transaction's own limit before the connection is given up: 15,000. */
  readonly graceMs?: number;
}

const SCHEMES = ['neo4j:', 'neo4j+s:', 'bolt:', 'bolt+s:'];
const READ_ATTEMPTS = 3;
const WRITE_ATTEMPTS = 5;
const CLOSE_MS = 3000;

/**
 * Opens the database and checks its version before any query. Every failure is a GraphError (exit status 69) that says
 * what to do and names neither user nor password.
 */
export async function connectGraph(options: ConnectOptions): Promise<Graph> {
  const target: ConnectTarget = { ...options, address: parseAddress(options.uri) };
  const timeouts = { connectMs: 5000, readMs: 30_000, writeMs: 60_000, graceMs: 15_000, ...options.timeouts };
  let driver: Driver | undefined;
  const watch = startWatch(timeouts.connectMs * 2 + timeouts.graceMs, options.signal);
  try {
    driver = createDriver(options, timeouts.connectMs);
    const { database } = options;
    const info = await watch.race(driver.getServerInfo(database === '' ? {} : { database }));
    const { version, supported } = parseServerAgent(info.agent);
    if (!supported) throw tooOld(version, target.address);
    const graph = openGraph(driver, version, database, timeouts);
    // Over bolt:// the name of the database is looked at with the first query only.
    await watch.race(graph.read(loadQuery('ready'), {}, { timeoutMs: timeouts.connectMs + timeouts.graceMs }));
    return graph;
  } catch (error) {
    if (driver !== undefined) await closeSoon(driver);
    if (error instanceof CypherFixError && !(error instanceof GraphError)) throw error;
    throw toConnectError(error, target);
  } finally {
    watch.end();
  }
}

function createDriver({ uri, user, password }: ConnectOptions, connectMs: number): Driver {
  return neo4j.driver(uri, user === '' && password === '' ? undefined : neo4j.auth.basic(user, password), {
    connectionTimeout: connectMs,
    connectionAcquisitionTimeout: connectMs * 3,
    maxConnectionPoolSize: 10,
    // Repeating is ours: the driver counts time, not attempts, and may take twice its limit.
    disableAutoCommitRetries: true,
    userAgent: `${TOOL.name}/${TOOL.version}`,
    telemetryDisabled: true,
    // No filter of notifications: a server before 5.7 would fail at it instead of telling its version.
  });
}

/** `host:port`, checked. What is not understood is not repeated: it might hold a password. */
function parseAddress(uri: string): string {
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    throw new GraphError('other', 'NEO4J_URI is not an address', {
      hint: 'for example neo4j+s://graph.example.com:7687',
    });
  }
  if (/^(bolt|neo4j)\+ssc:$/.test(url.protocol)) {
    throw new GraphError('other', `the scheme ${url.protocol}// would trust any certificate, so it is refused`, {
      hint: 'use the scheme ending in +s, and NODE_EXTRA_CA_CERTS for a private certificate authority',
    });
  }
  if (!SCHEMES.includes(url.protocol)) {
    throw new GraphError('other', 'NEO4J_URI has a scheme that is not one of Neo4j', {
      hint: `the schemes are ${SCHEMES.map(scheme => `${scheme}//`).join(', ')}`,
    });
  }
  if (url.username !== '' || url.password !== '' || url.hostname === '') {
    throw new GraphError('other', 'NEO4J_URI must be a scheme, a host and a port, with no user or password', {
      hint: 'user and password belong in NEO4J_USER and NEO4J_PASSWORD',
    });
  }
  return url.host;
}

function openGraph(driver: Driver, serverVersion: string, database: string, limits: Required<GraphTimeouts>): Graph {
  const openSession = (mode: 'READ' | 'WRITE'): Session =>
    driver.session({ defaultAccessMode: mode, ...(database === '' ? {} : { database }) });

  async function readOnce(query: string, params: Params, timeoutMs: number): Promise<Row[]> {
    const session = openSession('READ');
    const watch = startWatch(timeoutMs + limits.graceMs);
    try {
      return await watch.race(toRows(session.run(query, toDriverParams(params), { timeout: timeoutMs })));
    } finally {
      watch.end();
      await closeSoon(session);
    }
  }

  async function writeOnce<T>(work: (tx: GraphTx) => Promise<T>, timeoutMs: number, signal?: AbortSignal): Promise<T> {
    const session = openSession('WRITE');
    const watch = startWatch(timeoutMs + limits.graceMs, signal);
    try {
      const tx = await watch.race(Promise.resolve(session.beginTransaction({ timeout: timeoutMs })));
      const run: GraphTx['run'] = (query, params = {}) => toRows(tx.run(query, toDriverParams(params)));
      const value = await watch.race(work({ run }));
      // What the server may have committed already must not be called stopped.
      watch.ignoreSignal();
      await watch.race(tx.commit());
      return value;
    } finally {
      watch.end();
      // Resets the connection, which ends a query under way and rolls an open transaction back.
      await closeSoon(session);
    }
  }

  return {
    serverVersion,
    read: (query, params = {}, options: ReadOptions = {}) =>
      repeat(() => readOnce(query, params, options.timeoutMs ?? limits.readMs), READ_ATTEMPTS),
    async *stream(query, params = {}, options: ReadOptions = {}) {
      const session = openSession('READ');
      const timeout = options.timeoutMs ?? limits.readMs;
      const watch = startWatch(timeout + limits.graceMs);
      try {
        const records = session.run(query, toDriverParams(params), { timeout })[Symbol.asyncIterator]();
        for (let next = await watch.race(records.next()); next.done !== true; next = await watch.race(records.next())) {
          yield toSparseRow(next.value);
        }
      } finally {
        watch.end();
        await closeSoon(session);
      }
    },
    write: (work, options: WriteOptions = {}) =>
      repeat(
        () => writeOnce(work, options.timeoutMs ?? limits.writeMs, options.signal),
        options.attempts ?? WRITE_ATTEMPTS,
        options.signal,
      ),
    close: () => closeSoon(driver),
  };
}

async function toRows(result: Result): Promise<Row[]> {
  const { records } = await result;
  return records.map(toPlainRow);
}

async function repeat<T>(once: () => Promise<T>, attempts: number, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once();
    } catch (error) {
      if (attempt >= attempts || signal?.aborted === true || !isRetryable(error)) throw error;
      // Two that ran into each other must not do so again at once.
      const pauseMs = 50 * 2 ** attempt * (0.5 + Math.random());
      await new Promise(resolve => setTimeout(resolve, pauseMs));
    }
  }
}

/** A server that has gone silent must not hold up the end. */
async function closeSoon(open: { close(): Promise<void> }): Promise<void> {
  const watch = startWatch(CLOSE_MS);
  await watch.race(open.close()).catch(() => {});
  watch.end();
}
