import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const sandbox = join(import.meta.dirname, '../../sandbox');
const scripts = ['setup', 'engine'].map(name => join(sandbox, name));

test('the scripts parse and, where shellcheck is installed, pass it', () => {
  for (const script of scripts) expect(run('bash', ['-n', script])).toMatchObject({ status: 0, stderr: '' });
  const checked = run('shellcheck', ['-x', '-P', 'SCRIPTDIR', ...scripts]);
  // A machine without shellcheck still runs the parse above.
  expect(checked.missing || checked.status === 0, checked.stdout).toBe(true);
});

test.each([
  [['--class'], /--class needs a name/],
  [['--class', 'cobol'], /no class 'cobol'; there are: go java node python scanners/],
  [['--bogus'], /usage: sandbox\/setup/],
])('setup refuses %j with status 64', (args, message) => {
  const { status, stderr } = run('bash', [join(sandbox, 'setup'), ...args]);
  expect(status).toBe(64);
  expect(stderr).toMatch(message);
});

test('setup --help names every class', () => {
  const { status, stdout } = run('bash', [join(sandbox, 'setup'), '--help']);
  expect(status).toBe(0);
  expect(stdout).toContain('go java node python scanners');
});

test('engine refuses an unknown command, a relative home and a home too long for a socket', () => {
  expect(run('bash', [join(sandbox, 'engine'), 'restart']).status).toBe(64);
  expect(run('bash', [join(sandbox, 'engine'), 'start'], { CYPHERFIX_HOME: 'here' })).toMatchObject({ status: 64 });
  expect(run('bash', [join(sandbox, 'engine'), 'start'], { CYPHERFIX_HOME: `/tmp/${'x'.repeat(80)}` }).stderr).toMatch(
    /longer than 70/,
  );
});

test('engine start says what is missing and how to get it, with status 69', () => {
  const home = mkdtempSync(join(tmpdir(), 'cfh-'));
  try {
    const { status, stderr } = run('bash', [join(sandbox, 'engine'), 'start'], { CYPHERFIX_HOME: home });
    expect(status).toBe(69);
    expect(stderr).toContain('bin/runsc');
    expect(stderr).toMatch(/run: .*setup/);
    expect(run('bash', [join(sandbox, 'engine'), 'status'], { CYPHERFIX_HOME: home })).toMatchObject({
      status: 1,
      stdout: 'stopped\n',
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test('without root and without sudo, setup ends with 69 and the command to run', () => {
  const home = mkdtempSync(join(tmpdir(), 'cfh-'));
  try {
    // An account that no sudoers file names; its own PATH so that node is found.
    const { status, stderr } = run('setpriv', [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      'env',
      `PATH=${process.env.PATH}`,
      `CYPHERFIX_HOME=${home}`,
      'bash',
      join(sandbox, 'setup'),
    ]);
    expect(stderr).toMatch(/needs root/);
    expect(stderr).toContain(`sudo CYPHERFIX_HOME=${home}`);
    expect(status).toBe(69);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test('the engine API client reports a failed load that came with status 200, and an engine that is not there', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cfh-'));
  const socket = join(home, 's');
  const server = createServer((request, response) => {
    request
      .resume()
      .on('end', () => response.end('{"errorDetail":{"message":"no space left"},"error":"no space left"}\n'));
  });
  await new Promise<void>(resolve => server.listen(socket, resolve));
  try {
    const { loadImage, callEngine } = await import(join(sandbox, 'docker-api.mjs'));
    const archive = join(home, 'archive');
    writeFileSync(archive, 'x');
    await expect(loadImage(socket, archive)).rejects.toThrow(/no space left/);
    await expect(loadImage(socket, join(home, 'gone'))).rejects.toThrow(/ENOENT/);
    await expect(callEngine(join(home, 'nobody'), 'GET', '/_ping')).rejects.toThrow(/ENOENT/);
  } finally {
    await new Promise(resolve => server.close(resolve));
    rmSync(home, { recursive: true, force: true });
  }
});

test('no lock file or script names a package registry host', () => {
  for (const name of ['npm/scanners', 'npm/node']) {
    const lock = JSON.parse(readFileSync(join(sandbox, name, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
    };
    const pinned = Object.entries(lock.packages).filter(([path]) => path !== '');
    expect(pinned.length).toBeGreaterThan(2);
    for (const [path, entry] of pinned) {
      expect(entry.resolved, path).toBeUndefined();
      expect(entry.integrity ?? 'bundled', path).toMatch(/^sha512-|^bundled$/);
    }
  }
});

function run(command: string, args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  return { status, stdout: stdout ?? '', stderr: stderr ?? '', missing: error !== undefined };
}
