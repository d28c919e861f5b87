import { readdirSync, readFileSync } from 'node:fs';

const DEADLINE_MS = 5_000;
const PAUSE_MS = 5;

/**
 * Kills every process of the container but this one, daemons in sessions of their own included, and returns when none
 * is left alive. Throws when some outlive the deadline, as a fork bomb may: the job then has no end record.
 */
export function endOtherProcesses(): void {
  // Anywhere else this would end the user's whole session.
  if (process.pid !== 1) throw new Error('only process 1 of a container may end all others');
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const alive = listOtherProcesses();
    if (alive.length === 0) return;
    if (Date.now() > deadline) throw new Error(`${alive.length} processes could not be ended`);
    killAll();
    // Synchronous: nothing of this program may start a process in between.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

// Process 1 and the caller are not among the receivers of a signal to -1.
function killAll(): void {
  try {
    process.kill(-1, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function listOtherProcesses(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => pid !== process.pid && isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The state follows the name, which stands in parentheses and may hold any character.
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    return state !== 'Z' && state !== 'X';
  } catch {
    return false; // It ended between the listing and the read.
  }
}
