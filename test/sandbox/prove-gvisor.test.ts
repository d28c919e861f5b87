import { describe, expect, test } from 'vitest';
import type { EngineInfo } from '../../src/sandbox/docker.ts';
import { chooseRuntime, findRuntimeFault, parseProbe } from '../../src/sandbox/prove-gvisor.ts';

const RUNC = { path: 'runc', runtimeArgs: [] };
const RUNSC = { path: '/usr/local/bin/runsc', runtimeArgs: [] };
const info = (runtimes: EngineInfo['runtimes']): EngineInfo => ({
  serverVersion: '1',
  cpus: 2,
  memoryBytes: 1,
  runtimes,
});

describe('the runtime', () => {
  test('is ours where there is one, with the platform that its flags name', () => {
    const ours = { path: '/var/lib/cypherfix/bin/runsc', runtimeArgs: ['--platform=systrap', '--network=none'] };
    expect(chooseRuntime(info({ a: RUNSC, 'cypherfix-runsc': ours, runc: RUNC }), false)).toEqual({
      name: 'cypherfix-runsc',
      path: ours.path,
      platform: 'systrap',
      insecure: false,
    });
  });

  test('is another runsc otherwise, and none that is not runsc whatever its name', () => {
    expect(chooseRuntime(info({ runc: RUNC, gvisor: RUNSC }), false)).toMatchObject({
      name: 'gvisor',
      platform: 'default',
    });
    expect(chooseRuntime(info({ runsc: RUNC, 'cypherfix-runsc': RUNC }), false)).toBeUndefined();
    expect(chooseRuntime(info({ runsc: { path: '/opt/runsc/runc', runtimeArgs: [] } }), false)).toBeUndefined();
  });

  test('is runc only where that was allowed, marked, and never before gVisor', () => {
    expect(chooseRuntime(info({ runc: RUNC }), false)).toBeUndefined();
    expect(chooseRuntime(info({ runc: RUNC }), true)).toMatchObject({ name: 'runc', insecure: true });
    expect(chooseRuntime(info({ runc: RUNC, runsc: RUNSC }), true)).toMatchObject({ name: 'runsc', insecure: false });
  });

  test.each([
    '--host-uds=open',
    '-host-uds=all',
    '--ignore-cgroups',
    '--nvproxy=true',
    '--rootless',
    '--TESTONLY-unsafe-nonroot=true',
  ])('with %s is no sandbox', flag => {
    expect(findRuntimeFault({ ...RUNSC, runtimeArgs: [flag] })).toContain(flag);
    expect(chooseRuntime(info({ runsc: { ...RUNSC, runtimeArgs: [flag] } }), false)).toBeUndefined();
  });

  test.each(['--host-uds=none', '--ignore-cgroups=false', '--network=none', '--oci-seccomp', '--debug-log=/var/log/x'])(
    'with %s is one',
    flag => {
      expect(findRuntimeFault({ ...RUNSC, runtimeArgs: [flag] })).toBeUndefined();
    },
  );
});

describe('the probe', () => {
  test.each([
    ['yes 1a Linux version 4.19.0-gvisor #1 SMP Sun Jan 10 15:06:54 PST 2016', true],
    ['no 1a Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016', true],
    ['no 1a Linux version 6.8.0-45-generic (buildd@lcy02) #45-Ubuntu SMP', false],
    ['yes 1a Linux version 6.8.0-45-generic (buildd@lcy02) #45-Ubuntu SMP', false],
    ['no 1a Linux version 4.19.0-gvisor #1 SMP', false],
  ])('%s', (text, gvisor) => {
    expect(parseProbe(`cypherfix-probe n1 ${text}`, 'n1')?.gvisor).toBe(gvisor);
  });

  test.each([
    '',
    'cypherfix-probe',
    'cypherfix-probe n2 yes 1a Linux gvisor',
    'cypherfix-probe n1 maybe 1a Linux',
    ' cypherfix-probe n1 yes 1a Linux',
  ])('%j is none', line => {
    expect(parseProbe(line, 'n1')).toBeUndefined();
  });
});
