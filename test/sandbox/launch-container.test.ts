import { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { CypherFixError } from '../../src/core/errors.ts';
import type { ContainerSettings } from '../../src/sandbox/container-settings.ts';
import { toContainerSettings } from '../../src/sandbox/container-settings.ts';
import { GUEST_VERSION } from '../../src/sandbox/guest-version.ts';
import { launchContainer } from '../../src/sandbox/launch-container.ts';
import { toStartCommand } from '../../src/sandbox/protocol.ts';
import { createFakeEngine } from './fake-engine.ts';

const GVISOR = `cypherfix-probe n1 yes ${GUEST_VERSION} Linux version 4.19.0-gvisor #1 SMP Sun Jan 10 15:06:54 PST 2016\n`;
const RUNC = `cypherfix-probe n1 no ${GUEST_VERSION} Linux version 6.8.0 #1 SMP\n`;
const SETTINGS = toContainerSettings({
  runtime: 'cypherfix-runsc',
  imageId: 'sha256:a',
  command: toStartCommand('n1'),
  memoryMb: 512,
  cpus: 1,
  labels: {},
  limitProcesses: true,
});

const frame = (type: number, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = type;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

const describeContainer = (settings: ContainerSettings, host: object = {}): Record<string, unknown> => ({
  Image: settings.Image,
  Path: settings.Cmd[0],
  Args: settings.Cmd.slice(1),
  Mounts: [],
  Config: settings,
  HostConfig: { ...settings.HostConfig, ...host },
});

/** An engine whose container says `output` when it is started. */
function arrange(output: Buffer[], host: object = {}) {
  const written: Buffer[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      written.push(chunk);
      done();
    },
  });
  const engine = createFakeEngine(
    {},
    {
      createContainer: async () => 'c1',
      inspectContainer: async () => describeContainer(SETTINGS, host),
      attach: async () => stream,
      startContainer: async () => {
        for (const chunk of output) stream.push(chunk);
        if (output.length === 0) stream.push(null);
      },
      waitForExit: () => new Promise(() => {}),
    },
  );
  const launch = {
    name: 'cypherfix-x',
    imageClass: 'node',
    settings: SETTINGS,
    inherited: {},
    nonce: 'n1',
    requireGvisor: true,
  };
  return {
    engine,
    written,
    launch: (changes = {}) => launchContainer(engine, { ...launch, ...changes }, new AbortController().signal),
  };
}

describe('a container', () => {
  test('is given out after its proof, and keeps what it says next', async () => {
    const { written, launch } = arrange([frame(2, GVISOR), frame(1, 'more')]);
    const container = await launch();
    expect(written).toEqual([]);
    expect((await container.output.next()).value?.bytes.toString()).toBe('more');
  });

  test('may say its proof in pieces', async () => {
    const { launch } = arrange([frame(2, GVISOR.slice(0, 5)), frame(2, GVISOR.slice(5))]);
    await expect(launch()).resolves.toMatchObject({ id: 'c1' });
  });

  test.each<[string, Buffer[], RegExp]>([
    ['another kernel', [frame(2, RUNC)], /not run under gVisor but under: Linux version 6\.8\.0/],
    ['another nonce', [frame(2, GVISOR.replace('n1', 'n2'))], /another form/],
    ['an endless line', [frame(2, 'x'.repeat(2000))], /another form/],
    ['output before the proof', [frame(1, 'x')], /before the proof/],
    ['an end before the proof', [], /ended before it said/],
    ['a broken stream', [Buffer.from('garbage!!')], /unknown kind/],
  ])('with %s gets nothing and is removed', async (_, output, message) => {
    const { engine, written, launch } = arrange(output);
    await expect(launch()).rejects.toMatchObject({ code: 'sandbox', message: expect.stringMatching(message) });
    expect(written).toEqual([]);
    expect(engine.calls).toEqual(['remove cypherfix-x']);
  });

  test('that differs from what was asked for is never started', async () => {
    const { engine, written, launch } = arrange([frame(2, GVISOR)], { Binds: ['/:/host'] });
    await expect(launch()).rejects.toMatchObject({ message: expect.stringContaining('HostConfig.Binds') });
    expect(written).toEqual([]);
    expect(engine.calls).toEqual(['remove cypherfix-x']);
  });

  const OUTDATED = {
    code: 'missing',
    message: 'the image sha256:a of the class node belongs to another version of CypherFix',
    hint: 'run: npm run setup -- --class node',
  };

  test('of an image without the guest says how to get another', async () => {
    const { engine, launch } = arrange([]);
    const message =
      'starting the container failed: creating process: failed to load /opt/cypherfix/guest: no such file';
    engine.startContainer = () => Promise.reject(new CypherFixError('sandbox', message));
    await expect(launch()).rejects.toMatchObject(OUTDATED);
    expect(engine.calls).toEqual(['remove cypherfix-x']);
  });

  test('with a guest of another version gets nothing and is removed', async () => {
    const { engine, written, launch } = arrange([frame(2, GVISOR.replace(GUEST_VERSION, 'unknown'))]);
    await expect(launch()).rejects.toMatchObject(OUTDATED);
    expect(written).toEqual([]);
    expect(engine.calls).toEqual(['remove cypherfix-x']);
  });

  test('under runc is taken only where that was allowed', async () => {
    const { launch } = arrange([frame(2, RUNC)]);
    await expect(launch({ requireGvisor: false })).resolves.toMatchObject({ id: 'c1' });
  });
});
