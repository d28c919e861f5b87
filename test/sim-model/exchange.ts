import type { Answer } from './answer.ts';

export interface SeenResult {
  readonly id: string;
  /** Name of the tool that was called, or `?` when the call was never made. */
  readonly tool: string;
  readonly input: unknown;
  readonly text: string;
  readonly isError: boolean;
}

/** A cache breakpoint of the request: everything before and in the block at `place`. */
export interface SeenPrefix {
  readonly place: string;
  readonly hash: string;
  readonly tokens: number;
}

/** Token counts as the protocol's own usage fields add up, in one shape for both. */
export interface SeenUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What a prompt says, whatever the protocol. */
export interface SeenPrompt {
  readonly model: string;
  readonly stream: boolean;
  /** 1 for the first call of a conversation: assistant messages in the request + 1. */
  readonly turn: number;
  readonly system: string;
  /** System text and the first user message. */
  readonly opening: string;
  /** System text and the text of every user message; tool results are not in it. */
  readonly prompt: string;
  readonly results: readonly SeenResult[];
  readonly tools: readonly string[];
  readonly toolsAllowed: boolean;
  /** Schema that the final text has to follow. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly maxTokens: number;
}

export type Operation = 'messages' | 'count-tokens' | 'models' | 'token' | 'chat' | 'unknown';

/** `open` while it runs; `client-gone` also when the simulator closed on a hanging answer. */
export type Ending = 'open' | 'complete' | 'client-gone' | 'reset';

/** One request and what became of it. Times are milliseconds since the simulator's start. */
export interface Exchange {
  readonly index: number;
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Buffer;
  readonly body: unknown;
  readonly at: number;
  /** Null where the request is no prompt or could not be read as one. */
  seen: SeenPrompt | null;
  role: string | null;
  prefixes: readonly SeenPrefix[];
  violations: readonly string[];
  /** Kind of the fault that met it. */
  fault: string | null;
  /** Name of the rule that answered: `neutral`, or `neutral (NAME lacks …)` when its requirement was not there. */
  rule: string | null;
  answer: Answer | null;
  usage: SeenUsage | null;
  status: number;
  headersAt: number | null;
  startedAt: number | null;
  endedAt: number | null;
  ending: Ending;
}

export interface Journal {
  readonly exchanges: Exchange[];
  /** Prompts only, in the order of arrival. */
  prompts(role?: string): Exchange[];
  of(operation: Operation): Exchange[];
  /** Bytes of all request bodies. */
  bytes(): number;
}

export function createJournal(): Journal {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    prompts: role =>
      exchanges.filter(
        entry =>
          (entry.operation === 'messages' || entry.operation === 'chat') && (role === undefined || entry.role === role),
      ),
    of: operation => exchanges.filter(entry => entry.operation === operation),
    bytes: () => exchanges.reduce((sum, entry) => sum + entry.rawBody.byteLength, 0),
  };
}
