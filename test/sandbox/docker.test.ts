import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toContainerSettings } from '../../src/sandbox/container-settings.ts';
import { connectDocker, type DockerEngine } from '../../src/sandbox/docker.ts';
import { parseDockerAddress } from '../../src/sandbox/docker-address.ts';
import { type FakeDaemon, startFakeDaemon } from './fake-daemon.ts';

let daemon: FakeDaemon | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await daemon?.close();
  daemon = undefined;
});

async function connect(...args: Parameters<typeof startFakeDaemon>): Promise<DockerEngine> {
  daemon = await startFakeDaemon(...args);
  return connectDocker(parseDockerAddress(`unix://${daemon.socketPath}`));
}

const SETTINGS = toContainerSettings({
  runtime: 'cypherfix-runsc',
  imageId: `sha256:${'a'.repeat(64)}`,
  command: ['/bin/sh'],
  memoryMb: 512,
  cpus: 1,
  labels: { 'cypherfix.run': '1-1' },
  limitProcesses: true,
});

describe('calls', () => {
  test('go to the given socket whatever the environment says', async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://192.0.2.1:1');
    vi.stubEnv('DOCKER_TLS_VERIFY', '1');
    const engine = await connect({
      'GET /info': {
        json: { ServerVersion: '28.0.4', NCPU: 4, MemTotal: 1024, Runtimes: { runsc: { path: '/bin/runsc' } } },
      },
    });
    expect(await engine.fetchInfo()).toEqual({
      serverVersion: '28.0.4',
      cpus: 4,
      memoryBytes: 1024,
      runtimes: { runsc: { path: '/bin/runsc', runtimeArgs: [] } },
    });
  });

  test('go over TCP to loopback too, attach included', async () => {
    vi.stubEnv('DOCKER_HOST', 'unix:///nonexistent/docker.sock');
    daemon = await startFakeDaemon({ 'GET /info': { json: { ServerVersion: '28' } } }, stream => stream.end('hello'));
    const port = await daemon.listenOnPort();
    const engine = await connectDocker(parseDockerAddress(`tcp://127.0.0.1:${port}`));
    expect((await engine.fetchInfo()).serverVersion).toBe('28');
    const [chunk] = (await once(await engine.attach('c1'), 'data')) as [Buffer];
    expect(chunk.toString()).toBe('hello');
  });

  test('create sends the settings as the body and only the name in the address', async () => {
    const engine = await connect({ 'POST /containers/create': { status: 201, json: { Id: 'c1' } } });
    expect(await engine.createContainer('cypherfix-1', SETTINGS)).toBe('c1');
    const call = daemon?.calls[0];
    expect(call?.url).toBe('/containers/create?name=cypherfix-1');
    expect(JSON.parse(call?.body ?? '')).toEqual(JSON.parse(JSON.stringify(SETTINGS)));
  });

  test('attach is upgraded without a body, carries bytes both ways and a half-close', async () => {
    const received: Buffer[] = [];
    const engine = await connect({}, stream => {
      stream.on('data', (chunk: Buffer) => received.push(chunk));
      stream.on('end', () => stream.end('bye'));
    });
    const stream = await engine.attach('c1');
    stream.end('hello');
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    expect(Buffer.concat(received).toString()).toBe('hello');
    expect(Buffer.concat(chunks).toString()).toBe('bye');
    expect(daemon?.calls[0]).toMatchObject({
      method: 'POST',
      url: '/containers/c1/attach?stream=1&stdin=1&stdout=1&stderr=1',
    });
  });

  test('the containers of a label are asked for, stopped ones too', async () => {
    const engine = await connect({
      'GET /containers/json': { json: [{ Id: 'c1', Labels: { 'cypherfix.run': '1' } }] },
    });
    expect(await engine.listContainers('cypherfix.run')).toEqual([{ id: 'c1', labels: { 'cypherfix.run': '1' } }]);
    const query = new URL(`http://x${daemon?.calls[0]?.url}`).searchParams;
    expect([query.get('all'), JSON.parse(query.get('filters') ?? '')]).toEqual(['true', { label: ['cypherfix.run'] }]);
  });

  test('removing and killing what is gone is no error', async () => {
    const engine = await connect({
      'DELETE /containers/c1': { status: 404, json: { message: 'no such container' } },
      'DELETE /containers/c2': { status: 409, json: { message: 'removal is already in progress' } },
      'POST /containers/c1/kill': { status: 409, json: { message: 'not running' } },
    });
    await engine.removeContainer('c1');
    await engine.removeContainer('c2');
    await engine.killContainer('c1');
    expect(daemon?.calls[0]?.url).toBe('/containers/c1?force=true&v=true');
  });

  test('only a digest is pulled', async () => {
    const engine = await connect({ 'POST /images/create': { json: { status: 'done' } } });
    const reference = `ghcr.io/cypherfix/scanners@sha256:${'d'.repeat(64)}`;
    await engine.pullImage(reference);
    const query = new URL(`http://x${daemon?.calls[0]?.url}`).searchParams;
    expect([query.get('fromImage'), query.get('tag')]).toEqual([
      'ghcr.io/cypherfix/scanners',
      `sha256:${'d'.repeat(64)}`,
    ]);
    await expect(engine.pullImage('ghcr.io/cypherfix/scanners:latest')).rejects.toThrow('only a digest');
    expect(daemon?.calls).toHaveLength(1);
  });

  test('a pull that fails in its body is an error', async () => {
    const engine = await connect({
      'POST /images/create': { json: { error: 'manifest unknown', errorDetail: { message: 'manifest unknown' } } },
    });
    await expect(engine.pullImage(`x@sha256:${'d'.repeat(64)}`)).rejects.toThrow('manifest unknown');
  });
});

