import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CypherFixError } from '../core/errors.ts';

/** An error of usage that names the command and says where its options are listed. */
export const refuseUsage = (command: string, message: string): CypherFixError =>
  new CypherFixError('usage', `${command}: ${message}`, { hint: `${command} --help lists the options` });

/** The values of a command's options. Throws CypherFixError('usage') for an unknown option, a value that is missing or too much. */
export function parseArguments<Options extends NonNullable<ParseArgsConfig['options']>>(
  command: string,
  argv: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const [message] = error instanceof Error ? error.message.split('. ') : [String(error)];
    throw refuseUsage(command, message ?? 'bad arguments');
  }
}
