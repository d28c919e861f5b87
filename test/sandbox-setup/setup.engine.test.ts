import { execFile, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { beforeAll, expect, test } from 'vitest';

const sandbox = join(import.meta.dirname, '../../sandbox');
const home = process.env.CYPHERFIX_HOME ?? '/var/lib/cypherfix';
const docker = new Docker({ socketPath: join(home, 'docker.sock') });

interface Entry {
  configDigest: string;
  diffIds: string[];
  configHash: string;
  tools: Record<string, string>;
  debian: { name: string; version: string; sha256: string }[];
}

beforeAll(() => {
  // On a machine that has everything this takes a second; on a fresh one it is the set-up itself.
  run('setup');
  run('engine', 'start');
}, 1_800_000);

test('a second set-up is fast and changes nothing', () => {
  const files = ['images.lock.json', 'runsc.json', 'daemon.json', 'bin/runsc'].map(name => join(home, name));
  const before = files.map(file => statSync(file).mtimeMs);
  const start = performance.now();
  expect(run('setup').stderr).toMatch(/ready: runsc .*, images: scanners/);
  expect(performance.now() - start).toBeLessThan(4000);
  expect(files.map(file => statSync(file).mtimeMs)).toEqual(before);
});

test('two starters at once of another engine both succeed, and stop leaves no process and no mount', async () => {
  const other = mkdtempSync(join(tmpdir(), 'cfh-'));
  try {
    mkdirSync(join(other, 'bin'));
    linkOrCopy(join(home, 'bin/runsc'), join(other, 'bin/runsc'));
    copyFileSync(join(home, 'runsc.json'), join(other, 'runsc.json'));
    const started = await Promise.all([1, 2].map(() => runAsync('engine', 'start', other)));
    expect(started.sort()).toEqual(['running\n', 'started\n']);
    expect(await runAsync('engine', 'start', other)).toBe('running\n');
    const pid = Number(readFileSync(join(other, 'docker.pid'), 'utf8'));

    expect(await runAsync('engine', 'stop', other)).toBe('stopped\n');
    expect(commandLine(pid)).toBe('');
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(other);
    expect(await runAsync('engine', 'stop', other)).toBe('stopped\n');
    // The pid file of an engine that was killed must not keep the next one from starting.
    writeFileSync(join(other, 'docker.pid'), String(process.pid));
    expect(await runAsync('engine', 'start', other)).toBe('started\n');
  } finally {
    await runAsync('engine', 'stop', other);
    rmSync(other, { recursive: true, force: true });
  }
}, 120_000);

test('the engine has the gVisor runtime of the record, without a network, and the default is untouched', async () => {
  const info = await docker.info();
  const { platform } = JSON.parse(readFileSync(join(home, 'runsc.json'), 'utf8')) as { platform: string };
  expect(info.Runtimes['cypherfix-runsc']).toEqual({
    path: join(home, 'bin/runsc'),
    runtimeArgs: [`--platform=${platform}`, '--network=none', '--oci-seccomp'],
  });
  expect(info.DefaultRuntime).toBe('runc');
  expect(info.DockerRootDir).toBe(join(home, 'data'));
});

test('the lock describes the loaded image', async () => {
  const entry = lockEntry();
  const image = await docker.getImage(entry.configDigest).inspect();
  expect(image.Id).toBe(entry.configDigest);
  expect(image.RootFS.Layers).toEqual(entry.diffIds);
  expect(image.Config.User).toBe('65532:65532');
  expect(image.Config.WorkingDir).toBe('/work');
  expect(entry.configHash).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(entry.debian.length).toBeGreaterThan(60);
  for (const item of entry.debian) expect(item.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test('every tool runs under gVisor and tells the version of the lock', async () => {
  const { tools } = lockEntry();
  const commands: Record<string, string> = {
    python: 'python3 -V',
    node: 'node --version',
    go: 'go version',
    ruff: 'ruff --version',
    bandit: 'python3 -I -S -B /opt/bandit/run.py --version',
    eslint: `node --input-type=module -e 'console.log((await import("/opt/eslint/eslint.mjs")).Linter.version)'`,
    'eslint-snapshot': 'node --snapshot-blob /opt/eslint/eslint.blob version',
    'ast-grep': 'ast-grep --version',
    gitleaks: 'gitleaks version',
    gosec: 'gosec -version',
  };
  expect(Object.keys(tools).sort()).toEqual(Object.keys(commands).sort());
  const script = Object.entries(commands).map(([name, command]) => `echo "@@ ${name}"; ${command}`);
  const output = await runInImage(['dmesg | head -n 1', ...script].join('\n'));
  expect(output).toMatch(/Starting gVisor/);
  for (const [name, version] of Object.entries(tools)) {
    expect(output.split(`@@ ${name}\n`)[1]?.split('@@')[0], name).toContain(version);
  }
}, 60_000);

test('the tools find what they are there for, and gosec names the files it analysed', async () => {
  const output = await runInImage(`
mkdir -p /tmp/m && cd /tmp/m && cp -rs /opt/gocache /tmp/gocache && export GOCACHE=/tmp/gocache HOME=/tmp
printf 'module m\\n\\ngo 1.26\\n' > go.mod
printf 'package m\\n\\nimport "crypto/md5"\\n\\nfunc Sum(b []byte) [16]byte { return md5.Sum(b) }\\n' > a.go
printf 'import pickle\\npickle.loads(x)\\n' > a.py
echo @@gosec; gosec -quiet -nosec -no-fail /tmp/m
echo @@bandit; python3 -I -S -B /opt/bandit/run.py -q -f json a.py
echo @@ruff; ruff check --isolated --select S --output-format json --exit-zero a.py`);
  const part = (name: string) => JSON.parse(output.split(`@@${name}\n`)[1]?.split('@@')[0] ?? '');
  const gosec = part('gosec');
  expect(gosec['Golang errors']).toEqual({});
  expect(gosec.Issues.map((issue: { rule_id: string }) => issue.rule_id)).toContain('G401');
  expect(gosec.Files).toEqual(['/tmp/m/a.go']);
  expect(part('bandit').results.map((result: { test_id: string }) => result.test_id)).toEqual(['B403', 'B301']);
  expect(part('ruff').map((result: { code: string }) => result.code)).toContain('S301');
}, 60_000);

test('the image has no set-user-id program, and its mount points belong to the job', async () => {
  const output = await runInImage(
    'find / -xdev -perm /6000 -type f 2>/dev/null; stat -c "%U %u %a %n" /work /out /tmp; ls /dev/null',
    [],
  );
  expect(output.trim().split('\n')).toEqual([
    'cypherfix 65532 700 /work',
    'cypherfix 65532 700 /out',
    'root 0 1777 /tmp',
    '/dev/null',
  ]);
});

function run(script: 'setup' | 'engine', ...args: string[]) {
  const result = spawnSync('bash', [join(sandbox, script), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.status !== 0)
    throw new Error(`sandbox/${script} ${args.join(' ')} ended with ${result.status}: ${result.stderr}`);
  return result;
}

function runAsync(script: string, command: string, otherHome: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, CYPHERFIX_HOME: otherHome };
    execFile('bash', [join(sandbox, script), command], { env, encoding: 'utf8' }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}

// Empty for a process that has ended, whether or not its parent has noticed.
function commandLine(pid: number): string {
  return existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
}

function linkOrCopy(from: string, to: string) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function lockEntry(): Entry {
  return JSON.parse(readFileSync(join(home, 'images.lock.json'), 'utf8')).images.scanners;
}

async function runInImage(script: string, mounts: string[] = ['/tmp', '/work']): Promise<string> {
  const container = await docker.createContainer({
    Image: lockEntry().configDigest,
    Cmd: ['/bin/sh', '-c', `( ${script}\n) 2>&1`],
    HostConfig: {
      Runtime: 'cypherfix-runsc',
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      // Docker's own profile breaks threads under gVisor (src/sandbox/seccomp-profile.ts).
      SecurityOpt: ['seccomp=unconfined'],
      Tmpfs: Object.fromEntries(mounts.map(mount => [mount, 'rw,exec,size=512m,mode=1777'])),
    },
    Tty: false,
  });
  try {
    await container.start();
    await container.wait();
    const raw = (await container.logs({ stdout: true, stderr: true })) as Buffer;
    return decodeFrames(raw);
  } finally {
    await container.remove({ force: true });
  }
}

// The engine frames a container's output: one byte of stream, three of nothing, four of length.
function decodeFrames(raw: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; at + 8 <= raw.length; ) {
    const length = raw.readUInt32BE(at + 4);
    parts.push(raw.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return Buffer.concat(parts).toString('utf8');
}
