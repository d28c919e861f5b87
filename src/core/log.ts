/** Where progress goes: a terminal, or the log of a workflow. Text is untrusted unless it is ours; adapters escape it. */
export interface Log {
  /** A stage of the work begins (a log group, a progress line); returns a function that ends it. */
  stage(name: string): () => void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const SILENT_LOG: Log = { stage: () => () => {}, info: () => {}, warn: () => {}, error: () => {} };
