import { JOB_FOLDER, PROGRAM_FILE } from '../guest/protocol.ts';

/**
 * The container's first process. It says what kernel it runs under, on standard error, and then waits: the host sends
 * nothing before it has read that line. Next comes the guest's program, whose length is known, and the program takes over.
 */
const SCRIPT = `
read -r kernel </proc/version
gvisor=no
[ -e /proc/gvisor ] && [ -e /proc/sentry-meminfo ] && gvisor=yes
echo "cypherfix-probe $1 $gvisor $kernel" >&2
mkdir /work/${JOB_FOLDER} &&
  head -c "$2" >/work/${PROGRAM_FILE} &&
  echo '{"type":"module"}' >/work/${JOB_FOLDER}/package.json &&
  exec /usr/bin/node /work/${PROGRAM_FILE} run
`;

/** argv of the container. `nonce` ties the probe's line to this container; `programBytes` is the length of the program. */
export function toStartCommand(nonce: string, programBytes: number): string[] {
  return ['/bin/sh', '-c', SCRIPT, 'cypherfix', nonce, String(programBytes)];
}
