import { z } from 'zod';

/** The JSON Schema of a zod schema as providers take it: every property required, nothing beside them. */
export function toJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  return withoutExtras(z.toJSONSchema(schema, { io: 'output' })) as Record<string, unknown>;
}

const EXTRAS = new Set(['$schema', 'default']);

function withoutExtras(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExtras);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !EXTRAS.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutExtras(inner)]));
}
