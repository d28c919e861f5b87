import { readFile, readlink } from 'node:fs/promises';
import { toMessage } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { DockerEngine, ListedContainer } from './docker.ts';

export const RUN_LABEL = 'cypherfix.run';
const OWNER_LABEL = 'cypherfix.owner';
const EXPIRY_LABEL = 'cypherfix.expires';
/** After this long beyond its own time limit a container is a leftover, whoever made it. */
const SLACK_MS = 15 * 60_000;

/** The labels of a container: its run, the process that will remove it, and when it is stale at the latest (ms since 1970). */
export async function toLabels(runLabel: string, timeoutMs: number, now: number): Promise<Record<string, string>> {
  return {
    [RUN_LABEL]: runLabel,
    [OWNER_LABEL]: await readOwnIdentity(),
    [EXPIRY_LABEL]: String(now + timeoutMs + SLACK_MS),
  };
}

/**
 * Removes containers that nobody else will: of dead processes of this machine, expired ones, and with `ownRun` all of
 * that run. What another living process uses stays. Failures are logged, since a leftover must not fail the next run.
 */
export async function removeLeftovers(
  engine: DockerEngine,
  options: { log: Log; now: number; ownRun?: string },
): Promise<number> {
  let removed = 0;
  try {
    for (const container of await engine.listContainers(RUN_LABEL)) {
      const own = options.ownRun !== undefined && container.labels[RUN_LABEL] === options.ownRun;
      if (!own && !(await isLeftover(container, options.now))) continue;
      await engine.removeContainer(container.id);
      removed += 1;
    }
  } catch (error) {
    options.log.warn(`leftover containers could not all be removed: ${toMessage(error)}`);
  }
  return removed;
}

/** True when another run's container that is no leftover is on this engine. */
export async function hasOtherRuns(engine: DockerEngine, runLabel: string, now: number): Promise<boolean> {
  for (const container of await engine.listContainers(RUN_LABEL)) {
    if (container.labels[RUN_LABEL] !== runLabel && !(await isLeftover(container, now))) return true;
  }
  return false;
}

async function isLeftover(container: ListedContainer, now: number): Promise<boolean> {
  const expiry = Number(container.labels[EXPIRY_LABEL]);
  if (!Number.isFinite(expiry) || expiry < now) return true;
  const [place, pid, started] = (container.labels[OWNER_LABEL] ?? '').split('/');
  // A process of another machine or process namespace cannot be looked up: its containers wait for their expiry.
  if (place !== (await readPlace()) || pid === undefined) return false;
  return (await readStartTime(pid)) !== started;
}

/** Machine (by boot) with process namespace, process number and its start time: numbers are used again. */
export async function readOwnIdentity(): Promise<string> {
  const pid = String(process.pid);
  return `${await readPlace()}/${pid}/${await readStartTime(pid)}`;
}

/** True when the process that wrote this identity still runs, or may run elsewhere. */
export async function isAlive(identity: string): Promise<boolean> {
  const [place, pid, started] = identity.split('/');
  if (place !== (await readPlace()) || pid === undefined) return true;
  return (await readStartTime(pid)) === started;
}

async function readPlace(): Promise<string> {
  try {
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    return `${boot}:${(await readlink('/proc/self/ns/pid')).replace(/\D/g, '')}`;
  } catch {
    return 'unknown';
  }
}

async function readStartTime(pid: string): Promise<string> {
  try {
    const stat = await readFile(`/proc/${/^\d+$/.test(pid) ? pid : 0}/stat`, 'latin1');
    // Field 22; the name before it stands in parentheses and may hold spaces. A zombie no longer owns anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? 'ended');
  } catch {
    return 'ended';
  }
}
