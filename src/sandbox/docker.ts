import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import type { ContainerSettings } from './container-settings.ts';
import { withDeadline } from './deadline.ts';
import { type DockerAddress, readTlsFiles } from './docker-address.ts';
import { toEngineError } from './docker-errors.ts';

const SECONDS = 1000;
const PULL_MS = 600 * SECONDS;
const ARCHIVE_MS = 600 * SECONDS;

export interface EngineInfo {
  readonly serverVersion: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly runtimes: Readonly<Record<string, { readonly path: string; readonly runtimeArgs: readonly string[] }>>;
}

export interface ImageDescription {
  readonly id: string;
  readonly diffIds: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
}

export interface ListedContainer {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * A Docker Engine. Every call has a time limit and rejects with a CypherFixError; `undefined` stands for what does not
 * exist. This file alone knows dockerode.
 */
export interface DockerEngine {
  readonly address: DockerAddress;
  fetchInfo(signal?: AbortSignal): Promise<EngineInfo>;
  fetchImage(id: string, signal?: AbortSignal): Promise<ImageDescription | undefined>;
  listImageIds(signal?: AbortSignal): Promise<string[]>;
  /** `reference` is `repository@sha256:…`; tags are refused. */
  pullImage(reference: string, signal?: AbortSignal): Promise<void>;
  /** Writes the image's archive, as `docker save` does, to a file. */
  saveImage(id: string, path: string, signal?: AbortSignal): Promise<void>;
  loadImage(path: string, signal?: AbortSignal): Promise<void>;
  listContainers(label: string, signal?: AbortSignal): Promise<ListedContainer[]>;
  createContainer(name: string, settings: ContainerSettings, signal?: AbortSignal): Promise<string>;
  inspectContainer(id: string, signal?: AbortSignal): Promise<Record<string, unknown>>;
  /** The raw stream of the container's standard input and (multiplexed) output. */
  attach(id: string, signal?: AbortSignal): Promise<Duplex>;
  startContainer(id: string, signal?: AbortSignal): Promise<void>;
  /** Resolves with the exit code when the container next ends; has no limit but the signal's. */
  waitForExit(id: string, signal: AbortSignal): Promise<number>;
  /** Ends it at once; nothing happens when it has ended already. */
  killContainer(id: string): Promise<void>;
  /** Removes it with its anonymous volumes, running or not; nothing happens when it is gone. */
  removeContainer(id: string): Promise<void>;
}

export async function connectDocker(address: DockerAddress): Promise<DockerEngine> {
  const docker = await createClient(address);
  const call = <T>(
    what: string,
    ms: number,
    signal: AbortSignal | undefined,
    run: (abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T> =>
    withDeadline(`${what} (Docker Engine at ${address.text})`, ms, signal, run).catch(error => {
      signal?.throwIfAborted();
      throw toEngineError(what, address, error);
    });

  // The type of `info` knows no options, though the method takes them.
  const fetchInfo = docker.info.bind(docker) as (options: object) => Promise<unknown>;
  return {
    address,
    fetchInfo: signal =>
      call('docker info', 5 * SECONDS, signal, async abortSignal =>
        toEngineInfo((await fetchInfo({ abortSignal })) as Record<string, unknown>),
      ),
    fetchImage: (id, signal) =>
      call(`looking for the image ${id}`, 5 * SECONDS, signal, async abortSignal =>
        toImageDescription(await orAbsent(docker.getImage(id).inspect({ abortSignal } as object))),
      ),
    listImageIds: signal =>
      call('listing the images', 5 * SECONDS, signal, async abortSignal =>
        (await docker.listImages({ abortSignal })).map(image => image.Id),
      ),
    pullImage: (reference, signal) =>
      call(`pulling ${reference}`, PULL_MS, signal, async abortSignal => {
        if (!/@sha256:[0-9a-f]{64}$/.test(reference)) throw new Error('only a digest may be pulled');
        // The digest goes into `tag`, as the engine's API wants it; dockerode splits the reference so.
        await readProgress((await docker.pull(reference, { abortSignal })) as Readable);
      }),
    saveImage: (id, path, signal) =>
      call(`saving the image ${id}`, ARCHIVE_MS, signal, async abortSignal => {
        const archive = (await docker.getImage(id).get()) as Readable;
        await pipeline(archive, createWriteStream(path, { mode: 0o600 }), { signal: abortSignal });
      }),
    loadImage: (path, signal) =>
      call(`loading the image archive ${path}`, ARCHIVE_MS, signal, async abortSignal => {
        const options = { quiet: true, abortSignal };
        await readProgress((await docker.loadImage(createReadStream(path), options)) as Readable);
      }),
    listContainers: (label, signal) =>
      call('listing the containers', 5 * SECONDS, signal, async abortSignal => {
        const listed = await docker.listContainers({
          all: true,
          filters: JSON.stringify({ label: [label] }),
          abortSignal,
        });
        return listed.map(entry => ({ id: entry.Id, labels: entry.Labels }));
      }),
    createContainer: (name, settings, signal) =>
      call('creating the container', 15 * SECONDS, signal, async abortSignal => {
        const body = { _query: { name }, _body: settings, abortSignal };
        return (await docker.createContainer(body as unknown as Docker.ContainerCreateOptions)).id;
      }),
    inspectContainer: (id, signal) =>
      call('inspecting the container', 5 * SECONDS, signal, async abortSignal => {
        const description: unknown = await docker.getContainer(id).inspect({ abortSignal });
        return description as Record<string, unknown>;
      }),
    attach: (id, signal) =>
      call('attaching to the container', 5 * SECONDS, signal, async abortSignal => {
        // Without a body: the options would be sent as JSON, which may become the first bytes of the guest's input.
        const options = { hijack: true, _query: { stream: 1, stdin: 1, stdout: 1, stderr: 1 }, _body: {}, abortSignal };
        return (await docker
          .getContainer(id)
          .attach(options as unknown as Docker.ContainerAttachOptions)) as unknown as Duplex;
      }),
    startContainer: (id, signal) =>
      call('starting the container', 20 * SECONDS, signal, async abortSignal => {
        await docker.getContainer(id).start({ abortSignal });
      }),
    waitForExit: async (id, abortSignal) => {
      const answer = await docker.getContainer(id).wait({ condition: 'next-exit', abortSignal } as object);
      return (answer as { StatusCode: number }).StatusCode;
    },
    killContainer: id =>
      call('killing the container', 5 * SECONDS, undefined, async abortSignal => {
        await orAbsent(docker.getContainer(id).kill({ signal: 'SIGKILL', abortSignal }), [404, 409]);
      }),
    removeContainer: id =>
      call('removing the container', 10 * SECONDS, undefined, async abortSignal => {
        // 409: somebody else is removing it at this moment.
        await orAbsent(docker.getContainer(id).remove({ force: true, v: true, abortSignal }), [404, 409]);
      }),
  };
}

// Every option is set, also to undefined: dockerode takes what is left out from the environment.
async function createClient(address: DockerAddress): Promise<Docker> {
  const { default: Client } = await import('dockerode');
  const none = { ca: undefined, cert: undefined, key: undefined, sshOptions: {}, timeout: undefined, pathPrefix: '/' };
  const options =
    address.kind === 'unix'
      ? { ...none, protocol: 'http', host: undefined, port: undefined, socketPath: address.socketPath }
      : {
          ...none,
          protocol: address.tls === undefined ? 'http' : 'https',
          host: address.host,
          port: address.port,
          socketPath: undefined,
          ...(address.tls === undefined ? {} : await readTlsFiles(address.tls)),
        };
  return new Client(options as unknown as Docker.DockerOptions);
}

/** Reads a progress stream to its end. The engine reports a failure in the body of a 200 answer. */
async function readProgress(stream: Readable): Promise<void> {
  for await (const line of createInterface({ input: stream })) {
    if (!line.includes('"error"')) continue;
    const { error } = JSON.parse(line) as { error?: unknown };
    if (error !== undefined) throw new Error(String(error));
  }
}

async function orAbsent<T>(answer: Promise<T>, statuses: readonly number[] = [404]): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (statuses.includes((error as { statusCode?: number }).statusCode ?? 0)) return undefined;
    throw error;
  }
}

function toEngineInfo(info: Record<string, unknown>): EngineInfo {
  const runtimes = (info['Runtimes'] ?? {}) as Record<string, { path?: string; runtimeArgs?: string[] | null }>;
  return {
    serverVersion: String(info['ServerVersion'] ?? 'unknown'),
    cpus: Number(info['NCPU'] ?? 1),
    memoryBytes: Number(info['MemTotal'] ?? 0),
    runtimes: Object.fromEntries(
      Object.entries(runtimes).map(([name, runtime]) => [
        name,
        { path: runtime.path ?? '', runtimeArgs: runtime.runtimeArgs ?? [] },
      ]),
    ),
  };
}

function toImageDescription(image: Docker.ImageInspectInfo | undefined): ImageDescription | undefined {
  if (image === undefined) return undefined;
  return {
    id: image.Id,
    diffIds: image.RootFS?.Layers ?? [],
    config: (image.Config ?? {}) as unknown as Record<string, unknown>,
  };
}
