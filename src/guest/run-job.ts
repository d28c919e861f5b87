import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endOtherProcesses } from './end-processes.ts';
import { type GuestJob, JOB_FILE, type StepHeader, toRecordHead } from './protocol.ts';
import { receiveSnapshot } from './receive-snapshot.ts';
import { runInside } from './run-inside.ts';
import { BASE_ENVIRONMENT, runStep, type StepOutcome } from './run-step.ts';
import { startWarmPrograms } from './warm-programs.ts';
import { STANDARD_OUTPUT, writeAll } from './write-all.ts';

const WORK = '/work';
/** The bytes leave in one, their end in the next. */
const TURNS_TO_SAY = 2;

/** Takes the snapshot from standard input, runs the job's phases, writes the records. Resolves with 0 when all is written. */
export async function run(): Promise<number> {
  if (process.pid !== 1) throw new Error('this program is process 1 of a sandbox container and runs nowhere else');
  const warm = startWarmPrograms(BASE_ENVIRONMENT);
  receiveSnapshot(WORK);
  const job = takeJob();
  warm.begin(job.phases[0] ?? []);
  // What was said to them leaves in a turn of the event loop, and the start of the other steps takes long.
  for (let turn = 0; turn < TURNS_TO_SAY; turn += 1) await nextTurn();
  for (const folder of ['.home', '.tmp']) mkdirSync(`${WORK}/${folder}`, { recursive: true });

  const budget = { bytes: job.maxOutputBytes };
  let first = 0;
  for (const phase of job.phases) {
    await Promise.all(
      phase.map(async (step, index) => {
        const outcome = (await runInside(step, budget)) ?? (await runStep(step, budget, await warm.take(step)));
        writeRecord(first + index, outcome);
      }),
    );
    first += phase.length;
    endOtherProcesses();
  }
  writeAll(STANDARD_OUTPUT, toRecordHead({ end: job.nonce }));
  return 0;
}

/** The job file is the last member of the tar, so that it is there proves that all of the tar arrived. */
function takeJob(): GuestJob {
  const path = `${WORK}/${JOB_FILE}`;
  const job = JSON.parse(readFileSync(path, 'utf8')) as GuestJob;
  // No step may learn the nonce.
  rmSync(path);
  return job;
}

function writeRecord(step: number, outcome: StepOutcome): void {
  const { stdout, stderr, ...rest } = outcome;
  const header: StepHeader = { step, ...rest, stdoutBytes: stdout.length, stderrBytes: stderr.length };
  for (const bytes of [toRecordHead(header), stdout, stderr]) writeAll(STANDARD_OUTPUT, bytes);
}
