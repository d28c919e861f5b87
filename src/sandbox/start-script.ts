import { JOB_FOLDER, PROGRAM_FILE } from '../guest/protocol.ts';

/**
 * The container's first process. It says what kernel it runs under, on standard error, and then waits: the host sends
 * nothing before it has read that line. Next comes the guest's program, whose length is known, and the program takes over.
 * Node starts meanwhile, and no other program does, since each costs its share of a short job.
 */
const SCRIPT = `
read -r kernel </proc/version
gvisor=no
[ -e /proc/gvisor ] && [ -e /proc/sentry-meminfo ] && gvisor=yes
echo "cypherfix-probe $1 $gvisor $kernel" >&2
exec /usr/bin/node -e "$3" "$2"
`;

/** Reads the program from standard input, keeps it as a file, for the steps that are programs of it, and runs it. */
const TAKE_PROGRAM = `
const fs = require('node:fs');
const program = Buffer.alloc(Number(process.argv[1]));
for (let done = 0; done < program.length; ) {
  const read = fs.readSync(0, program, done, program.length - done, null);
  if (read === 0) process.exit(1);
  done += read;
}
fs.mkdirSync('/work/${JOB_FOLDER}');
fs.writeFileSync('/work/${JOB_FOLDER}/package.json', '{"type":"module"}');
fs.writeFileSync('/work/${PROGRAM_FILE}', program);
process.argv = [process.execPath, '/work/${PROGRAM_FILE}', 'run'];
import('/work/${PROGRAM_FILE}');
`;

/** argv of the container. `nonce` ties the probe's line to this container; `programBytes` is the length of the program. */
export function toStartCommand(nonce: string, programBytes: number): string[] {
  return ['/bin/sh', '-c', SCRIPT, 'cypherfix', nonce, String(programBytes), TAKE_PROGRAM];
}
