import type { FailureKind, ModelRequest, ToolCall, Usage } from './model.ts';

/** What an attempt has shown so far; the adapter writes it while the answer streams, so that a broken answer is billed. */
export interface Meter {
  usage: Usage;
  /** True from the first byte of an answer: from then on the provider bills, and the attempt is never repeated. */
  started: boolean;
}

export interface AttemptFailure {
  readonly status: 'failed';
  readonly kind: FailureKind;
  /** Fit for people: redacted, one line, without the prompt. */
  readonly reason: string;
  /** Milliseconds that the provider asks us to wait. */
  readonly retryAfterMs?: number;
  /** The provider says that another try is pointless. */
  readonly final?: boolean;
}

export type AttemptAnswer =
  | {
      readonly status: 'ok';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly echo: unknown;
    }
  | AttemptFailure;

/** One provider's protocol: a single try without retries. Never rejects but for faults of our own. */
export interface Provider {
  attempt(request: ModelRequest, signal: AbortSignal, meter: Meter): Promise<AttemptAnswer>;
  /** Loads the SDK ahead of the first attempt; connects to nothing. */
  prepare(): Promise<void>;
}

export const failedAttempt = (kind: FailureKind, reason: string): AttemptFailure => ({
  status: 'failed',
  kind,
  reason,
});

/** Tells once that the answer has begun. */
export function markStarted(request: ModelRequest, meter: Meter): void {
  if (meter.started) return;
  meter.started = true;
  request.onStarted?.();
}
