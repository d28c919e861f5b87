// Writes daemon.json of the private engine for the runsc that set-up installed; prints "changed" or "same".
// usage: node daemon-config.mjs CYPHERFIX_HOME
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const home = process.argv[2];
if (home === undefined) {
  process.stderr.write('usage: daemon-config.mjs CYPHERFIX_HOME\n');
  process.exit(64);
}

const { platform } = JSON.parse(readFileSync(join(home, 'runsc.json'), 'utf8'));
const config = {
  // cgroupfs works with every init system and both cgroup versions; the systemd driver would need a session bus here.
  'exec-opts': ['native.cgroupdriver=cgroupfs'],
  // With the containerd image store an image's id is another digest than the one in the lock.
  features: { 'containerd-snapshotter': false },
  runtimes: {
    'cypherfix-runsc': {
      path: join(home, 'bin', 'runsc'),
      // Applies the profile that each container is given (src/sandbox/seccomp-profile.ts); Docker's own breaks threads here.
      runtimeArgs: [`--platform=${platform}`, '--network=none', '--oci-seccomp'],
    },
  },
};

const path = join(home, 'daemon.json');
const wanted = `${JSON.stringify(config, null, 2)}\n`;
if (readText(path) === wanted) {
  process.stdout.write('same\n');
} else {
  writeFileSync(`${path}.new`, wanted, { mode: 0o644 });
  renameSync(`${path}.new`, path);
  process.stdout.write('changed\n');
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
