import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GvisorSandbox } from '../../src/sandbox/create-sandbox.ts';
import type { SandboxResult, Step } from '../../src/sandbox/sandbox.ts';
import { openEngine, openSandbox, python, shell, toJob } from './real-sandbox.ts';

const CANARY = 'canary-3f9d1c7be5a24d60';
const SIGNAL = new AbortController().signal;

let sandbox: GvisorSandbox;
beforeAll(async () => {
  process.env['CYPHERFIX_TEST_SECRET'] = CANARY;
  sandbox = await openSandbox();
});
afterAll(async () => {
  delete process.env['CYPHERFIX_TEST_SECRET'];
  await sandbox.close();
});

/** Runs the steps at once and gives what each said; a job that did not come to its end fails the test. */
async function attempt(...steps: Step[]): Promise<(name: string) => { code: number | null; out: string; err: string }> {
  const result = await sandbox.run(toJob([steps]), SIGNAL);
  expect(result.failure).toBeUndefined();
  expect(
    JSON.stringify([...result.steps.values()].map(step => [step.stdout.toString(), step.stderr.toString()])),
  ).not.toContain(CANARY);
  return name => {
    const step = result.steps.get(name);
    if (step === undefined) throw new Error(`no step ${name}`);
    return { code: step.exitCode, out: step.stdout.toString(), err: step.stderr.toString() };
  };
}

