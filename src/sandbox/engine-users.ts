import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, readOwnIdentity } from './leftovers.ts';

export interface EngineUse {
  /** Notes that the engine runs only because one of its users started it. */
  markStarted(): Promise<void>;
  /** Ends the use; true when the engine was started by a user and nobody uses it any more. */
  end(): Promise<boolean>;
}

let registrations = 0;

/**
 * Registers this process as a user of the private engine: one file a user in `engine-users/`, which says who it is. Files
 * of dead processes do not count. Where the folder cannot be written the engine is simply never stopped.
 */
export async function registerUse(home: string): Promise<EngineUse> {
  const folder = join(home, 'engine-users');
  registrations += 1;
  const own = join(folder, `${process.pid}-${registrations}`);
  const started = join(folder, 'started');
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(own, await readOwnIdentity());
  } catch {
    return { markStarted: async () => {}, end: async () => false };
  }
  let ended = false;
  return {
    markStarted: () => writeFile(started, ''),
    async end() {
      if (ended) return false;
      ended = true;
      await rm(own, { force: true });
      const names = await readdir(folder);
      for (const name of names.filter(entry => entry !== 'started')) {
        const identity = await readFile(join(folder, name), 'utf8').catch(() => '');
        if (identity === '' || (await isAlive(identity))) return false;
        await rm(join(folder, name), { force: true });
      }
      if (!names.includes('started')) return false;
      await rm(started, { force: true });
      return true;
    },
  };
}
