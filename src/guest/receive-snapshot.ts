import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';

const STANDARD_INPUT = 0;
const SPOOL_BUFFER_BYTES = 1 << 20;

/**
 * Reads a tar from standard input to its end and extracts it into `folder`; throws when either fails. The tar goes to a
 * file first and GNU tar reads it in 1 MiB blocks: a tar that reads from a pipe needs several times as long in gVisor.
 */
export function receiveSnapshot(folder: string): void {
  const spool = `${folder}/.snapshot.tar`;
  spoolInput(spool);
  const tar = spawnSync(
    '/bin/tar',
    ['-b', '2048', '-m', '--no-same-owner', '--no-same-permissions', '-x', '-f', spool, '-C', folder],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' } },
  );
  if (tar.error !== undefined) throw new Error(`tar did not start: ${tar.error.message}`);
  if (tar.status !== 0) {
    throw new Error(
      `the snapshot could not be extracted (tar ended with ${tar.status ?? tar.signal}): ${tar.stderr.toString('utf8', 0, 500).trim()}`,
    );
  }
  unlinkSync(spool);
}

function spoolInput(path: string): void {
  const buffer = Buffer.allocUnsafe(SPOOL_BUFFER_BYTES);
  const file = openSync(path, 'wx', 0o600);
  try {
    for (;;) {
      const filled = readSync(STANDARD_INPUT, buffer, 0, buffer.length, null);
      if (filled === 0) return;
      let written = 0;
      while (written < filled) written += writeSync(file, buffer, written, filled - written);
    }
  } finally {
    closeSync(file);
  }
}
