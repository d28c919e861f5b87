/**
 * The model port: one call of a conversation in, one answer with its usage out. Providers stand behind it; nothing above
 * knows an SDK. Texts that go in are redacted and marked by the caller; texts that come out are untrusted.
 */

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, an object with `additionalProperties: false`. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A part of the prompt. `cache` puts a cache breakpoint behind it where the provider has such a thing. */
export interface TextPart {
  readonly text: string;
  readonly cache?: boolean;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

export type Turn =
  | { readonly role: 'user'; readonly parts: readonly TextPart[] }
  /** An earlier answer of the same model: `echo` is given back to the provider unchanged (thinking blocks included). */
  | {
      readonly role: 'assistant';
      readonly echo: unknown;
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

export interface ModelRequest {
  readonly model: string;
  /** Who asks (`security`, `judge` …), for the budget, the cost table and the record. */
  readonly role: string;
  readonly system: readonly TextPart[];
  readonly tools: readonly ToolSpec[];
  /** `none` forbids tools, so that an answer always comes. */
  readonly toolChoice: 'auto' | 'none';
  readonly turns: readonly Turn[];
  /** JSON Schema that the final text must follow; null for free text. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
  readonly effort: Effort;
  /** Most output tokens, thinking included. */
  readonly maxTokens: number;
  /** Called once, when the answer's first byte is there: the prompt is then in the provider's cache. */
  readonly onStarted?: () => void;
  /** Milliseconds since the epoch by which the call must have ended; afterwards it is failed with kind `deadline`. */
  readonly deadline?: number;
}

export interface Usage {
  /** Tokens neither read from nor written to the cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export type FailureKind =
  | 'refused'
  | 'truncated'
  | 'invalid-request'
  | 'unauthorized'
  | 'payment'
  | 'forbidden'
  | 'not-found'
  | 'too-large'
  | 'rate-limit'
  | 'overloaded'
  | 'server'
  | 'network'
  | 'stalled'
  | 'deadline'
  | 'budget'
  | 'malformed';

export type ModelAnswer =
  | {
      readonly status: 'ok';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly echo: unknown;
      readonly usage: Usage;
    }
  /** `usage` is what the broken answer showed before it ended; it is billed. */
  | { readonly status: 'failed'; readonly kind: FailureKind; readonly reason: string; readonly usage: Usage };

export interface Model {
  /** One call, retried by our own loop under the deadline; rejects only when the signal aborts. */
  call(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** Loads what the first call needs, ahead of it; connects to nothing. What fails here fails again, and is told, there. */
  prepare?(): Promise<void>;
}
