import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { checkNode, renderText, run, toGitCheck } from '../../src/commands/doctor.ts';
import { SILENT_LOG } from '../../src/core/log.ts';

async function doctor(argv: string[], env: Record<string, string> = {}): Promise<{ status: number; out: string }> {
  const stdout = new PassThrough();
  const context: CommandContext = {
    env,
    stdout,
    stderr: new PassThrough(),
    signal: new AbortController().signal,
    actionPath: '/nonexistent',
    log: SILENT_LOG,
  };
  const status = await run(argv, context);
  stdout.end();
  return { status, out: await text(stdout) };
}

describe('doctor', () => {
  test('tells how it is used', async () => {
    const { status, out } = await doctor(['--help']);
    expect(status).toBe(0);
    expect(out).toMatch(/^usage: doctor/);
  });

  test.each([[['--format', 'xml']], [['--colour']], [['extra']]])('refuses %j', async argv => {
    await expect(doctor(argv)).rejects.toMatchObject({ code: 'usage', hint: 'doctor --help' });
  });

  test('exits with 69 and names the fix where no engine is', async () => {
    const env = {
      CYPHERFIX_HOME: await mkdtemp(join(tmpdir(), 'cypherfix-home-')),
      DOCKER_HOST: 'unix:///nonexistent/docker.sock',
    };
    const plain = await doctor([], env);
    expect(plain.status).toBe(69);
    expect(plain.out).toMatch(/^ok {4}Node /m);
    expect(plain.out).toMatch(
      /^fail {2}Docker Engine with gVisor: no Docker Engine answers at unix:\/\/\/nonexistent\/docker\.sock {2}→ npm run setup$/m,
    );
    const json = JSON.parse((await doctor(['--format', 'json'], env)).out);
    expect(json).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([expect.objectContaining({ status: 'fail', fix: 'npm run setup' })]),
    });
  });
});

test('a check is one line, with the fix after an arrow', () => {
  const checks = [
    { status: 'ok', what: 'a' },
    { status: 'warn', what: 'b', fix: 'c' },
  ] as const;
  expect(renderText(checks)).toBe('ok    a\nwarn  b  → c\n');
});

test.each([
  ['20.18.9', 'fail'],
  ['20.19.0', 'ok'],
  ['24.0.0', 'ok'],
  ['18.20.1', 'fail'],
])('Node %s: %s', (version, status) => {
  expect(checkNode(version).status).toBe(status);
});

test.each([
  ['git version 2.39.5\n', 'ok'],
  ['git version 2.50.1 (Apple Git-155)\n', 'ok'],
  ['git version 2.20.0\n', 'fail'],
  ['git version 1.8.3.1\n', 'fail'],
  ['zsh: command not found', 'fail'],
])('%j: %s', (output, status) => {
  expect(toGitCheck(output).status).toBe(status);
});
