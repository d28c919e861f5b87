import type { Log } from '../core/log.ts';

/** Times the stages of a run and shows them in the log. */
export interface Stopwatch {
  time<T>(stage: string, title: string, work: () => Promise<T>): Promise<T>;
  /** Stage → milliseconds. */
  readonly timings: Readonly<Record<string, number>>;
}

export function createStopwatch(log: Log): Stopwatch {
  const timings: Record<string, number> = {};
  return {
    timings,
    async time(stage, title, work) {
      const end = log.stage(title);
      const started = performance.now();
      try {
        return await work();
      } finally {
        timings[stage] = Math.round((timings[stage] ?? 0) + performance.now() - started);
        end();
      }
    },
  };
}
