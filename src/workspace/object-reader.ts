import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { CypherFixError } from '../core/errors.ts';
import { type Git, killGroup, toInterruption } from './git.ts';

/** Without a byte for so long, git waits for something that never comes, such as a pipe in the place of a ref. */
const STALL_MS = 120_000;

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  /** Null where the object is longer than was asked for. */
  readonly bytes: Buffer | null;
}

/** Reads objects through one long-lived process, in the order of the requests. */
export interface ObjectReader {
  /** `name` is anything git can resolve (an id, `main^{commit}`); null when there is no such object, or several. */
  read(name: string, maxBytes: number): Promise<GitObject | null>;
  close(): Promise<void>;
}

interface Request {
  readonly name: string;
  readonly maxBytes: number;
  readonly resolve: (object: GitObject | null) => void;
  readonly reject: (error: unknown) => void;
}

export function createObjectReader(git: Git, stallMs = STALL_MS): ObjectReader {
  let batch: Batch | null = null;
  return {
    read(name, maxBytes) {
      if (/[\n\0]/.test(name)) return Promise.resolve(null);
      if (batch === null || batch.ended) batch = startBatch(git, stallMs);
      return batch.ask(name, maxBytes);
    },
    async close() {
      await batch?.end();
      batch = null;
    },
  };
}

interface Batch {
  readonly ended: boolean;
  ask(name: string, maxBytes: number): Promise<GitObject | null>;
  end(): Promise<void>;
}

function startBatch(git: Git, stallMs: number): Batch {
  const child = git.start(['cat-file', '--batch']);
  const waiting: Request[] = [];
  let ended = false;
  let stderr = '';
  let timer: NodeJS.Timeout | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-1_000);
  });
  const fail = (cause?: unknown): void => {
    ended = true;
    clearTimeout(timer);
    for (const request of waiting.splice(0)) {
      const why = `git cannot read ${JSON.stringify(request.name)}: ${stderr.trim() || 'it ended early'}`;
      request.reject(git.signal?.aborted ? toInterruption() : new CypherFixError('git', why, { cause }));
    }
  };
  const watch = (): void => {
    clearTimeout(timer);
    if (waiting.length === 0) return;
    timer = setTimeout(() => {
      stderr = `no answer within ${Math.round(stallMs / 1000)} s`;
      killGroup(child.pid);
    }, stallMs);
  };
  child.once('error', fail);
  const closed = new Promise<void>(resolve => {
    child.once('close', () => {
      fail();
      resolve();
    });
  });
  readAnswers(child, waiting);
  child.stdout.on('data', watch);
  return {
    get ended() {
      return ended;
    },
    ask(name, maxBytes) {
      return new Promise((resolve, reject) => {
        waiting.push({ name, maxBytes, resolve, reject });
        child.stdin.write(`${name}\n`);
        if (waiting.length === 1) watch();
      });
    },
    async end() {
      ended = true;
      child.stdin.end();
      // An answer that nobody waits for may be long; the process holds nothing worth a clean end.
      if (waiting.length > 0) killGroup(child.pid);
      await closed;
    },
  };
}

interface Body {
  readonly object: GitObject;
  /** Bytes still to come, with the newline after the object. */
  left: number;
}

function readAnswers(child: ChildProcessWithoutNullStreams, waiting: Request[]): void {
  let header = '';
  let body: Body | null = null;
  child.stdout.on('data', (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      if (body !== null) {
        const take = Math.min(body.left, chunk.length - at);
        const bytes = body.object.bytes;
        if (bytes !== null) chunk.copy(bytes, bytes.length + 1 - body.left, at, at + take);
        body.left -= take;
        at += take;
        if (body.left > 0) return;
        waiting.shift()?.resolve(body.object);
        body = null;
        continue;
      }
      const end = chunk.indexOf(10, at);
      header += chunk.toString('utf8', at, end < 0 ? chunk.length : end);
      if (end < 0) return;
      at = end + 1;
      const line = header;
      header = '';
      body = startBody(line, waiting);
    }
  });
}

// `<id> <type> <size>`, or `<name> missing`, `<name> ambiguous`.
function startBody(line: string, waiting: Request[]): Body | null {
  const found = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/.exec(line);
  if (found?.[1] === undefined || found[2] === undefined) {
    waiting.shift()?.resolve(null);
    return null;
  }
  const size = Number(found[3]);
  const bytes = size <= (waiting[0]?.maxBytes ?? 0) ? Buffer.alloc(size) : null;
  return { object: { id: found[1], type: found[2], size, bytes }, left: size + 1 };
}
