import { describe, expect, test } from 'vitest';
import { assertContainer, toDifferences } from '../../src/sandbox/check-container.ts';
import { toContainerSettings } from '../../src/sandbox/container-settings.ts';
import { SECCOMP_PROFILE } from '../../src/sandbox/seccomp-profile.ts';

const CHOICE = {
  runtime: 'cypherfix-runsc',
  imageId: `sha256:${'a'.repeat(64)}`,
  command: ['/bin/sh', '-c', 'true'],
  memoryMb: 2048,
  cpus: 1.5,
  labels: { 'cypherfix.run': '1-1' },
  limitProcesses: true,
};
const SETTINGS = toContainerSettings(CHOICE);

test('every setting is what the threat analysis asks for', () => {
  expect(SETTINGS).toEqual({
    Image: CHOICE.imageId,
    Entrypoint: [],
    Cmd: ['/bin/sh', '-c', 'true'],
    User: '65532:65532',
    WorkingDir: '/work',
    Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/work/.home', 'LANG=C.UTF-8'],
    Labels: { 'cypherfix.run': '1-1' },
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: true,
    StopSignal: 'SIGKILL',
    HostConfig: {
      Runtime: 'cypherfix-runsc',
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${SECCOMP_PROFILE}`],
      PidsLimit: 1024,
      Memory: 2147483648,
      MemorySwap: 2147483648,
      NanoCpus: 1_500_000_000,
      Tmpfs: {
        '/work': 'rw,exec,nosuid,nodev,size=1024m,mode=0700,uid=65532,gid=65532',
        '/out': 'rw,noexec,nosuid,nodev,size=16m,mode=0700,uid=65532,gid=65532',
        '/tmp': 'rw,noexec,nosuid,nodev,size=256m,mode=1777',
      },
      Ulimits: [
        { Name: 'nproc', Soft: 256, Hard: 256 },
        { Name: 'nofile', Soft: 4096, Hard: 4096 },
        { Name: 'fsize', Soft: 1073741824, Hard: 1073741824 },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      IpcMode: 'private',
      ShmSize: 1048576,
      OomScoreAdj: 500,
      LogConfig: { Type: 'none', Config: {} },
      AutoRemove: false,
      RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
    },
  });
});

test('memory is positive however large, and the process limit goes with gVisor', () => {
  expect(toContainerSettings({ ...CHOICE, memoryMb: 8192 }).HostConfig['Memory']).toBe(8192 * 1024 * 1024);
  const limits = toContainerSettings({ ...CHOICE, limitProcesses: false }).HostConfig['Ulimits'] as { Name: string }[];
  expect(limits.map(limit => limit.Name)).toEqual(['nofile', 'fsize', 'core']);
});

describe('the created container', () => {
  /** What the engine tells of a container that is as it should be: null for what was left out, image settings merged in. */
  const inspected = (
    host: Record<string, unknown> = {},
    config: Record<string, unknown> = {},
    top: Record<string, unknown> = {},
  ) => ({
    Id: 'c1',
    Image: SETTINGS.Image,
    Path: '/bin/sh',
    Args: ['-c', 'true'],
    Mounts: [],
    Config: { ...SETTINGS, Env: [...SETTINGS.Env, 'GOROOT=/opt/go'], Entrypoint: null, Volumes: null, ...config },
    HostConfig: {
      ...SETTINGS.HostConfig,
      Binds: null,
      Devices: [],
      CapAdd: null,
      PidMode: '',
      OomKillDisable: false,
      Dns: [],
      ...host,
    },
    ...top,
  });
  const IMAGE = { Env: ['PATH=/opt/tools/bin', 'GOROOT=/opt/go'], Labels: null };

  test('passes when nothing differs', () => {
    expect(toDifferences(SETTINGS, inspected(), IMAGE)).toEqual([]);
    expect(() => assertContainer(SETTINGS, inspected(), IMAGE)).not.toThrow();
  });

  test.each<[string, Record<string, unknown>]>([
    ['Runtime', { Runtime: 'runc' }],
    ['Runtime', { Runtime: undefined }],
    ['NetworkMode', { NetworkMode: 'default' }],
    ['ReadonlyRootfs', { ReadonlyRootfs: false }],
    ['Privileged', { Privileged: true }],
    ['CapDrop', { CapDrop: null }],
    ['CapAdd', { CapAdd: ['SYS_ADMIN'] }],
    ['SecurityOpt', { SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] }],
    ['PidsLimit', { PidsLimit: null }],
    ['Memory', { Memory: 0 }],
    ['MemorySwap', { MemorySwap: -1 }],
    ['NanoCpus', { NanoCpus: 0 }],
    ['Tmpfs', { Tmpfs: { '/work': 'rw' } }],
    ['Ulimits', { Ulimits: [] }],
    ['IpcMode', { IpcMode: 'host' }],
    ['LogConfig', { LogConfig: { Type: 'json-file', Config: {} } }],
    ['Binds', { Binds: ['/:/host'] }],
    ['Mounts', { Mounts: [{ Type: 'bind', Source: '/', Target: '/host' }] }],
    ['Devices', { Devices: [{ PathOnHost: '/dev/kvm' }] }],
    ['DeviceRequests', { DeviceRequests: [{ Driver: 'nvidia' }] }],
    ['PidMode', { PidMode: 'host' }],
    ['UsernsMode', { UsernsMode: 'host' }],
    ['Init', { Init: true }],
    ['OomKillDisable', { OomKillDisable: true }],
    ['VolumesFrom', { VolumesFrom: ['other'] }],
  ])('is refused for HostConfig.%s', (name, change) => {
    expect(toDifferences(SETTINGS, inspected(change), IMAGE)).toEqual([
      expect.stringContaining(`HostConfig.${name} is`),
    ]);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['Image', {}, { Image: 'sha256:other' }],
    ['Mounts', {}, { Mounts: [{ Type: 'volume', Destination: '/work' }] }],
    ['Path', {}, { Args: ['-c', 'true', '--more'] }],
    ['Config.User', { User: '' }, {}],
    ['Config.Env', { Env: [...SETTINGS.Env, 'GOROOT=/opt/go', 'TOKEN=x'] }, {}],
    ['Config.Entrypoint', { Entrypoint: ['/evil'] }, {}],
    ['Config.Volumes', { Volumes: { '/data': {} } }, {}],
    ['Config.Labels', { Labels: {} }, {}],
  ])('is refused for %s', (name, config, top) => {
    expect(toDifferences(SETTINGS, inspected({}, config, top), IMAGE)).toEqual([expect.stringContaining(`${name} is`)]);
  });

  test('the error names every difference', () => {
    const bad = inspected({ Runtime: 'runc', Binds: ['/:/host'] });
    expect(() => assertContainer(SETTINGS, bad, IMAGE)).toThrow(/HostConfig\.Runtime is "runc".*HostConfig\.Binds/);
    expect(() => assertContainer(SETTINGS, 'nonsense', IMAGE)).toThrow(/Image is absent/);
  });
});

test('the profile refuses what leads out of a container, and nothing that starts threads', () => {
  const { syscalls, defaultAction } = JSON.parse(SECCOMP_PROFILE) as {
    defaultAction: string;
    syscalls: { names: string[] }[];
  };
  expect(defaultAction).toBe('SCMP_ACT_ALLOW');
  const names = syscalls.flatMap(entry => entry.names);
  for (const name of ['mount', 'unshare', 'setns', 'ptrace', 'bpf', 'open_by_handle_at', 'io_uring_setup'])
    expect(names).toContain(name);
  for (const name of ['clone', 'clone3', 'futex', 'execve']) expect(names).not.toContain(name);
});
