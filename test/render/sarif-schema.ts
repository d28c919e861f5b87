import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/**
 * The official schema of SARIF 2.1.0. It is written in draft 4: for the parser of draft 7 only the name of its own id
 * and of its dialect differ, and the exclusive bounds, which it does not use.
 */
export function compileSarifSchema(): ValidateFunction {
  const file = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  const { id, $schema, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  if (typeof id !== 'string' || typeof $schema !== 'string')
    throw new Error('the SARIF schema is not the one expected');
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  formats.default(ajv);
  return ajv.compile({ $id: id, ...schema });
}
