import { z } from 'zod';
import { Report } from '../core/report.ts';
import { Policy } from './schema.ts';

/** JSON Schema (2020-12) of `.cypherfix.yml` as people write it: every key may be absent. */
export function toPolicyJsonSchema(): Record<string, unknown> {
  return described(Policy, 'input', 'CypherFix policy', 'Settings of CypherFix, read at the tip of the base branch.');
}

/** JSON Schema (2020-12) of the report that `--format json` prints and that the artefact holds. */
export function toReportJsonSchema(): Record<string, unknown> {
  return described(Report, 'output', 'CypherFix report', 'Result of one run of CypherFix, schemaVersion 1.');
}

function described(schema: z.ZodType, io: 'input' | 'output', title: string, description: string) {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return { $schema, title, description, ...rest } as Record<string, unknown>;
}
