import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** The version that every graph test runs against, and the newest one, which needs a JDK 21 or later. */
export const OLDEST_VERSION = '5.26.30';
export const NEWEST_VERSION = '2026.08.1';

export interface Neo4jOptions {
  readonly version?: string;
  /** Null starts a server that asks for no password. */
  readonly password?: string | null;
  /** Loopback port; 0, the default, takes a free one. */
  readonly port?: number;
  /** Settings of neo4j.conf that go before those of the tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Folder of the store. One of its own, removed at the end, unless given (to start on an earlier store again). */
  readonly home?: string;
}

export interface Neo4jServer {
  /** bolt://127.0.0.1:PORT */
  readonly uri: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly version: string;
  readonly home: string;
  readonly pid: number;
  /** Ends the server cleanly (exit status 0); a folder of its own is removed. */
  stop(): Promise<void>;
  /** SIGKILL; the store stays as it is. Resolves when the process is gone. */
  kill(): Promise<void>;
}

/** Of the tests alone; Neo4j wants eight characters. */
export const TEST_PASSWORD = 'graph-tests-only';

const SETTINGS: Readonly<Record<string, string>> = {
  'server.bolt.enabled': 'true',
  'server.memory.pagecache.size': '32m',
  // Half a gigabyte of log would be reserved otherwise.
  'db.tx_log.preallocate': 'false',
  'db.tx_log.rotation.size': '8m',
  'db.lock.acquisition.timeout': '5s',
  'db.transaction.timeout': '60s',
  'dbms.usage_report.enabled': 'false',
  'internal.server.bolt.thread_pool_shutdown_wait_time': '0s',
  'db.shutdown_transaction_end_timeout': '1s',
};

const READY_WITHIN_MS = 180_000;

/** Starts a real Neo4j on loopback; resolves when it answers. What it needs is installed by `setup`. */
export async function startNeo4j(options: Neo4jOptions = {}): Promise<Neo4jServer> {
  const version = options.version ?? OLDEST_VERSION;
  const password = options.password === undefined ? TEST_PASSWORD : options.password;
  const { java, classPath } = await prepareServer(version);
  const ownHome = options.home === undefined;
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'cypherfix-neo4j-')));
  const settings = {
    ...SETTINGS,
    ...(version.startsWith('5.') ? {} : { 'server.fleet_discovery.enabled': 'false' }),
    'server.bolt.listen_address': `127.0.0.1:${options.port ?? 0}`,
    'dbms.security.auth_enabled': password === null ? 'false' : 'true',
    ...options.settings,
  };
  const child = spawn(
    java,
    [
      '-XX:TieredStopAtLevel=1',
      '-XX:+UseSerialGC',
      '-Xmx512m',
      '-Dlog4j2.disable.jmx=true',
      '-cp',
      classPath,
      'GraphTestServer',
      home,
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    ],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], ...(password === null ? {} : { GRAPH_TEST_PASSWORD: password }) },
    },
  );
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const removeHome = () => (ownHome ? rm(home, { recursive: true, force: true }) : Promise.resolve());
  try {
    const port = await readPort(child, version);
    return {
      uri: `bolt://127.0.0.1:${port}`,
      port,
      user: 'neo4j',
      password: password ?? '',
      version,
      home,
      pid: child.pid ?? 0,
      async stop() {
        child.stdin?.end();
        await gone;
        await removeHome();
      },
      async kill() {
        child.kill('SIGKILL');
        await gone;
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    await gone;
    await removeHome();
    throw error;
  }
}

/** Whether this machine can run a version: false where it needs a newer JDK than there is. */
export async function canRun(version: string): Promise<boolean> {
  try {
    await prepareServer(version);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 3) return false;
    throw error;
  }
}

async function prepareServer(version: string): Promise<{ java: string; classPath: string }> {
  const script = new URL('./setup', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)('bash', [script, version], { timeout: 900_000 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { java: string; classPath: string };
}

/** The JVM may print warnings first. What it says on standard error shows only when the start fails. */
function readPort(child: ChildProcess, version: string): Promise<number> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the server has no output');
  let errors = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`Neo4j ${version} was not ready in time: ${errors}`)),
      READY_WITHIN_MS,
    );
    const lines = createInterface({ input: stdout });
    lines.on('line', line => {
      if (!line.startsWith('{"ready"')) return;
      clearTimeout(timer);
      resolve((JSON.parse(line) as { port: number }).port);
    });
    child.once('error', reject);
    child.once('exit', code => {
      clearTimeout(timer);
      reject(new Error(`Neo4j ${version} ended with ${code} before it was ready: ${errors}`));
    });
  });
}
