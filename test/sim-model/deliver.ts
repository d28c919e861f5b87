import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pace } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { Fault } from './faults.ts';

export type Frame = string | Buffer;

export interface Delivery {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: readonly Frame[];
  readonly pace: Pace;
  readonly ending: 'end' | 'hang' | 'reset';
  /** Sent whenever the line was quiet for so long, from the first frame on (while it hangs: with `stall.pings` only). */
  readonly ping?: { readonly everyMs: number; readonly frame: Frame; readonly whileHanging: boolean };
  /** Called with the first frame of a good answer. */
  readonly onStarted?: () => void;
}

/** How a protocol says that something broke in mid-stream. */
export interface BrokenFrames {
  error(fault: Extract<Fault, { kind: 'stream-error' }>): Frame;
  notJson(): Frame;
}

/** The frames as a fault leaves them, and how the connection ends. */
export function bendFrames(
  frames: readonly Frame[],
  fault: Fault | null,
  broken: BrokenFrames,
): { frames: readonly Frame[]; ending: Delivery['ending'] } {
  const half = frames.length > 1 ? Math.ceil(frames.length / 2) : 0;
  const start = frames.length === 1 ? halfFrame(frames[0] ?? '') : frames.slice(0, half);
  switch (fault?.kind) {
    case 'stall':
      return { frames: start, ending: 'hang' };
    case 'reset':
      return { frames: fault.at === 'headers' ? [] : start, ending: 'reset' };
    case 'cut':
      return { frames: start, ending: 'end' };
    case 'not-json':
      return { frames: [...(frames.length > 1 ? start : []), broken.notJson()], ending: 'end' };
    case 'stream-error':
      // An answer that is no stream fails as a whole.
      if (frames.length === 1) return { frames: [broken.error(fault)], ending: 'end' };
      return {
        frames: [...(fault.after === 'start' ? frames.slice(0, 1) : start), broken.error(fault)],
        ending: 'end',
      };
    default:
      return { frames, ending: 'end' };
  }
}

function halfFrame(frame: Frame): Frame[] {
  const bytes = Buffer.from(frame);
  return [bytes.subarray(0, Math.floor(bytes.byteLength / 2))];
}

/** Sends an answer at its pace and keeps its times; ends early, without a word, when the client leaves. */
export async function deliver(
  response: ServerResponse,
  delivery: Delivery,
  exchange: Exchange,
  now: () => number,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const begin = now();
  const waitUntil = async (ms: number, ping: boolean) => {
    for (let left = begin + ms - now(); left > 0; left = begin + ms - now()) {
      const part = ping && delivery.ping !== undefined ? Math.min(left, delivery.ping.everyMs) : left;
      await sleep(part, undefined, { signal: gone.signal });
      if (part < left && delivery.ping !== undefined) response.write(delivery.ping.frame);
    }
  };
  try {
    const { headersAfterMs = 0, firstByteAfterMs = headersAfterMs, totalMs = firstByteAfterMs } = delivery.pace;
    await waitUntil(headersAfterMs, false);
    exchange.status = delivery.status;
    response.writeHead(delivery.status, delivery.headers);
    response.flushHeaders();
    exchange.headersAt = now();
    const last = Math.max(1, delivery.frames.length - 1);
    for (const [index, frame] of delivery.frames.entries()) {
      await waitUntil(firstByteAfterMs + ((totalMs - firstByteAfterMs) * index) / last, index > 0);
      if (index === 0) {
        exchange.startedAt = now();
        delivery.onStarted?.();
      }
      response.write(frame);
    }
    if (delivery.frames.length <= 1) await waitUntil(totalMs, delivery.frames.length === 1);
    await end(response, delivery, gone.signal, exchange);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    exchange.ending = 'client-gone';
  } finally {
    exchange.endedAt = now();
  }
}

async function end(response: ServerResponse, delivery: Delivery, gone: AbortSignal, exchange: Exchange): Promise<void> {
  if (delivery.ending === 'reset') {
    exchange.ending = 'reset';
    // What was written has to leave first, or the client would see a connection that never answered.
    await sleep(20);
    response.socket?.resetAndDestroy();
    return;
  }
  while (delivery.ending === 'hang') {
    await sleep(delivery.ping?.everyMs ?? 60_000, undefined, { signal: gone });
    if (delivery.ping?.whileHanging === true) response.write(delivery.ping.frame);
  }
  response.end();
  if (!response.closed) await once(response, 'close');
  exchange.ending = response.writableFinished ? 'complete' : 'client-gone';
}
