import { Writable } from 'node:stream';
import type { Command } from '../../src/commands/context.ts';
import { CypherFixError } from '../../src/core/errors.ts';
import { SILENT_LOG } from '../../src/core/log.ts';

export interface CommandRun {
  readonly status: number;
  readonly stdout: string;
  /** The message of an expected failure. */
  readonly message: string;
}

/** Runs a command in this process; an expected failure becomes its exit status. */
export async function runCommand(
  command: Command,
  argv: readonly string[],
  { env = {}, signal = new AbortController().signal }: { env?: NodeJS.ProcessEnv; signal?: AbortSignal } = {},
): Promise<CommandRun> {
  let stdout = '';
  const sink = () =>
    new Writable({
      write(chunk, _encoding, done) {
        stdout += String(chunk);
        done();
      },
    });
  const context = { env, stdout: sink(), stderr: sink(), signal, actionPath: process.cwd(), log: SILENT_LOG };
  try {
    return { status: await command(argv, context), stdout, message: '' };
  } catch (error) {
    if (!(error instanceof CypherFixError)) throw error;
    return { status: error.exitStatus, stdout, message: error.message };
  }
}
