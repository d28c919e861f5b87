import { randomBytes } from 'node:crypto';
import type { Analysis } from '../analysis/analysis.ts';
import { CypherFixError } from '../core/errors.ts';
import { cutQuote, MAX_TITLE_CHARS } from '../core/open-finding.ts';
import { redact, type SecretRegistry } from '../core/secrets.ts';
import { TOOL } from '../core/version.ts';
import { listLiterals, listSecrets } from '../findings/scrub-secrets.ts';
import { type Exchange, recordingModel } from '../model/record.ts';
import type { Sandbox, SandboxJob, SandboxResult } from '../sandbox/sandbox.ts';
import { hashChange, hashPolicy, toShas } from './identity.ts';
import { recordingGraph } from './recorded-graph.ts';
import { RECORDING_VERSION, type Recording } from './recording.ts';
import { type RecordedRun, toRanOutcome, toRejectedOutcome } from './sandbox-run.ts';
import { seededRandom } from './seeded-random.ts';
import { countSnapshot, type Given, hashJob, toSealKey } from './snapshot-count.ts';
import { turnCounter } from './turn-counter.ts';

/** What of an analysis comes from outside its repository. */
export type Outside = Pick<
  Analysis,
  'sandbox' | 'ai' | 'linked' | 'earlier' | 'graph' | 'now' | 'random' | 'stopwatch' | 'secrets'
>;

export interface Recorder {
  /** The same, noting all that passes. */
  readonly outside: Outside & Required<Pick<Analysis, 'onFound'>>;
  /** What was noted, redacted; to be called when the analysis has ended. */
  finish(run: Pick<Analysis, 'workspace' | 'policy' | 'subject' | 'request' | 'isPublic'>): Recording;
}

/** Where scanners found more texts that may be secrets, outputs are hidden as a whole. */
const MAX_SEARCHED = 500;

export function createRecorder(live: Outside): Recorder {
  const seed = randomBytes(32).toString('hex');
  const clock: Record<string, number[]> = Object.create(null);
  const exchanges: Exchange[] = [];
  const runs: KeptRun[] = [];
  const found = new Set<string>();
  const graph = recordingGraph(live.graph);
  const { secrets } = live;
  const told = redactTold(live, secrets);
  const ai =
    told.ai?.kind === 'review'
      ? { ...told.ai, model: recordingModel(told.ai.model, exchange => exchanges.push(exchange), secrets) }
      : told.ai;
  return {
    outside: {
      ai,
      linked: told.linked,
      earlier: told.earlier,
      graph: graph.outside,
      secrets,
      stopwatch: live.stopwatch,
      sandbox: recordingSandbox(live.sandbox, run => runs.push(run)),
      random: seededRandom(seed),
      now(who) {
        const now = live.now(who);
        const times = clock[who] ?? [];
        clock[who] = times;
        times.push(now.getTime());
        return now;
      },
      onFound: raw => {
        for (const text of [...listSecrets(raw), ...listLiterals(raw)]) found.add(text);
      },
    },
    finish({ workspace, policy, subject, request, isPublic }) {
      // As the analysis knew the secrets: a replay must send the models the same.
      const { ai, linked, earlier } = redactTold(told, secrets);
      const hiding = found.size > MAX_SEARCHED ? null : secrets;
      for (const text of hiding === null ? [] : found) secrets.add(text);
      return {
        version: RECORDING_VERSION,
        tool: { ...TOOL },
        shas: toShas(workspace.change),
        changeHash: hashChange(workspace.change),
        policy: { file: policy.fileName, sha256: hashPolicy(policy.policy) },
        subject,
        request,
        public: isPublic,
        ai: ai?.kind === 'review' ? { kind: ai.kind, title: ai.title, body: ai.body } : ai,
        linked: {
          issues: linked.issues.map(({ number, title, body, state }) => ({ number, title, body, state })),
          notices: [...linked.notices],
          whyNot: linked.whyNot,
        },
        earlier: { ...earlier, openFindings: [...earlier.openFindings] },
        graph: graph.finish(),
        seed,
        clock: { ...clock },
        timings: { ...live.stopwatch.timings },
        exchanges: [...exchanges].sort(byRoleAndTurn),
        sandbox: runs.map(run => toRecordedRun(run, seed, secrets, hiding)),
      };
    },
  };
}

/** What people wrote, without secrets: the analysis itself gets it in the form that a replay will give it. */
function redactTold({ ai, linked, earlier }: Pick<Outside, 'ai' | 'linked' | 'earlier'>, secrets: SecretRegistry) {
  const clean = (text: string) => redact(text, secrets);
  const cleanOrNull = (text: string | null) => (text === null ? null : clean(text));
  return {
    ai: ai?.kind === 'review' ? { ...ai, title: cleanOrNull(ai.title), body: cleanOrNull(ai.body) } : ai,
    linked: {
      ...linked,
      issues: linked.issues.map(issue => ({ ...issue, title: clean(issue.title), body: clean(issue.body) })),
    },
    earlier: {
      ...earlier,
      openFindings: earlier.openFindings.map(open => ({
        ...open,
        title: clean(open.title).slice(0, MAX_TITLE_CHARS),
        quote: cutQuote(clean(open.quote)),
      })),
    },
  };
}

interface KeptRun {
  readonly job: SandboxJob;
  readonly turn: number;
  readonly given: Given;
  readonly outcome: SandboxResult | CypherFixError;
}

function recordingSandbox(sandbox: Sandbox, keep: (run: KeptRun) => void): Sandbox {
  const nextTurn = turnCounter();
  return {
    async run(job, signal) {
      const turn = nextTurn(job.purpose);
      const snapshot = countSnapshot(job.snapshot);
      try {
        const result = await sandbox.run({ ...job, snapshot: snapshot.entries }, signal);
        keep({ job, turn, given: snapshot.given(), outcome: result });
        return result;
      } catch (error) {
        // Callers may go on without a sandbox; a replay must find them in the same place.
        if (error instanceof CypherFixError) keep({ job, turn, given: snapshot.given(), outcome: error });
        throw error;
      }
    },
    close: () => sandbox.close(),
  };
}

function toRecordedRun(
  { job, turn, given, outcome }: KeptRun,
  seed: string,
  secrets: SecretRegistry,
  hiding: SecretRegistry | null,
): RecordedRun {
  return {
    purpose: job.purpose,
    turn,
    jobHash: hashJob(job, given),
    given: { entries: given.entries, complete: given.complete },
    outcome:
      outcome instanceof CypherFixError
        ? toRejectedOutcome(outcome, secrets)
        : toRanOutcome(outcome, toSealKey(given, seed), hiding),
  };
}

const byRoleAndTurn = (a: Exchange, b: Exchange): number =>
  a.role === b.role ? a.turn - b.turn : a.role < b.role ? -1 : 1;
