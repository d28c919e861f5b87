import { createHash } from 'node:crypto';
import type { SeenPrefix } from '../exchange.ts';
import type { CountTokensBody } from './body.ts';

type Ttl = '5m' | '1h';

export interface CachePlan {
  readonly totalTokens: number;
  readonly readTokens: number;
  readonly write5mTokens: number;
  readonly write1hTokens: number;
  /** Neither read nor written. */
  readonly inputTokens: number;
  /** The request's breakpoints, the too short ones too. */
  readonly prefixes: readonly SeenPrefix[];
  readonly complaints: readonly string[];
  /** To be called when the answer has begun: from then on the prefixes can be read. */
  commit(): void;
}

export interface PromptCache {
  plan(body: CountTokensBody): CachePlan;
}

interface Position {
  place: string;
  hash: string;
  tokens: number;
  ttl: Ttl | null;
}

const MAX_BREAKPOINTS = 4;
/** How many blocks before a breakpoint the API looks for an older entry. */
const LOOK_BACK = 20;
const LIFE_MS = { '5m': 300_000, '1h': 3_600_000 } as const;

/**
 * The prompt cache by the request's bytes: an entry for each breakpoint whose prefix (tools, then system, then messages)
 * reaches the minimum; read where the same bytes were written before by an answer that had begun. A token is four bytes.
 */
export function createPromptCache(options: { minimumTokens: number; now: () => number }): PromptCache {
  const entries = new Map<string, { ttl: Ttl; until: number }>();
  const isLive = (hash: string) => (entries.get(hash)?.until ?? -1) >= options.now();
  return {
    plan: body => {
      const positions = listPositions(body);
      const marks = positions.flatMap((position, index) => (position.ttl === null ? [] : [index]));
      const usable = marks.filter(index => (positions[index]?.tokens ?? 0) >= options.minimumTokens);
      const hit = findHit(positions, usable, isLive);
      const total = positions.at(-1)?.tokens ?? 0;
      const read = hit?.tokens ?? 0;
      const cached = positions[usable.at(-1) ?? -1]?.tokens ?? 0;
      const lastHour = usable.filter(index => positions[index]?.ttl === '1h').at(-1);
      const write1h = Math.max(0, (positions[lastHour ?? -1]?.tokens ?? 0) - read);
      return {
        totalTokens: total,
        readTokens: read,
        write1hTokens: write1h,
        write5mTokens: Math.max(0, cached - read - write1h),
        inputTokens: total - Math.max(cached, read),
        prefixes: marks.flatMap(index => toPrefix(positions[index])),
        complaints: listComplaints(positions, marks),
        commit: () => {
          for (const { hash, ttl } of usable.flatMap(index => positions[index] ?? [])) {
            entries.set(hash, { ttl: ttl ?? '5m', until: options.now() + LIFE_MS[ttl ?? '5m'] });
          }
          const old = hit === null ? undefined : entries.get(hit.hash);
          if (old !== undefined) old.until = options.now() + LIFE_MS[old.ttl];
        },
      };
    },
  };
}

function findHit(positions: Position[], usable: number[], isLive: (hash: string) => boolean): Position | null {
  for (const index of usable.toReversed()) {
    for (let back = index; back >= 0 && back > index - LOOK_BACK; back -= 1) {
      const position = positions[back];
      if (position !== undefined && isLive(position.hash)) return position;
    }
  }
  return null;
}

function listComplaints(positions: Position[], marks: number[]): string[] {
  const complaints: string[] = [];
  if (marks.length > MAX_BREAKPOINTS) {
    complaints.push(
      `cache_control: A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${marks.length}.`,
    );
  }
  const ttls = marks.map(index => positions[index]?.ttl);
  if (ttls.lastIndexOf('1h') > (ttls.includes('5m') ? ttls.indexOf('5m') : Number.POSITIVE_INFINITY)) {
    complaints.push("cache_control: a ttl='1h' block must not come after a ttl='5m' block");
  }
  return complaints;
}

function toPrefix(position: Position | undefined): SeenPrefix[] {
  return position === undefined
    ? []
    : [{ place: position.place, hash: position.hash.slice(0, 16), tokens: position.tokens }];
}

/**
 * All blocks in the API's order with the hash of everything up to them. What voids a part of the cache without being in
 * it goes into the hash where its level begins: format, effort (as was measured) and speed for system and messages, tool
 * choice and thinking for messages.
 */
function listPositions(body: CountTokensBody): Position[] {
  const positions: Position[] = [];
  let hash = digest('', `model ${body.model}`);
  let bytes = 0;
  const add = (place: string, block: unknown) => {
    const text = JSON.stringify(block, (key, value) => (key === 'cache_control' ? undefined : value));
    hash = digest(hash, text);
    bytes += Buffer.byteLength(text);
    positions.push({ place, hash, tokens: Math.ceil(bytes / 4), ttl: ttlOf(block) });
  };
  for (const [index, tool] of (body.tools ?? []).entries()) add(`tools.${index}`, tool);
  hash = digest(hash, JSON.stringify(['system', body.output_config ?? null]));
  const system = typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : (body.system ?? []);
  for (const [index, block] of system.entries()) add(`system.${index}`, block);
  hash = digest(hash, JSON.stringify(['messages', body.tool_choice ?? { type: 'auto' }, body.thinking ?? null]));
  for (const [index, message] of body.messages.entries()) {
    const { content } = message;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    for (const [at, block] of blocks.entries()) {
      hash = digest(hash, message.role);
      add(`messages.${index}.content.${at}`, block);
    }
  }
  const last = positions.at(-1);
  if (body.cache_control && last !== undefined) last.ttl ??= body.cache_control.ttl ?? '5m';
  return positions;
}

function ttlOf(block: unknown): Ttl | null {
  const mark = (block as { cache_control?: { ttl?: Ttl } | null }).cache_control;
  return mark ? (mark.ttl ?? '5m') : null;
}

function digest(before: string, text: string): string {
  return createHash('sha256').update(before).update('\n').update(text).digest('hex');
}
