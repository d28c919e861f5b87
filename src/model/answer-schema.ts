type Schema = Readonly<Record<string, unknown>>;

/**
 * The part of a JSON Schema that providers enforce while a model writes: types, properties, enums and references. Bounds of
 * numbers, texts and lists are refused there; the caller's own check of the answer enforces them. Objects are closed.
 */
export function toProviderSchema(schema: Schema): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (UNENFORCED.has(key)) continue;
    // Each branch of a union names its kind, so that "any" and "one" mean the same.
    if (key === 'oneOf') plain['anyOf'] = toProviderValue(value);
    else if (KEYED.has(key) && isSchema(value)) plain[key] = mapValues(value);
    else plain[key] = toProviderValue(value);
  }
  if (plain['type'] === 'object' || isSchema(plain['properties'])) plain['additionalProperties'] = false;
  return plain;
}

/** True when each object requires all its properties, which OpenAI's strict mode asks for. */
export function requiresAll(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(requiresAll);
  if (!isSchema(schema)) return true;
  const properties = schema['properties'];
  if (isSchema(properties)) {
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    if (Object.keys(properties).some(name => !required.has(name))) return false;
  }
  return Object.values(schema).every(requiresAll);
}

const UNENFORCED = new Set([
  '$schema',
  'default',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'patternProperties',
  'propertyNames',
  'uniqueItems',
]);
/** Keywords whose keys are names of the caller's, not keywords. */
const KEYED = new Set(['properties', '$defs', 'definitions']);

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapValues = (value: Schema): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toProviderValue(inner)]));

function toProviderValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toProviderValue);
  return isSchema(value) ? toProviderSchema(value) : value;
}
