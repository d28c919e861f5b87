import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { assertRecordable, readRecording, writeRecording } from '../../src/commands/recording-file.ts';
import type { Recording } from '../../src/recording/recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'recording-file-'));
afterAll(() => rmSync(folder, { recursive: true }));
const recording = { version: 1, seed: 'x'.repeat(100) } as unknown as Recording;

describe('a recording', () => {
  test('is written whole, for this user alone, over what stood there', () => {
    const path = join(folder, 'run.json');
    writeFileSync(path, 'old', { mode: 0o644 });
    assertRecordable(path);
    writeRecording(path, recording);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(recording);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['run.json']);
  });

  test('that is too large leaves what stood there, and nothing beside it', () => {
    const path = join(folder, 'run.json');
    writeFileSync(path, 'old');
    expect(() => writeRecording(path, recording, 50)).toThrow('larger than');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['run.json']);
  });

  test.each([
    ['a folder that is not there', 'nowhere/run.json'],
    ['a folder in its place', 'taken'],
  ])('%s is refused before the run', (_, name) => {
    mkdirSync(join(folder, 'taken'), { recursive: true });
    expect(() => assertRecordable(join(folder, name))).toThrow(/--record .* cannot be written/);
  });

  test.each([
    ['that is not there', 'absent.json', 'cannot be read'],
    ['that is a folder', '.', 'it is no regular file'],
  ])('%s is refused by name', async (_, name, message) => {
    await expect(readRecording(join(folder, name))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });

  test('that may never end is not read', async () => {
    await expect(readRecording('/dev/zero')).rejects.toThrow('it is no regular file');
  });
});
