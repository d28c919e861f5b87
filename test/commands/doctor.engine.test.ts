import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { run } from '../../src/commands/doctor.ts';
import { SILENT_LOG } from '../../src/core/log.ts';
import { CHECKOUT, HOME, lockedDigest } from '../sandbox/real-sandbox.ts';

test('on a machine that is set up everything is well, a real job included', async () => {
  const actionPath = await mkdtemp(join(tmpdir(), 'cypherfix-action-'));
  await cp(join(CHECKOUT, 'sandbox'), join(actionPath, 'sandbox'), { recursive: true });
  const stdout = new PassThrough();
  const context = {
    env: { ...process.env, CYPHERFIX_HOME: HOME },
    stdout,
    stderr: new PassThrough(),
    signal: new AbortController().signal,
    actionPath,
    log: SILENT_LOG,
  };
  const status = await run([], context);
  stdout.end();
  const out = await text(stdout);
  expect([status, out.split('\n').filter(line => /^(fail|warn)/.test(line))]).toEqual([0, []]);
  expect(out).toMatch(/^ok {4}gVisor \S+ as runtime \S*runsc\S*, platform systrap$/m);
  expect(out).toContain(`image scanners (local lock) ${lockedDigest()}`);
  expect(out).toMatch(/^ok {4}a job in the sandbox, image scanners: its kernel is proved, \d+ ms$/m);
});
