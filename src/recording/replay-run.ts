import type { AiSetup } from '../analysis/ai-review.ts';
import type { Stopwatch } from '../analysis/stopwatch.ts';
import { CypherFixError, toMessage } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { SecretRegistry } from '../core/secrets.ts';
import { TOOL } from '../core/version.ts';
import type { Model } from '../model/model.ts';
import type { Prices } from '../model/prices.ts';
import { replayModel } from '../model/record.ts';
import type { LoadedPolicy } from '../policy/load-policy.ts';
import type { Sandbox, SandboxJob, SandboxResult } from '../sandbox/sandbox.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { hashChange, hashPolicy, toShas } from './identity.ts';
import type { Outside } from './record-run.ts';
import { replayGraph } from './recorded-graph.ts';
import type { Recording } from './recording.ts';
import { type RecordedRun, toSandboxResult } from './sandbox-run.ts';
import { seededRandom } from './seeded-random.ts';
import { hashJob, rereadSnapshot, toSealKey } from './snapshot-count.ts';
import { turnCounter } from './turn-counter.ts';

export interface Replay {
  /** What the recording says in the place of sandbox, models, clock and chance. `prices` are of the policy's models. */
  toOutside(prices: Prices, log: Log): Outside;
  /** Throws CypherFixError('usage') when this is another change or another policy than the recorded one. */
  assertSame(workspace: Workspace, policy: LoadedPolicy): void;
  /** Throws the first difference (CypherFixError('internal')), also one that the analysis took for a failed part. */
  assertFaithful(): void;
}

/** Throws CypherFixError('usage') for a recording of another version of this program. */
export function createReplay(recording: Recording): Replay {
  const { tool, ai, seed } = recording;
  if (tool.name !== TOOL.name || tool.version !== TOOL.version) {
    throw new CypherFixError('usage', `--replay: recorded by ${tool.name} ${tool.version}; this is ${TOOL.version}`, {
      hint: 'a recording is replayed by the version that made it',
    });
  }
  let difference: unknown;
  const watch = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof CypherFixError && error.code === 'internal') difference ??= error;
      throw error;
    }
  };
  return {
    toOutside(prices, log) {
      const secrets = new SecretRegistry();
      const model = replayModel(recording.exchanges, secrets);
      const watched: Model = { call: (request, signal) => watch(() => model.call(request, signal)) };
      const sandbox = replaySandbox(recording.sandbox, seed);
      return {
        ai: ai?.kind === 'review' ? ({ ...ai, model: watched, prices } satisfies AiSetup) : ai,
        linked: recording.linked,
        earlier: recording.earlier,
        graph: replayGraph(recording.graph),
        secrets,
        sandbox: { ...sandbox, run: (job, signal) => watch(() => sandbox.run(job, signal)) },
        random: seededRandom(seed),
        now: replayClock(recording.clock),
        stopwatch: replayStopwatch(recording.timings, log),
      };
    },
    assertSame({ change }, policy) {
      const now = toShas(change);
      for (const [name, label] of SHAS) {
        if (now[name] === recording.shas[name]) continue;
        throw refuse(
          `the recording has the ${label} ${recording.shas[name] ?? '(none)'}, this is ${now[name] ?? '(none)'}`,
        );
      }
      if (hashChange(change) !== recording.changeHash)
        throw refuse('the files of this change are not the recorded ones');
      if (hashPolicy(policy.policy) !== recording.policy.sha256) {
        throw refuse(
          `the policy is not the one that was recorded (${recording.policy.file}; --config gives another one)`,
        );
      }
    },
    assertFaithful() {
      if (difference !== undefined) throw difference;
    },
  };
}

const SHAS = [
  ['base', 'base'],
  ['mergeBase', 'merge base'],
  ['head', 'head'],
] as const;

const refuse = (reason: string) => new CypherFixError('usage', `--replay: ${reason}`);

function replaySandbox(runs: readonly RecordedRun[], seed: string): Sandbox {
  const nextTurn = turnCounter();
  const recorded = new Map(runs.map(run => [keyOf(run), run]));
  const run = async (job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> => {
    signal.throwIfAborted();
    const { purpose } = job;
    const turn = nextTurn(purpose);
    const place = `the sandbox job '${purpose}' (number ${turn})`;
    const found = recorded.get(keyOf({ purpose, turn }));
    if (found === undefined) throw new CypherFixError('internal', `the recording has no result of ${place}`);
    const given = await rereadSnapshot(job.snapshot, found.given);
    job.onSent?.();
    if (hashJob(job, given) !== found.jobHash) {
      throw new CypherFixError('internal', `${place} differs from the recorded one`);
    }
    try {
      return toSandboxResult(found, toSealKey(given, seed));
    } catch (error) {
      if (error instanceof CypherFixError) throw error;
      const reason = `the recorded output of ${place} was changed and cannot be opened: ${toMessage(error)}`;
      throw new CypherFixError('internal', reason, { cause: error });
    }
  };
  return { run, close: async () => {} };
}

const keyOf = ({ purpose, turn }: Pick<RecordedRun, 'purpose' | 'turn'>): string => JSON.stringify([purpose, turn]);

/** The recorded times of each asker in order; beyond them the clock stands still. */
function replayClock(clock: Recording['clock']): Outside['now'] {
  const nextTurn = turnCounter();
  return who => {
    const times = Object.hasOwn(clock, who) ? (clock[who] ?? []) : [];
    const time = times[nextTurn(who)] ?? times.at(-1);
    if (time === undefined) throw new CypherFixError('internal', `the recording has no time for '${who}'`);
    return new Date(time);
  };
}

function replayStopwatch(timings: Recording['timings'], log: Log): Stopwatch {
  return {
    timings,
    async time(_stage, title, work) {
      const end = log.stage(title);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
