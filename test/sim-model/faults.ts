import { type Answer, toText } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { matches, type When } from './when.ts';

export type RetryAfter = number | Date | { readonly ms: number };

export type Trouble =
  /** An error answer in the protocol's own shape; `retryAfter` in seconds, as a date, or in milliseconds. */
  | { kind: 'status'; status: number; retryAfter?: RetryAfter; shouldRetry?: boolean; type?: string; message?: string }
  /** Nothing more comes, neither headers nor (at `body`) a byte after the first half; `pings` keeps the line busy. */
  | { kind: 'stall'; at: 'headers' | 'body'; pings?: boolean }
  /** The connection breaks: before an answer, right after the headers, or in the middle of the body. */
  | { kind: 'reset'; at: 'connection' | 'headers' | 'body' }
  /** A stream that says in its first (or middle) event that it failed. */
  | { kind: 'stream-error'; after?: 'start' | 'middle'; type?: string; message?: string }
  /** The body ends in order, but in the middle. */
  | { kind: 'cut' }
  /** Status 200, but what came is not JSON (in a stream: one event is not). */
  | { kind: 'not-json' }
  /** Status 200 whose JSON is an error: `{ error: … }`. */
  | { kind: 'error-200'; code?: number; message?: string }
  | { kind: 'redirect'; to: string; status?: 301 | 302 | 303 | 307 | 308 }
  /** The scripted answer runs into max_tokens half way. */
  | { kind: 'truncated-answer' }
  /** The scripted answer comes to its end, but is not valid JSON. */
  | { kind: 'invalid-answer' }
  | { kind: 'refusal'; category?: string };

export type Fault = Trouble & {
  readonly when?: When;
  /** Default 1; Infinity for a storm. */
  readonly times?: number;
};

export interface FaultQueue {
  add(...faults: Fault[]): void;
  clear(): void;
  /** Faults that can still strike. A test whose faults must all have struck expects none. */
  pending(): Fault[];
  take(exchange: Exchange): Fault | null;
}

/** Without `when.operation` a fault strikes prompts only, so that a storm leaves the token exchange alone. */
export function createFaultQueue(): FaultQueue {
  const queue: { fault: Fault; left: number }[] = [];
  return {
    add: (...faults) => {
      for (const fault of faults) queue.push({ fault, left: fault.times ?? 1 });
    },
    clear: () => {
      queue.length = 0;
    },
    pending: () => queue.map(item => item.fault),
    take: exchange => {
      const isPrompt = exchange.operation === 'messages' || exchange.operation === 'chat';
      const index = queue.findIndex(
        ({ fault }) => (fault.when?.operation !== undefined || isPrompt) && matches(fault.when ?? {}, exchange),
      );
      const item = queue[index];
      if (item === undefined) return null;
      item.left -= 1;
      if (item.left <= 0) queue.splice(index, 1);
      return item.fault;
    },
  };
}

/** The faults that change what the model says, not how it travels. */
export function bendAnswer(answer: Answer, fault: Fault | null): Answer {
  if (fault === null) return answer;
  const { json: _json, ...rest } = answer;
  const text = toText(answer);
  switch (fault.kind) {
    case 'truncated-answer':
      return { ...rest, text: text.slice(0, Math.floor(text.length / 2)), stop: 'max_tokens' };
    case 'invalid-answer':
      return { ...rest, calls: [], text: `${text.slice(0, Math.floor(text.length / 2))}, oops`, stop: 'end' };
    case 'refusal':
      return {
        text: '',
        stop: 'refusal',
        refusal: { category: fault.category ?? 'cyber', explanation: 'This request may help to attack a system.' },
        ...(answer.pace === undefined ? {} : { pace: answer.pace }),
      };
    default:
      return answer;
  }
}

export function toRetryHeaders(fault: { retryAfter?: RetryAfter; shouldRetry?: boolean }): Record<string, string> {
  const headers: Record<string, string> = {};
  const after = fault.retryAfter;
  if (typeof after === 'number') headers['retry-after'] = String(after);
  else if (after instanceof Date) headers['retry-after'] = after.toUTCString();
  else if (after !== undefined) headers['retry-after-ms'] = String(after.ms);
  if (fault.shouldRetry !== undefined) headers['x-should-retry'] = String(fault.shouldRetry);
  return headers;
}
