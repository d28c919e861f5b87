/** Parameters of a query: strings, numbers, booleans, bigints, null, and lists and maps of these. */
export type Params = Readonly<Record<string, unknown>>;

/** One row of a result by column, in plain values. */
export type Row = Readonly<Record<string, unknown>>;

export interface GraphTx {
  run(query: string, params?: Params): Promise<Row[]>;
}

export interface ReadOptions {
  /** Limit of the transaction at the server, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface WriteOptions {
  /** Limit of one attempt, in milliseconds. */
  readonly timeoutMs?: number;
  /** How often the work may run in all; 5 unless said otherwise. */
  readonly attempts?: number;
  /** Ends the attempt under way and rolls it back; a commit that has begun is awaited. */
  readonly signal?: AbortSignal;
}

/** An open database. Errors of a query keep the server's code: readGraphFailure says what they mean. */
export interface Graph {
  /** `5.26.30`, `2026.08.1` */
  readonly serverVersion: string;
  /** Runs one query in a READ session, in which the server refuses any write. Lost connections are tried again. */
  read(query: string, params?: Params, options?: ReadOptions): Promise<Row[]>;
  /** As read, row by row with little in memory at once; not tried again. Columns without a value are left out. */
  stream(query: string, params?: Params, options?: ReadOptions): AsyncIterable<Row>;
  /**
   * One write transaction: committed when the work resolves, else rolled back. Runs again after a deadlock, a lock
   * timeout or a lost connection. A commit whose answer was lost may have happened: the work must be idempotent.
   */
  write<T>(work: (tx: GraphTx) => Promise<T>, options?: WriteOptions): Promise<T>;
  close(): Promise<void>;
}