describe('what goes wrong', () => {
  test('an image that is not there is undefined', async () => {
    const engine = await connect({ 'GET /images/sha256:1/json': { status: 404, json: { message: 'no such image' } } });
    expect(await engine.fetchImage('sha256:1')).toBeUndefined();
  });

  test('no engine at the socket is something missing, with the fix', async () => {
    const engine = await connectDocker(parseDockerAddress('unix:///nonexistent/docker.sock'));
    await expect(engine.fetchInfo()).rejects.toMatchObject({
      code: 'missing',
      hint: 'run: npm run setup',
      message: expect.stringContaining('/nonexistent/docker.sock'),
    });
  });

  test('the engine’s own reason is told', async () => {
    const engine = await connect({
      'POST /containers/create': { status: 400, json: { message: 'Unknown runtime specified cypherfix-runsc' } },
    });
    await expect(engine.createContainer('x', SETTINGS)).rejects.toMatchObject({
      code: 'sandbox',
      message: expect.stringContaining('Unknown runtime specified'),
    });
  });

  test('an engine that never answers ends at the time limit', async () => {
    const engine = await connect({ 'GET /info': 'never' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const asked = engine.fetchInfo();
      asked.catch(() => {});
      await vi.advanceTimersByTimeAsync(5001);
      await expect(asked).rejects.toMatchObject({
        code: 'sandbox',
        message: expect.stringMatching(/docker info .* took longer than 5 s/),
      });
    } finally {
      vi.useRealTimers();
    }
  });

  test('an abort rejects with its reason, before and during a call', async () => {
    const engine = await connect({ 'GET /info': 'never' });
    const reason = new Error('stop');
    await expect(engine.fetchInfo(AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const asked = engine.fetchInfo(controller.signal);
    await once(process, 'never', { signal: AbortSignal.timeout(30) }).catch(() => {});
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  test('an attached stream lives on after its call’s time limit', async () => {
    const engine = await connect({}, stream => void setTimeout(() => stream.end('late'), 60));
    const stream = await engine.attach('c1', new AbortController().signal);
    const [chunk] = (await once(stream, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('late');
  });
});
