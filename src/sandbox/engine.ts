import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CypherFixError, toMessage } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { connectDocker, type DockerEngine, type EngineInfo } from './docker.ts';
import { parseDockerAddress, type TlsFiles } from './docker-address.ts';
import { type EngineUse, registerUse } from './engine-users.ts';
import { chooseRuntime, type ProvedRuntime, toNoRuntimeError } from './prove-gvisor.ts';

const DEFAULT_SOCKET = '/var/run/docker.sock';
const START_MS = 90_000;
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface EngineChoice {
  /** $CYPHERFIX_HOME. */
  readonly home: string;
  /** $DOCKER_HOST, when set. */
  readonly dockerHost?: string | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Root of the checkout: holds sandbox/engine. */
  readonly actionPath: string;
  readonly allowInsecure: boolean;
  /** False: a stopped private engine stays stopped and counts as missing. */
  readonly mayStart: boolean;
  readonly log: Log;
  /** The socket that is tried when nothing is named; tests use another one. */
  readonly defaultSocket?: string;
  /** Whether an engine has, or can pull, an image of the lock: the machine's own must, where there is a private one. */
  readonly holdsImages?: (docker: DockerEngine) => Promise<boolean>;
}

export interface ChosenEngine {
  readonly docker: DockerEngine;
  readonly info: EngineInfo;
  readonly runtime: ProvedRuntime;
  /** Ends this process's use; the last user of a private engine that one of them started stops it. */
  release(othersAtWork: () => Promise<boolean>): Promise<void>;
}

/**
 * The engine to use: the named one, else the machine's own when it has a proved gVisor and our images, else the private one, which is
 * started when it is stopped. Rejects when none has a proved gVisor runtime.
 */
export async function chooseEngine(choice: EngineChoice, signal: AbortSignal): Promise<ChosenEngine> {
  if (choice.dockerHost !== undefined && choice.dockerHost !== '') {
    const docker = await connectDocker(parseDockerAddress(choice.dockerHost, choice.tls));
    return toChosen(docker, await docker.fetchInfo(signal), choice, undefined);
  }
  return (await tryDefaultEngine(choice, signal)) ?? (await usePrivateEngine(choice, signal));
}

async function tryDefaultEngine(choice: EngineChoice, signal: AbortSignal): Promise<ChosenEngine | undefined> {
  const socket = choice.defaultSocket ?? DEFAULT_SOCKET;
  if (!(await exists(socket))) return undefined;
  try {
    const docker = await connectDocker(parseDockerAddress(`unix://${socket}`));
    const info = await docker.fetchInfo(signal);
    // runc is never reason enough to prefer this engine: the private one may have gVisor.
    if (chooseRuntime(info, false) === undefined && !(choice.allowInsecure && !(await hasPrivateEngine(choice))))
      return undefined;
    if ((await hasPrivateEngine(choice)) && (await choice.holdsImages?.(docker)) === false) {
      choice.log.info(`the Docker Engine at ${socket} has gVisor but none of our images: using the private one`);
      return undefined;
    }
    return toChosen(docker, info, choice, undefined);
  } catch (error) {
    signal.throwIfAborted();
    choice.log.info(`the Docker Engine at ${socket} is not used: ${toMessage(error)}`);
    return undefined;
  }
}

async function usePrivateEngine(choice: EngineChoice, signal: AbortSignal): Promise<ChosenEngine> {
  if (!(await hasPrivateEngine(choice))) {
    throw new CypherFixError(
      'missing',
      'there is no Docker Engine with gVisor on this machine, and nothing is run without one',
      {
        hint: 'run: npm run setup',
      },
    );
  }
  const docker = await connectDocker(parseDockerAddress(`unix://${join(choice.home, 'docker.sock')}`));
  // Registered before the engine is asked, so that a process which is about to stop it sees this one.
  const use = await registerUse(choice.home);
  try {
    const info = await fetchInfoOrStart(docker, choice, use, signal);
    return toChosen(docker, info, choice, use);
  } catch (error) {
    await use.end();
    throw error;
  }
}

async function fetchInfoOrStart(
  docker: DockerEngine,
  choice: EngineChoice,
  use: EngineUse,
  signal: AbortSignal,
): Promise<EngineInfo> {
  try {
    return await docker.fetchInfo(signal);
  } catch (error) {
    if (!choice.mayStart || !(error instanceof CypherFixError) || error.code !== 'missing') throw error;
  }
  choice.log.info('starting the private Docker Engine');
  const said = await runEngineScript('start', choice, signal);
  if (said === 'started') await use.markStarted();
  return docker.fetchInfo(signal);
}

function toChosen(
  docker: DockerEngine,
  info: EngineInfo,
  choice: EngineChoice,
  use: EngineUse | undefined,
): ChosenEngine {
  const runtime = chooseRuntime(info, choice.allowInsecure);
  if (runtime === undefined) throw toNoRuntimeError(docker.address.text);
  return {
    docker,
    info,
    runtime,
    async release(othersAtWork) {
      if (use === undefined) return;
      const last = await use.end();
      if (!last || (await othersAtWork())) return;
      choice.log.info('stopping the private Docker Engine');
      await runEngineScript('stop', choice, undefined);
    },
  };
}

/** Runs sandbox/engine; resolves with the word that it printed. */
async function runEngineScript(
  command: 'start' | 'stop',
  choice: EngineChoice,
  signal: AbortSignal | undefined,
): Promise<string> {
  const script = join(choice.actionPath, 'sandbox', 'engine');
  try {
    // The engine lives on after this process and gets none of its secrets.
    const env = { PATH: `${dirname(process.execPath)}:${SYSTEM_PATH}`, CYPHERFIX_HOME: choice.home };
    const { stdout } = await promisify(execFile)('/bin/bash', [script, command], {
      timeout: START_MS,
      env,
      ...(signal ? { signal } : {}),
    });
    return stdout.trim().split('\n').at(-1) ?? '';
  } catch (cause) {
    signal?.throwIfAborted();
    const said = String((cause as { stderr?: unknown }).stderr ?? '')
      .trim()
      .split('\n')
      .at(-1);
    throw new CypherFixError('missing', `the private Docker Engine did not ${command}: ${said || toMessage(cause)}`, {
      hint: `run: bash ${script} ${command}, or npm run setup`,
      cause,
    });
  }
}

const hasPrivateEngine = (choice: EngineChoice): Promise<boolean> => exists(join(choice.home, 'bin', 'runsc'));

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
