import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

let built: Promise<Buffer> | undefined;

/** The guest's program as one file, from the sources: what `npm run build` makes as dist/scan.js. */
export function buildGuestProgram(): Promise<Buffer> {
  built ??= build();
  return built;
}

/** The same as a file; resolves with its path. */
export async function writeGuestProgram(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'cypherfix-guest-')), 'scan.js');
  await writeFile(path, await buildGuestProgram());
  return path;
}

async function build(): Promise<Buffer> {
  const bundle = await rolldown({
    input: new URL('../../src/guest/main.ts', import.meta.url).pathname,
    platform: 'node',
    external: /^node:/,
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
    return Buffer.from(output[0].code);
  } finally {
    await bundle.close();
  }
}
