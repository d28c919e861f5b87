import { toMessage } from '../core/errors.ts';
import { strip, toList, toText } from '../risk/python-values.ts';
import type { CveIntel, FindingRow, Intel } from '../risk/row.ts';
import { isCveId, toCveNumber } from './cve-id.ts';
import { FEED_TTL_MS, type IntelFeeds } from './intel-feeds.ts';
import { BATCH_SIZE, type CachedCve, type TriageStore } from './store.ts';

/** CVE intelligence, learned as the rows that name the CVEs come in. */
export interface IntelSource {
  /** What is known so far; grows with `learn`. */
  readonly intel: Intel;
  /** Looks the rows' CVEs up. Never rejects: what cannot be read is not known, and the score falls back on class priors. */
  learn(rows: readonly FindingRow[]): Promise<void>;
  /** What the feeds know better than the graph does, to be written to it. */
  news(): readonly CachedCve[];
  /** The oldest date of what was used, ISO 8601; null where nothing was. */
  date(): string | null;
  notices(): readonly string[];
}

export interface IntelOptions {
  readonly feeds: IntelFeeds | null;
  /** Null where there is no graph. */
  readonly readCache: TriageStore['readCveCache'] | null;
  readonly now: Date;
}

/** Joins the graph's cache and the feeds; nothing but CVE ids is asked, nothing but typed fields is kept. */
export function createIntelSource({ feeds, readCache, now }: IntelOptions): IntelSource {
  const intel = new Map<string, CveIntel>();
  const asked = new Set<string>();
  const news: CachedCve[] = [];
  const notices = new Set<string>();
  let stale = 0;
  let oldest: string | null = null;
  const feedDate = feeds === null ? null : earliest(feeds.dates.kev, feeds.dates.epss);

  const note = (date: string | null) => {
    oldest = earliest(oldest, date);
  };
  const readCached = async (ids: readonly string[]): Promise<ReadonlyMap<string, CachedCve>> => {
    const cached = new Map<string, CachedCve>();
    if (readCache === null) return cached;
    try {
      for (let at = 0; at < ids.length; at += BATCH_SIZE) {
        for (const one of await readCache(ids.slice(at, at + BATCH_SIZE))) cached.set(one.id, one);
      }
    } catch (error) {
      notices.add(`CVE intelligence: the graph's cache cannot be read (${toMessage(error)}).`);
    }
    return cached;
  };

  return {
    intel,
    async learn(rows) {
      const ids: string[] = [];
      for (const id of rows.flatMap(toCveIds)) {
        if (asked.has(id)) continue;
        asked.add(id);
        ids.push(id);
      }
      if (ids.length === 0) return;
      const cached = await readCached(ids);
      for (const id of ids) {
        const known = cached.get(id);
        const fed = feeds === null ? undefined : lookUp(feeds, id);
        const isNewer = isAfter(feedDate, known?.intelAt ?? null);
        const joined = join(known, fed, isNewer);
        if (joined === undefined) continue;
        intel.set(id, joined);
        if (known !== undefined) note(known.intelAt);
        if (fed !== undefined) note(feedDate);
        if (known !== undefined && fed === undefined && isOld(known.intelAt, now)) stale++;
        if (fed !== undefined && feedDate !== null && isNewer) news.push({ id, ...joined, intelAt: feedDate });
      }
    },
    news: () => news,
    date: () => oldest,
    notices: () => [
      ...(feeds?.notices ?? []),
      ...notices,
      ...(stale === 0 ? [] : [`CVE intelligence: of ${stale} CVEs the graph knows only what is older than 24 hours.`]),
    ],
  };
}

/** The row's CVE ids in upper case; whatever else stands in the column is left out. */
export function toCveIds(row: FindingRow): string[] {
  return toList(row.cve_ids)
    .map(id => strip(toText(id)).toUpperCase())
    .filter(isCveId);
}

interface FedCve {
  readonly kev?: boolean;
  readonly hasPoc?: boolean;
  readonly epssScore?: number;
}

/** What the feeds say; undefined where none of them names the CVE. */
function lookUp({ kev, epss, poc }: IntelFeeds, id: string): FedCve | undefined {
  const number = toCveNumber(id);
  if (number === undefined) return undefined;
  const epssScore = epss?.get(number);
  const isListed = kev?.has(number) === true;
  const hasPoc = poc?.has(number) === true;
  if (epssScore === undefined && !isListed && !hasPoc) return undefined;
  return { kev: isListed, hasPoc, ...(epssScore === undefined ? {} : { epssScore }) };
}

/** Listed once is listed; of two EPSS scores the newer one holds. */
function join(known: CachedCve | undefined, fed: FedCve | undefined, isNewer: boolean): CveIntel | undefined {
  if (known === undefined && fed === undefined) return undefined;
  const [first, second] = isNewer ? [fed, known] : [known, fed];
  const epssScore = first?.epssScore ?? second?.epssScore;
  return {
    kev: known?.kev === true || fed?.kev === true,
    hasPoc: known?.hasPoc === true || fed?.hasPoc === true,
    hasTemplate: known?.hasTemplate === true,
    ...(epssScore === undefined ? {} : { epssScore }),
  };
}

const earliest = (a: string | null, b: string | null): string | null => {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) <= Date.parse(b) ? a : b;
};

const isAfter = (date: string | null, other: string | null): boolean =>
  date !== null && (other === null || Date.parse(date) > Date.parse(other));

const isOld = (date: string | null, now: Date): boolean =>
  date === null || now.getTime() - Date.parse(date) > FEED_TTL_MS;
