import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { endOtherProcesses } from '../../src/guest/end-processes.ts';
import { writeGuestProgram } from '../sandbox/guest-program.ts';

let program = '';
beforeAll(async () => {
  program = await writeGuestProgram();
});

const start = (...argv: string[]): Promise<{ code: number; stderr: string }> =>
  promisify(execFile)(process.execPath, [program, ...argv]).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => ({ code: error.code, stderr: error.stderr }),
  );

test.each([[[]], [['toString']], [['unknown', 'x']]])(
  'a program that is not in the table is a usage error: %j',
  async argv => {
    expect(await start(...argv)).toMatchObject({ code: 64, stderr: expect.stringContaining('there are: run') });
  },
);

test('outside a container nothing is run and nobody is killed', async () => {
  expect(await start('run')).toMatchObject({
    code: 70,
    stderr: expect.stringContaining('process 1 of a sandbox container'),
  });
  expect(() => endOtherProcesses()).toThrow('only process 1');
});
