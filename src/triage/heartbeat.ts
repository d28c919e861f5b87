import { toMessage } from '../core/errors.ts';
import type { RunProgress, TriageStore } from './store.ts';

export interface HeartbeatOptions {
  readonly beat: (progress: RunProgress) => ReturnType<TriageStore['heartbeat']>;
  /** Milliseconds from one to the next. */
  readonly everyMs: number;
  /** Milliseconds that at least lie between two, when the phase changes. */
  readonly leastMs: number;
  /** Called once, when the run must end: somebody ended it, or two beats in a row failed. */
  readonly onLost: (reason: string) => void;
}

export interface Heartbeat {
  /** Tells the phase, at once or as soon as the least distance allows. */
  tell(progress: RunProgress): void;
  /** From here on nothing ends the run any more; beats go on. */
  shield(): void;
  /** Stops, after the beat that is under way. */
  stop(): Promise<void>;
}

/** Shows regularly that the run lives. Beats never overlap. */
export function startHeartbeat({ beat, everyMs, leastMs, onLost }: HeartbeatOptions): Heartbeat {
  let progress: RunProgress = { phase: 'authorizing', progress: 2 };
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | null = null;
  let lastAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let shielded = false;
  let stopped = false;
  let news = false;

  const lose = (reason: string): void => {
    if (shielded || stopped) return;
    stopped = true;
    onLost(reason);
  };
  const beatOnce = async (): Promise<void> => {
    news = false;
    lastAt = performance.now();
    try {
      const answer = await beat(progress);
      failures = 0;
      if (answer === 'abort') lose('the run was ended by somebody else');
    } catch (error) {
      failures++;
      if (failures >= 2) lose(`two heartbeats in a row failed: ${toMessage(error)}`);
    }
  };
  const plan = (): void => {
    clearTimeout(timer);
    if (stopped || current !== null) return;
    const wait = Math.max(0, lastAt + (news ? leastMs : everyMs) - performance.now());
    timer = setTimeout(() => {
      current = beatOnce().finally(() => {
        current = null;
        plan();
      });
    }, wait);
  };
  plan();
  return {
    tell(next) {
      news = news || next.phase !== progress.phase;
      progress = next;
      plan();
    },
    shield: () => {
      shielded = true;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
