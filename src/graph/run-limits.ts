export const MINUTE_MS = 60_000;

/** Times of the run protocol in milliseconds; all of them compared with the server's clock. */
export interface RunLimits {
  /** A run without a heartbeat for so long is lost. */
  readonly ttlMs: number;
  /** Limit of one heartbeat's transaction. */
  readonly heartbeatMs: number;
  /** Limit of opening, claiming and ending. */
  readonly authorizeMs: number;
  /** From the end of an automatic run to the start of the next. */
  readonly cooldownMs: number;
  /** Most automatic starts within `capWindowMs`. */
  readonly dailyCap: number;
  readonly capWindowMs: number;
  /** Limit of one batch's transaction. */
  readonly batchMs: number;
  /** Limit of saving the list of remediations. */
  readonly saveMs: number;
}

export const RUN_LIMITS: RunLimits = {
  ttlMs: 10 * MINUTE_MS,
  heartbeatMs: 10_000,
  authorizeMs: 15_000,
  cooldownMs: 30 * MINUTE_MS,
  dailyCap: 12,
  capWindowMs: 24 * 60 * MINUTE_MS,
  batchMs: 2 * MINUTE_MS,
  saveMs: 2 * MINUTE_MS,
};
