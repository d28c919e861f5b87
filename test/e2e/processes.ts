import { readdirSync, readFileSync } from 'node:fs';

export interface Process {
  pid: number;
  parent: number;
  /** Arguments, joined with spaces. */
  command: string;
  /** As the process was started with, entries joined with newlines. */
  environment: string;
}

/** The processes that are the step of this run itself: `node dist/index.js <step>`. */
export const findSteps = (runId: number, step: string): Process[] =>
  listProcesses().filter(
    p => p.command.endsWith(`dist/index.js ${step}`) && p.environment.includes(`GITHUB_RUN_ID=${runId}`),
  );

/** Every process that the step was seen to start while it ran, itself included. */
export async function watchStep(runId: number, step: string): Promise<Process[]> {
  const seen = new Map<string, Process>();
  const family = new Set<number>();
  let started = false;
  for (let looks = 0; looks < 20_000; looks++) {
    const roots = findSteps(runId, step);
    if (roots.length > 0) started = true;
    else if (started) break;
    for (const { pid } of roots) family.add(pid);
    for (const process of listProcesses()) {
      if (!family.has(process.pid) && !family.has(process.parent)) continue;
      family.add(process.pid);
      // Between fork and exec a child still shows what its parent is.
      seen.set(`${process.pid} ${process.command}`, process);
    }
    await new Promise(resolve => setTimeout(resolve, 4));
  }
  return [...seen.values()];
}

/** Every process of the machine that may be looked at. */
export function listProcesses(): Process[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const read = (file: string) => readFileSync(`/proc/${name}/${file}`, 'utf8');
        const parent = Number(/^\d+ \(.*\) \S (\d+)/s.exec(read('stat'))?.[1]);
        const command = read('cmdline').split('\0').join(' ').trim();
        return [{ pid: Number(name), parent, command, environment: read('environ').split('\0').join('\n') }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}
