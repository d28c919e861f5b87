import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { toMessage } from '../core/errors.ts';
import { toCveNumber } from './cve-id.ts';

/** CVE feeds of a folder, by `toCveNumber`; a feed that is absent or broken is null. */
export interface IntelFeeds {
  readonly kev: ReadonlySet<number> | null;
  readonly epss: ReadonlyMap<number, number> | null;
  readonly poc: ReadonlySet<number> | null;
  /** The feeds' own dates, ISO 8601; null where a feed names none. */
  readonly dates: { readonly kev: string | null; readonly epss: string | null };
  /** Plain sentences: what is missing, broken or stale. */
  readonly notices: readonly string[];
}

export const KEV_FILE = 'known_exploited_vulnerabilities.json';
export const EPSS_FILES = ['epss_scores-current.csv.gz', 'epss_scores-current.csv'] as const;
export const POC_FILE = 'poc.json';

/** A feed by its own date older than this is used, and reported stale. */
export const FEED_TTL_MS = 24 * 3_600_000;

/** Today's feeds have 2, 12 and 3 MiB; what is far beyond is none. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 2_000_000;
const MAX_LINE = 1_000;

/** Reads the feeds of a folder. Never rejects but for the signal: what cannot be read is a notice. */
export async function readFeeds(folder: string, now: Date, signal: AbortSignal): Promise<IntelFeeds> {
  const notices: string[] = [];
  const attempt = async <T>(name: string, read: () => Promise<T | null>): Promise<T | null> => {
    try {
      const value = await read();
      if (value === null) notices.push(`CVE intelligence: ${name} is not there; the score does without it.`);
      return value;
    } catch (error) {
      signal.throwIfAborted();
      notices.push(`CVE intelligence: ${name} cannot be used (${toMessage(error)}); the score does without it.`);
      return null;
    }
  };
  const kev = await attempt(KEV_FILE, () => readKev(join(folder, KEV_FILE)));
  const epss = await attempt(EPSS_FILES[1], () => readEpss(folder, signal));
  const poc = await attempt(POC_FILE, () => readPoc(join(folder, POC_FILE)));
  for (const [name, feed] of [
    [KEV_FILE, kev],
    [EPSS_FILES[1], epss],
  ] as const) {
    const age = feed?.date == null ? null : now.getTime() - Date.parse(feed.date);
    if (age !== null && age > FEED_TTL_MS) {
      notices.push(
        `CVE intelligence: ${name} is of ${feed?.date?.slice(0, 10)}, ${toAge(age)} old; it is used all the same.`,
      );
    }
  }
  return {
    kev: kev?.ids ?? null,
    epss: epss?.scores ?? null,
    poc,
    dates: { kev: kev?.date ?? null, epss: epss?.date ?? null },
    notices,
  };
}

const toAge = (ms: number): string => {
  const hours = Math.floor(ms / 3_600_000);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
};

async function readKev(path: string): Promise<{ ids: Set<number>; date: string | null } | null> {
  const feed = toObject(await readJson(path));
  if (feed === null) return null;
  const entries = feed['vulnerabilities'];
  if (!Array.isArray(entries)) throw new Error('it has no list `vulnerabilities`');
  const ids = new Set<number>();
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    const id = toObject(entry)?.['cveID'];
    const number = typeof id === 'string' ? toCveNumber(id.trim().toUpperCase()) : undefined;
    if (number !== undefined) ids.add(number);
  }
  return { ids, date: toDate(feed['dateReleased']) };
}

async function readPoc(path: string): Promise<Set<number> | null> {
  const feed = toObject(await readJson(path));
  if (feed === null) return null;
  const ids = new Set<number>();
  for (const [id, has] of Object.entries(feed)) {
    const number = has === true ? toCveNumber(id.trim().toUpperCase()) : undefined;
    if (number !== undefined) ids.add(number);
  }
  return ids;
}

/** `#model_version:…,score_date:…`, then a head line, then `CVE,score,percentile`. */
async function readEpss(
  folder: string,
  signal: AbortSignal,
): Promise<{ scores: Map<number, number>; date: string | null } | null> {
  for (const name of EPSS_FILES) {
    const path = join(folder, name);
    if (!(await isThere(path))) continue;
    const file = createReadStream(path, { signal });
    const scores = new Map<number, number>();
    let date: string | null = null;
    const lines = createInterface({ input: name.endsWith('.gz') ? unzip(file) : file.pipe(upTo(MAX_BYTES)) });
    for await (const line of lines) {
      if (line.length > MAX_LINE) throw new Error('a line is too long');
      if (line.startsWith('#')) date ??= toDate(/score_date:([^,\s]+)/.exec(line)?.[1]);
      else {
        const [id = '', score = ''] = line.split(',', 2);
        const number = toCveNumber(id.trim().toUpperCase());
        const value = /^\d*\.?\d+(?:e-?\d+)?$/i.test(score.trim()) ? Number(score) : Number.NaN;
        if (number !== undefined && value >= 0 && value <= 1) scores.set(number, value);
        if (scores.size > MAX_ENTRIES) throw new Error('it has too many lines');
      }
    }
    if (scores.size === 0) throw new Error('it holds no score');
    return { scores, date };
  }
  return null;
}

/** An error on either side of a pipe reaches the reader. */
function unzip(file: Readable): Readable {
  const gunzip = createGunzip();
  const capped = upTo(MAX_BYTES * 4);
  file.on('error', error => gunzip.destroy(error));
  gunzip.on('error', error => capped.destroy(error));
  return file.pipe(gunzip).pipe(capped);
}

function upTo(most: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) done(new Error(`it has more than ${most} bytes`));
      else done(null, chunk);
    },
  });
}

async function readJson(path: string): Promise<unknown> {
  if (!(await isThere(path))) return null;
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_BYTES}`);
  const value: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (toObject(value) === null) throw new Error('it holds no object');
  return value;
}

async function isThere(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

const toObject = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

function toDate(value: unknown): string | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? new Date(time).toISOString() : null;
}
