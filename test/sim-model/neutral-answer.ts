import type { Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What a model says that found nothing: the emptiest value the request's schema allows, or a short sentence. */
export function toNeutralAnswer(exchange: Exchange): Answer {
  const schema = exchange.seen?.schema ?? null;
  if (schema === null) return { text: 'Nothing to report.' };
  return { json: toEmptiest(schema, schema, 0) };
}

/**
 * Empty lists, null where it is allowed, the lowest number, the first word of an enumeration, empty text; properties that
 * are not required are left out.
 */
export function toEmptiest(schema: Schema, root: Schema, depth: number): unknown {
  if (depth > 32) throw new Error('the answer schema has no finite emptiest value');
  const target = resolve(schema, root);
  if ('const' in target) return target['const'];
  if ('default' in target) return target['default'];
  const options = target['enum'];
  if (Array.isArray(options)) return options.includes(null) ? null : options[0];
  const union = (target['anyOf'] ?? target['oneOf']) as readonly Schema[] | undefined;
  if (union !== undefined) {
    const empty = union.find(option => resolve(option, root)['type'] === 'null') ?? union[0];
    return toEmptiest(empty ?? {}, root, depth + 1);
  }
  return toEmptiestOfType(target, root, depth);
}

function toEmptiestOfType(schema: Schema, root: Schema, depth: number): unknown {
  const type = schema['type'];
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('null')) return null;
  switch (types[0]) {
    case 'object':
      return toEmptiestObject(schema, root, depth);
    case 'array': {
      const count = Number(schema['minItems'] ?? 0);
      return Array.from({ length: count }, () => toEmptiest((schema['items'] ?? {}) as Schema, root, depth + 1));
    }
    case 'number':
    case 'integer':
      return Number(schema['minimum'] ?? 0);
    case 'boolean':
      return false;
    case 'string':
      return 'n/a'.padEnd(Number(schema['minLength'] ?? 0), '.');
    default:
      return null;
  }
}

function toEmptiestObject(schema: Schema, root: Schema, depth: number): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.fromEntries(required.map(name => [name, toEmptiest(properties[name] ?? {}, root, depth + 1)]));
}

function resolve(schema: Schema, root: Schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  let target: unknown = root;
  for (const part of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    target = (target as Record<string, unknown> | undefined)?.[part];
  }
  if (target === undefined) throw new Error(`the answer schema refers to ${reference}, which is not there`);
  return target as Schema;
}
