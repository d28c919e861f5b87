import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CypherFixError, toMessage } from '../core/errors.ts';
import { assertContainer, type InheritedConfig } from './check-container.ts';
import type { ContainerSettings } from './container-settings.ts';
import { withDeadline } from './deadline.ts';
import { demultiplex, type OutputPiece } from './demultiplex.ts';
import type { DockerEngine } from './docker.ts';
import { GUEST_VERSION } from './guest-version.ts';
import { GUEST } from './protocol.ts';
import { parseProbe } from './prove-gvisor.ts';
import { toSetupCommand } from './setup-command.ts';

const PROBE_MS = 20_000;
/** For process 1 to end after its last word; it takes a tenth of that. */
const ENDING_MS = 1_000;
const MAX_PROBE_BYTES = 1024;

export interface Launch {
  readonly name: string;
  /** Of the image, for messages. */
  readonly imageClass: string;
  readonly settings: ContainerSettings;
  readonly inherited: InheritedConfig;
  /** The one in the container's command. */
  readonly nonce: string;
  /** False only where an insecure runtime was allowed. */
  readonly requireGvisor: boolean;
  /** Hears that the engine was told to start it; from there on the host has nothing to do for a while. */
  readonly onStarting?: () => void;
}

/** A container whose kernel is proved and whose first process waits for the snapshot. */
export interface LiveContainer {
  readonly id: string;
  /** Write side: the guest's input. */
  readonly input: Duplex;
  /** All output after the probe's line. */
  readonly output: AsyncGenerator<OutputPiece>;
  /** The exit code; never rejects, undefined when the engine did not tell. */
  readonly exit: Promise<number | undefined>;
  /** False once the container has ended. */
  readonly running: boolean;
  kill(): Promise<void>;
  /**
   * Removes it, running or not; safe to call again. One whose work is done is left a moment to end by itself: to be killed
   * costs the engine the start of another program.
   */
  remove(how?: { readonly isDone: boolean }): Promise<void>;
}

/** Creates, checks and starts a container, and hears its proof. Rejects, with nothing left behind, when any of it fails. */
export async function launchContainer(
  engine: DockerEngine,
  launch: Launch,
  signal: AbortSignal,
): Promise<LiveContainer> {
  const waiting = new AbortController();
  let input: Duplex | undefined;
  const dispose = async (id: string): Promise<void> => {
    waiting.abort();
    input?.destroy();
    await engine.removeContainer(id);
  };
  try {
    const id = await engine.createContainer(launch.name, launch.settings, signal);
    // Attached before the start, so that no output is lost.
    const [inspected, stream] = await Promise.all([engine.inspectContainer(id, signal), engine.attach(id, signal)]);
    input = stream;
    // A broken connection ends the output; nobody else listens for the error while the snapshot is written.
    stream.on('error', () => {});
    assertContainer(launch.settings, inspected, launch.inherited);

    let running = true;
    const exit = engine
      .waitForExit(id, waiting.signal)
      .catch(() => undefined)
      .finally(() => {
        running = false;
      });
    const starting = engine.startContainer(id, signal);
    launch.onStarting?.();
    await starting;
    const output = demultiplex(stream);
    await withDeadline('the proof of gVisor', PROBE_MS, signal, () => readProbe(output, launch));

    let removal: Promise<void> | undefined;
    return {
      id,
      input: stream,
      output,
      exit,
      get running() {
        return running;
      },
      kill: () => engine.killContainer(id),
      remove({ isDone } = { isDone: false }) {
        const ending = isDone ? Promise.race([exit, sleep(ENDING_MS, undefined, { ref: false })]) : Promise.resolve();
        removal ??= ending.then(() => dispose(id));
        return removal;
      },
    };
  } catch (error) {
    // By name: the create call may have taken effect without an answer.
    await dispose(launch.name).catch(() => {});
    throw lacksGuest(error) ? toOutdatedImage(launch, error) : error;
  }
}

/** The runtime's words differ; all of them name the file. */
const lacksGuest = (error: unknown): boolean => {
  const message = toMessage(error);
  return message.includes(GUEST) && /no such file|not found/.test(message);
};

function toOutdatedImage({ settings, imageClass }: Launch, cause?: unknown): CypherFixError {
  const what = `the image ${settings.Image} of the class ${imageClass} belongs to another version of CypherFix`;
  return new CypherFixError('missing', what, {
    hint: `run: ${toSetupCommand(imageClass)}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

async function readProbe(output: AsyncGenerator<OutputPiece>, launch: Launch): Promise<void> {
  let text = '';
  while (!text.includes('\n') && text.length <= MAX_PROBE_BYTES) {
    const piece = await output.next();
    if (piece.done === true)
      throw new CypherFixError(
        'sandbox',
        `the container ended before it said what kernel it runs under${toTail(text)}`,
      );
    if (piece.value.source === 'stdout')
      throw new CypherFixError('sandbox', 'the container wrote output before the proof of gVisor');
    text += piece.value.bytes.toString('utf8');
  }
  const probe = parseProbe(text.slice(0, text.indexOf('\n')), launch.nonce);
  if (probe === undefined)
    throw new CypherFixError('sandbox', `the proof of gVisor has another form than expected${toTail(text)}`);
  if (launch.requireGvisor && !probe.gvisor) {
    throw new CypherFixError(
      'sandbox',
      `the container does not run under gVisor but under: ${probe.kernel}; nothing was sent into it`,
      {
        hint: 'run: node dist/index.js doctor',
      },
    );
  }
  if (probe.guest !== GUEST_VERSION) throw toOutdatedImage(launch);
}

const toTail = (text: string): string => {
  const line = text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 300);
  return line === '' ? '' : `: ${line}`;
};
