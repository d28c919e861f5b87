import { z } from 'zod';
import { CypherFixError, EXIT } from '../core/errors.ts';
import { Report } from '../core/report.ts';
import { Policy } from '../policy/schema.ts';
import type { CommandContext } from './context.ts';

const HELP = `usage: schema [--report]

Prints the JSON Schema (draft 2020-12) of .cypherfix.yml, or with --report of the report.
`;

/** Prints a JSON Schema on standard output. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const [option, ...rest] = argv;
  if (option === '--help') {
    context.stdout.write(HELP);
    return EXIT.passed;
  }
  if (rest.length > 0 || (option !== undefined && option !== '--report')) {
    throw new CypherFixError('usage', `schema: unknown option '${argv.at(-1)}'`, { hint: 'schema [--report]' });
  }
  // What people write is described for the policy (defaults may be left out), what we print for the report.
  const schema =
    option === '--report' ? z.toJSONSchema(Report, { io: 'output' }) : z.toJSONSchema(Policy, { io: 'input' });
  context.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  return EXIT.passed;
}
