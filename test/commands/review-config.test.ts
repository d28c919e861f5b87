import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../src/commands/review.ts';
import { runCommand } from './run-command.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'large.yml'), '');
  truncateSync(join(folder, 'large.yml'), 8 * 1024 ** 3);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['a device without an end', () => '/dev/zero', /^--config \/dev\/zero is no file$/],
  ['a pipe that nobody writes to', () => join(folder, 'pipe'), /^--config .*pipe is no file$/],
  ['a folder', () => folder, /^--config .* is no file$/],
  ['a file of 8 GiB', () => join(folder, 'large.yml'), /large\.yml has 8589934592 bytes, more than 262144$/],
  ['a file that is not there', () => join(folder, 'none.yml'), /^--config .*none\.yml cannot be read: ENOENT/],
])('%s is refused as a policy', async (_, toPath, message) => {
  const result = await runCommand(run, ['--base', 'HEAD', '--config', toPath()]);
  expect(result.status).toBe(64);
  expect(result.message).toMatch(message);
});
