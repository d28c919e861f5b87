/**
 * The program that runs inside the sandbox, as `node /work/job/scan.js <program> [argument…]`. `run` is process 1 of the
 * container; the others are started by it as steps. Nothing else of `src` imports this file.
 */

interface GuestProgram {
  /** Resolves with the exit code. */
  run(argv: readonly string[]): Promise<number>;
}

const PROGRAMS: Readonly<Record<string, () => Promise<GuestProgram>>> = {
  run: () => import('./run-job.ts'),
  lint: () => import('../scanners/guest/lint.ts'),
  dockerfile: () => import('../scanners/guest/dockerfile.ts'),
};

const [name = '', ...argv] = process.argv.slice(2);
const load = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;

if (load === undefined) {
  process.stderr.write(`scan.js: no program "${name}"; there are: ${Object.keys(PROGRAMS).join(', ')}\n`);
  process.exitCode = 64;
} else {
  try {
    const program = await load();
    process.exitCode = await program.run(argv);
  } catch (error) {
    process.stderr.write(
      `scan.js ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    // A program that was started ahead would keep this one alive.
    process.exit(70);
  }
}
