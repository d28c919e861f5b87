import { CypherFixError, EXIT } from '../core/errors.ts';
import { toPolicyJsonSchema, toReportJsonSchema } from '../policy/json-schema.ts';
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
  const schema = option === '--report' ? toReportJsonSchema() : toPolicyJsonSchema();
  context.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  return EXIT.passed;
}
