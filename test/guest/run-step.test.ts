import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, test } from 'vitest';
import type { GuestStep } from '../../src/guest/protocol.ts';
import { runStep } from '../../src/guest/run-step.ts';

let cwd = '';
beforeAll(async () => {
  cwd = await mkdtemp(`${tmpdir()}/cypherfix-step-`);
});

const shell = (script: string, changes: Partial<GuestStep> = {}) => {
  const step = {
    argv: ['/bin/sh', '-c', script],
    cwd,
    env: {},
    timeoutMs: 10_000,
    maxStdoutBytes: 1000,
    maxStderrBytes: 1000,
  };
  return runStep({ ...step, ...changes }, { bytes: 10_000 });
};

describe('a step', () => {
  test('gives exit code and both outputs', async () => {
    const outcome = await shell('echo out; echo err >&2; exit 7');
    expect(outcome).toMatchObject({ exitCode: 7, signal: null, timedOut: false, truncated: false, spawnError: null });
    expect([outcome.stdout.toString(), outcome.stderr.toString()]).toEqual(['out\n', 'err\n']);
  });

  test('has the fixed environment, its own variables and nothing else', async () => {
    const { stdout } = await shell('env | grep -vE "^(PWD|SHLVL|_|OLDPWD)=" | sort', {
      env: { GOFLAGS: '-mod=mod', LANG: 'C' },
    });
    expect(stdout.toString().trim().split('\n')).toEqual([
      'GOFLAGS=-mod=mod',
      'HOME=/work/.home',
      'LANG=C',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'TMPDIR=/work/.tmp',
    ]);
  });

  test('has no input', async () => {
    expect((await shell('cat; echo end')).stdout.toString()).toBe('end\n');
  });

  test('is killed with its children at the limit', async () => {
    const outcome = await shell('(trap "" TERM; sleep 30) & echo started; wait', { timeoutMs: 300 });
    expect(outcome).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGKILL' });
    expect(outcome.stdout.toString()).toBe('started\n');
    expect(outcome.durationMs).toBeLessThan(5000);
  });

  test('does not wait for a daemon that keeps its output open', async () => {
    const outcome = await shell('setsid sleep 3 & echo said; exit 0');
    expect(outcome).toMatchObject({ exitCode: 0, timedOut: false });
    expect(outcome.stdout.toString()).toBe('said\n');
    expect(outcome.durationMs).toBeLessThan(2500);
  });

  test('that cannot be started says why', async () => {
    expect((await shell('', { argv: ['/nonexistent/tool'] })).spawnError).toContain('ENOENT');
    expect((await shell('true', { cwd: '/nonexistent' })).spawnError).toBe(
      'the working directory /nonexistent does not exist',
    );
    expect((await shell('', { argv: [] })).spawnError).toBeTypeOf('string');
  });
});

describe('output', () => {
  test('is kept to the byte up to the cap, the rest is read and dropped', async () => {
    const outcome = await shell('head -c 2000000 /dev/zero; echo last >&2', { maxStdoutBytes: 1234 });
    expect(outcome).toMatchObject({ exitCode: 0, truncated: true });
    expect(outcome.stdout.length).toBe(1234);
    expect(outcome.stderr.toString()).toBe('last\n');
  });

  test('of exactly the cap is whole', async () => {
    const outcome = await shell('head -c 1000 /dev/zero');
    expect(outcome.truncated).toBe(false);
    expect(outcome.stdout.length).toBe(1000);
  });

  test('takes from what the job may put out in all', async () => {
    const budget = { bytes: 500 };
    const step = {
      argv: ['/bin/sh', '-c', 'head -c 400 /dev/zero'],
      cwd,
      env: {},
      timeoutMs: 5000,
      maxStdoutBytes: 1000,
      maxStderrBytes: 0,
    };
    const outcomes = await Promise.all([runStep(step, budget), runStep(step, budget)]);
    expect(outcomes.reduce((sum, outcome) => sum + outcome.stdout.length, 0)).toBe(500);
    expect(outcomes.filter(outcome => outcome.truncated)).toHaveLength(1);
    expect(budget.bytes).toBe(0);
  });

  test('without end ends the step', async () => {
    const outcome = await shell('cat /dev/zero');
    expect(outcome).toMatchObject({ truncated: true, timedOut: false, signal: 'SIGKILL' });
  });
});
