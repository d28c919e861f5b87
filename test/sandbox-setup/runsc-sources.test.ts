import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const sandbox = join(import.meta.dirname, '../../sandbox');
let home: string;
let archive: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cfh-'));
  archive = join(home, 'archive.tar.bz2');
  const content = join(home, 'content');
  mkdirSync(join(content, 'gvisor-bin'), { recursive: true });
  writeFileSync(join(content, 'runsc'), '#!/bin/sh\necho "runsc version release-1"\n', { mode: 0o755 });
  writeFileSync(join(content, 'gvisor-bin/gvisor_sentry'), '#!/bin/sh\n', { mode: 0o755 });
  execFileSync('tar', ['-cjf', archive, '-C', content, 'runsc', 'gvisor-bin']);
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

// The functions of the set-up with the network and the compiler replaced.
function install(functions: string, digest = sha256(archive)) {
  const script = `
set -euo pipefail
here=${sandbox}
source ${sandbox}/parts/home.sh
source ${sandbox}/parts/runsc.sh
RUNSC_RELEASE=1 RUNSC_GO_LABEL=go-1
declare RUNSC_RELEASE_SHA256_$(uname -m)=${digest}
runsc_from_debian() { return 1; }
build() { mkdir -p "$1" && printf '#!/bin/sh\\necho "runsc version %s"\\n' "$2" >"$1/runsc" && chmod 755 "$1/runsc"; }
${functions}
install_runsc`;
  const start = performance.now();
  const result = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    env: { ...process.env, CYPHERFIX_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const record = join(home, 'runsc.json');
  return {
    status: result.status,
    stderr: result.stderr,
    seconds: (performance.now() - start) / 1000,
    record: existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : undefined,
  };
}

const download = (from: string) =>
  `curl() { local i; for i; do [[ $i == ${home}/cache/* ]] && cp "${from}" "$i" && return 0; done; return 1; }`;
const unreachable = 'curl() { return 7; }';
const built = 'runsc_from_module() { build "$1" go-1; }';
const notBuilt = 'runsc_from_module() { return 1; }';

test('takes the release with its sidecars as soon as it is there, and ends the build', () => {
  const marker = join(home, 'marker');
  const result = install(`${download(archive)}
runsc_from_module() { sleep 30; touch ${marker}; }`);
  expect(result.record).toMatchObject({ source: 'release', version: 'release-1', platform: 'systrap' });
  expect(result.record.sha256).toBe(sha256(join(home, 'bin/runsc')));
  expect(existsSync(join(home, 'bin/gvisor-bin/gvisor_sentry'))).toBe(true);
  expect(result.seconds).toBeLessThan(20);
  expect(existsSync(marker)).toBe(false);
});

test('prefers a release that comes a little after the build', () => {
  const result = install(`${download(archive).replace('curl() {', 'curl() { sleep 2;')}\n${built}`);
  expect(result.record).toMatchObject({ source: 'release' });
});

test('takes the build when no address answers', () => {
  const result = install(`${unreachable}\n${built}`);
  expect(result.record).toMatchObject({ source: 'go-module', version: 'go-1', platform: 'systrap' });
  expect(existsSync(join(home, 'bin/gvisor-bin'))).toBe(false);
});

test('never unpacks an archive with another digest', () => {
  const result = install(`${download(archive)}\n${built}`, '0'.repeat(64));
  expect(result.stderr).toMatch(/another digest than the pinned one/);
  expect(result.record).toMatchObject({ source: 'go-module' });
});

test("falls back to Debian's package with ptrace, and says so", () => {
  const result = install(`${unreachable}\n${notBuilt}\nrunsc_from_debian() { build "$1" 2022; }`);
  expect(result.record).toMatchObject({ source: 'debian', version: '2022', platform: 'ptrace' });
  expect(result.stderr).toMatch(/WARNING.*ptrace/);
});

test('names all sources when none works', () => {
  const result = install(`${unreachable}\n${notBuilt}`);
  expect(result.status).toBe(69);
  expect(result.stderr).toMatch(/none of its sources.*release.*Go module.*Debian/);
  expect(result.record).toBeUndefined();
});

test('refuses a program that tells another version, and keeps what is installed', () => {
  install(`${unreachable}\n${built}`);
  const before = sha256(join(home, 'bin/runsc'));
  const result = install(`${unreachable}\nRUNSC_GO_LABEL=go-2\nrunsc_from_module() { build "$1" other; }`);
  expect(result.status).toBe(70);
  expect(result.stderr).toMatch(/calls itself runsc version other, not go-2/);
  expect(sha256(join(home, 'bin/runsc'))).toBe(before);
});

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