describe('out of the sandbox (SB1)', () => {
  test('mounts, namespaces and chroot are refused', async () => {
    const of = await attempt(
      shell('tmpfs', 'mkdir /work/m && mount -t tmpfs none /work/m'),
      shell('proc', 'mkdir /work/p && mount -t proc none /work/p'),
      shell('bind', 'mkdir /work/b && mount --bind / /work/b'),
      shell('chroot', 'chroot / /bin/true'),
      python('pivot', 'import ctypes,sys; sys.exit(0 if ctypes.CDLL(None).syscall(155, b"/", b"/work") == 0 else 9)'),
    );
    for (const name of ['tmpfs', 'proc', 'bind', 'chroot', 'pivot'])
      expect([name, of(name).code]).not.toEqual([name, 0]);
  });

  test('where the runtime applies profiles, namespaces and tracing are refused altogether', async () => {
    const engine = await openEngine();
    const flags = (await engine.fetchInfo()).runtimes['cypherfix-runsc']?.runtimeArgs ?? [];
    const applied = flags.includes('--oci-seccomp');
    const of = await attempt(
      shell('mode', 'grep Seccomp: /proc/self/status'),
      shell('unshare', 'unshare --user --map-root-user --mount true'),
      python('threads', 'import threading\nt = threading.Thread(target=lambda: print("ran"))\nt.start()\nt.join()'),
    );
    expect(of('mode').out).toBe(`Seccomp:\t${applied ? 2 : 0}\n`);
    // Without profiles a namespace is one of gVisor's own kernel and holds nothing of the host.
    expect(of('unshare').code === 0).toBe(!applied);
    expect(of('threads').out).toBe('ran\n');
  });

  test('no process can be traced, and the memory and root of process 1 are out of reach', async () => {
    const of = await attempt(
      python(
        'ptrace',
        `import ctypes, glob, time
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
time.sleep(0.5)
others = [int(p.split('/')[2]) for p in glob.glob('/proc/[0-9]*/cmdline') if open(p).read().startswith('sleep\\x003.25')]
print(len(others), [libc.ptrace(16, pid, 0, 0) for pid in [1, *others]])`,
      ),
      shell('other step', 'sleep 3.25'),
      shell('memory', 'head -c 1 /proc/1/mem'),
      python(
        'first process',
        `import os
for name in ("fd/0", "fd/1", "fd/2", "root", "cwd", "environ", "maps"):
  try:
    os.open("/proc/1/" + name, os.O_RDONLY)
    print(name, "opened")
  except PermissionError:
    print(name, "refused")`,
      ),
      shell('root of another', 'sleep 5 & cat /proc/$!/root/etc/shadow'),
    );
    expect(of('ptrace').out).toBe('1 [-1, -1]\n');
    expect(of('memory').code).not.toBe(0);
    // With its output a step could write the record of another one.
    expect(of('first process').out.match(/refused/g)).toHaveLength(7);
    expect(of('root of another').out).toBe('');
  });

  test('nothing can be written but /work, /out and /tmp', async () => {
    const places = [
      '/',
      '/etc',
      '/usr',
      '/usr/bin',
      '/var',
      '/var/tmp',
      '/opt',
      '/run',
      '/dev',
      '/sys',
      '/proc',
      '/root',
      '/home',
      '/mnt',
    ];
    const of = await attempt(
      shell(
        'write',
        `for d in ${places.join(' ')}; do (echo x >"$d/cypherfix-escape") 2>/dev/null && echo "$d"; done; true`,
      ),
      shell('allowed', 'for d in /work /out /tmp; do echo x >"$d/file" && echo "$d"; done'),
      shell('chmod', 'chmod 777 /etc; rm -f /etc/passwd; test -e /etc/passwd && stat -c %a /etc'),
      shell(
        'kernel',
        'for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/uevent_helper; do (echo x >"$f") 2>/dev/null && echo "$f"; done; true',
      ),
      shell('noexec', 'cp /bin/true /tmp/true && chmod +x /tmp/true && /tmp/true'),
    );
    expect(of('write').out).toBe('');
    expect(of('allowed').out).toBe('/work\n/out\n/tmp\n');
    expect(of('chmod').out).toBe('755\n');
    expect(of('kernel').out).toBe('');
    expect(of('noexec').code).toBe(126);
  });

  test('the devices are the harmless ones', async () => {
    const of = await attempt(
      shell('list', 'ls /dev'),
      shell('disks', 'ls /dev/sd* /dev/vd* /dev/nvme* /dev/mem /dev/kmsg /dev/kvm 2>/dev/null; true'),
      python(
        'mknod',
        'import os, stat, sys\ntry:\n  os.mknod("/work/disk", 0o600 | stat.S_IFBLK, os.makedev(8, 0))\nexcept OSError as e:\n  sys.exit(9)',
      ),
    );
    const harmless = [
      'char',
      'fd',
      'full',
      'fuse',
      'net',
      'null',
      'ptmx',
      'pts',
      'random',
      'shm',
      'stderr',
      'stdin',
      'stdout',
      'tty',
      'urandom',
      'zero',
    ];
    expect(
      of('list')
        .out.trim()
        .split('\n')
        .filter(name => !harmless.includes(name)),
    ).toEqual([]);
    expect(of('disks').out).toBe('');
    expect(of('mknod').code).toBe(9);
  });

  test('the process has no rights to gain', async () => {
    const of = await attempt(
      shell('status', 'grep -E "^(Uid|Gid|Cap(Eff|Prm|Bnd|Inh|Amb)|NoNewPrivs)" /proc/self/status'),
      shell('suid', 'find / -xdev -perm /6000 -type f 2>/dev/null | head'),
      shell('su', 'su -c id </dev/null'),
      python('setuid', 'import os, sys\ntry:\n  os.setuid(0)\nexcept OSError:\n  sys.exit(9)'),
    );
    expect(of('status').out.replace(/[ \t]+/g, ' ')).toBe(
      [
        'Uid: 65532 65532 65532 65532',
        'Gid: 65532 65532 65532 65532',
        ...['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].map(name => `Cap${name}: 0000000000000000`),
        'NoNewPrivs: 1',
        '',
      ].join('\n'),
    );
    expect(of('suid').out).toBe('');
    expect(of('su').code).not.toBe(0);
    expect(of('setuid').code).toBe(9);
  });
});

describe('secrets (SB2)', () => {
  test('no environment holds more than the fixed names, and nothing of the runner is visible', async () => {
    const of = await attempt(
      shell('own', 'env | cut -d = -f 1 | sort | grep -vE "^(PWD|OLDPWD|SHLVL|_)$"'),
      shell('all', "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'"),
      shell('mounts', 'cat /proc/self/mounts /proc/self/mountinfo'),
    );
    expect(of('own').out.trim().split('\n')).toEqual(['HOME', 'LANG', 'PATH', 'TMPDIR']);
    expect(of('all').out).not.toMatch(/GITHUB|TOKEN|KEY|CYPHERFIX_/);
    expect(of('mounts').out).not.toMatch(/\/var\/lib|overlay2|cypherfix/);
  });

  test('no credential files, repository data or engine socket are there', async () => {
    const paths = [
      '/run/secrets',
      '/var/run/secrets',
      '/var/run/docker.sock',
      '/run/docker.sock',
      '/run/containerd',
      '/var/lib/cypherfix',
      '/root/.ssh',
      '/root/.gitconfig',
      '/work/.git',
      '/work/.home/.ssh',
      '/work/.home/.gitconfig',
      '/work/.home/.docker',
      '/home/runner',
      '/github',
    ];
    const of = await attempt(
      shell('paths', `for p in ${paths.join(' ')}; do test -e "$p" && echo "$p"; done; true`),
      shell('sockets', 'find / -xdev -type s 2>/dev/null; true'),
      shell('shadow', 'cat /etc/shadow'),
    );
    expect(of('paths').out).toBe('');
    expect(of('sockets').out).toBe('');
    expect(of('shadow').code).not.toBe(0);
  });
});

describe('network (SB3)', () => {
  test('there is loopback and nothing else', async () => {
    const connect = (host: string, port: number): string => `import socket, sys
s = socket.socket(); s.settimeout(3)
try:
  s.connect(("${host}", ${port}))
except OSError as e:
  print(type(e).__name__); sys.exit(9)`;
    const of = await attempt(
      python('metadata', connect('169.254.169.254', 80)),
      python('tcp', connect('1.1.1.1', 443)),
      python('gateway', connect('172.17.0.1', 2375)),
      python(
        'udp',
        'import socket, sys\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ntry:\n  s.sendto(b"x", ("8.8.8.8", 53))\nexcept OSError:\n  sys.exit(9)',
      ),
      python(
        'ipv6',
        'import socket, sys\ns = socket.socket(socket.AF_INET6)\ns.settimeout(3)\ntry:\n  s.connect(("2606:4700:4700::1111", 443))\nexcept OSError:\n  sys.exit(9)',
      ),
      python(
        'dns',
        'import socket, sys\ntry:\n  socket.getaddrinfo("example.org", 443)\nexcept OSError:\n  sys.exit(9)',
      ),
      python(
        'raw',
        'import socket, sys\ntry:\n  socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)\nexcept OSError:\n  sys.exit(9)',
      ),
      python(
        'packet',
        'import socket, sys\ntry:\n  socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nexcept OSError:\n  sys.exit(9)',
      ),
      python('interfaces', 'import socket\nprint([name for _, name in socket.if_nameindex()])'),
    );
    for (const name of ['metadata', 'tcp', 'gateway', 'udp', 'ipv6', 'dns', 'raw', 'packet'])
      expect([name, of(name).code]).toEqual([name, 9]);
    expect(of('metadata').out).not.toContain('Timeout');
    expect(of('interfaces').out).toBe("['lo']\n");
  });
});

describe('resources (SB7)', () => {
  const run = (steps: Step[], limits = {}): Promise<SandboxResult> => sandbox.run(toJob([steps], limits), SIGNAL);

  test('a fork bomb stops at the process limit and its neighbour finishes', async () => {
    const result = await run([
      shell('bomb', 'bomb() { bomb | bomb & }; bomb; sleep 2', { timeoutMs: 5000 }),
      shell('neighbour', 'sleep 1; echo fine'),
    ]);
    expect(result.failure).toBeUndefined();
    expect(result.steps.get('neighbour')?.stdout.toString()).toBe('fine\n');
  });

  test('a full file system is an error inside, and the job ends as it should', async () => {
    const result = await run([
      shell('work', 'head -c 2000000000 /dev/zero >/work/big; rm -f /work/big; echo over', { timeoutMs: 40_000 }),
      shell('out', 'head -c 100000000 /dev/zero >/out/big'),
    ]);
    expect(result.failure).toBeUndefined();
    // The file size limit is the size of /work: a signal or "no space left", whichever comes first.
    expect(result.steps.get('work')?.stdout.toString()).toBe('over\n');
    expect(result.steps.get('out')?.exitCode).not.toBe(0);
  });

  test('a GiB of output is cut at the cap', async () => {
    const result = await run([
      shell('flood', 'head -c 1073741824 /dev/zero', { timeoutMs: 30_000, maxStdoutBytes: 200_000 }),
    ]);
    expect(result.outputTruncated).toBe(true);
    expect(result.steps.get('flood')?.stdout.length).toBe(200_000);
    expect(result.steps.get('flood')?.truncated).toBe(true);
  });

  test('all steps together stay under the cap of the job', async () => {
    const flood = (name: string): Step => shell(name, 'head -c 900000 /dev/zero');
    const result = await run([flood('a'), flood('b'), flood('c')], { maxOutputBytes: 1_000_000 });
    expect(result.failure).toBeUndefined();
    expect([...result.steps.values()].reduce((sum, step) => sum + step.stdout.length, 0)).toBe(1_000_000);
    expect(result.outputTruncated).toBe(true);
  });

  test('a step is killed at its own limit, whatever signals it ignores', async () => {
    const result = await run([
      shell('stubborn', "trap '' TERM INT HUP; while :; do sleep 1; done", { timeoutMs: 700 }),
      shell('other', 'echo done'),
    ]);
    expect(result.failure).toBeUndefined();
    expect(result.steps.get('stubborn')).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGKILL' });
    expect(result.steps.get('other')).toMatchObject({ timedOut: false, exitCode: 0 });
  });

  test('the whole job is killed from outside at its limit, and what was finished is kept', async () => {
    const started = performance.now();
    const result = await run([shell('sleep', 'sleep 1000', { timeoutMs: 900_000 }), shell('quick', 'echo kept')], {
      timeoutMs: 3000,
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(result).toMatchObject({ timedOut: true, oomKilled: false });
    expect(result.failure).toContain('longer than 3 s');
    expect(result.steps.get('quick')?.stdout.toString()).toBe('kept\n');
    expect(result.steps.has('sleep')).toBe(false);
  });

  test('too much memory ends the job as out of memory', async () => {
    const result = await run([python('grow', 'b = []\nwhile True: b.append(bytearray(16 << 20))')], { memoryMb: 256 });
    expect(result).toMatchObject({ oomKilled: true, timedOut: false });
    expect(result.failure).toContain('out of memory');
  });

  test('core dumps, open files and file sizes are limited', async () => {
    const result = await run([
      python(
        'limits',
        'import resource as r\nprint([r.getrlimit(x) for x in (r.RLIMIT_CORE, r.RLIMIT_NOFILE, r.RLIMIT_NPROC, r.RLIMIT_FSIZE)])',
      ),
    ]);
    expect(result.steps.get('limits')?.stdout.toString()).toBe(
      '[(0, 0), (4096, 4096), (224, 224), (536870912, 536870912)]\n',
    );
  });
});
