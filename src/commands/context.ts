import type { Writable } from 'node:stream';
import type { Log } from '../core/log.ts';

/** What the process edge hands to every command; the only way to the environment. */
export interface CommandContext {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborts on the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Root of the action: holds action.yml, dist, rules, sandbox. */
  readonly actionPath: string;
  readonly log: Log;
}

/** A command's entry: arguments after its name; returns the exit status. */
export type Command = (argv: readonly string[], context: CommandContext) => Promise<number>;
