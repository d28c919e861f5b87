import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SILENT_LOG } from '../../src/core/log.ts';
import { createSandbox, type GvisorSandbox, type SandboxOptions } from '../../src/sandbox/create-sandbox.ts';
import { connectDocker, type DockerEngine } from '../../src/sandbox/docker.ts';
import { parseDockerAddress } from '../../src/sandbox/docker-address.ts';
import type { SandboxJob, SandboxLimits, Step } from '../../src/sandbox/sandbox.ts';

/** The state that set-up made; tests use the same engine and image as the product. */
export const HOME = process.env['CYPHERFIX_HOME'] ?? '/var/lib/cypherfix';
export const CHECKOUT = new URL('../..', import.meta.url).pathname;

let opened = 0;

/** A sandbox on the real engine, with a run label of its own. */
export async function openSandbox(changes: Partial<SandboxOptions> = {}): Promise<GvisorSandbox> {
  opened += 1;
  return createSandbox({
    home: HOME,
    actionPath: CHECKOUT,
    runLabel: `test-${process.pid}-${opened}`,
    allowInsecure: false,
    onActions: false,
    log: SILENT_LOG,
    signal: new AbortController().signal,
    ...changes,
  });
}

export const openEngine = (): Promise<DockerEngine> =>
  connectDocker(parseDockerAddress(`unix://${join(HOME, 'docker.sock')}`));

export const toStep = (name: string, argv: readonly string[], changes: Partial<Step> = {}): Step => ({
  name,
  argv,
  cwd: '/work',
  env: {},
  timeoutMs: 20_000,
  maxStdoutBytes: 1_000_000,
  maxStderrBytes: 100_000,
  ...changes,
});

export const shell = (name: string, script: string, changes: Partial<Step> = {}): Step =>
  toStep(name, ['/bin/sh', '-c', script], changes);

export const python = (name: string, script: string, changes: Partial<Step> = {}): Step =>
  toStep(name, ['/usr/bin/python3', '-I', '-c', script], changes);

export function toJob(
  phases: readonly (readonly Step[])[],
  limits: Partial<SandboxLimits> = {},
  snapshot: SandboxJob['snapshot'] = [],
): SandboxJob {
  return {
    purpose: 'test',
    imageClass: 'scanners',
    snapshot,
    phases,
    limits: { memoryMb: 1024, cpus: 2, timeoutMs: 60_000, maxOutputBytes: 8_000_000, ...limits },
  };
}

export const lockedDigest = (): string =>
  (
    JSON.parse(readFileSync(join(HOME, 'images.lock.json'), 'utf8')) as {
      images: Record<string, { configDigest: string }>;
    }
  ).images['scanners']?.configDigest ?? 'absent';
