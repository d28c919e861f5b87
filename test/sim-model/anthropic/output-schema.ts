type Schema = Readonly<Record<string, unknown>>;

/** What the API's structured outputs take (platform.claude.com, "Structured outputs"); the rest answers 400. */
const ALLOWED = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minItems',
  'enum',
  'const',
  'anyOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  'default',
  'format',
  'description',
  'title',
  '$schema',
]);
const TYPES = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']);
const FORMATS = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '));
const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;

interface Count {
  optional: number;
  unions: number;
}

/** Complaints about a schema of an output format or a strict tool, each with its place. */
export function checkOutputSchema(schema: Schema, place: string): string[] {
  const count: Count = { optional: 0, unions: 0 };
  const complaints = checkNode(schema, place, schema, [], count);
  if (count.optional > MAX_OPTIONAL) {
    complaints.push(
      `${place}: Schemas contains too many optional parameters (${count.optional}, limit ${MAX_OPTIONAL})`,
    );
  }
  if (count.unions > MAX_UNIONS) {
    complaints.push(
      `${place}: Schemas contains too many parameters with union types (${count.unions}, limit ${MAX_UNIONS})`,
    );
  }
  return complaints;
}

function checkNode(node: unknown, place: string, root: Schema, open: readonly string[], count: Count): string[] {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return [`${place}: a schema must be an object`];
  const schema = node as Schema;
  const complaints = Object.keys(schema)
    .filter(key => !ALLOWED.has(key))
    .map(key => `${place}: For '${String(schema['type'])}' type, property '${key}' is not supported`);
  const reference = schema['$ref'];
  if (reference !== undefined) return [...complaints, ...checkReference(String(reference), place, root, open, count)];
  return [
    ...complaints,
    ...checkType(schema, place),
    ...checkObject(schema, place, count),
    ...checkSmallParts(schema, place),
    ...listChildren(schema, place, count).flatMap(([child, where]) => checkNode(child, where, root, open, count)),
  ];
}

function checkReference(
  reference: string,
  place: string,
  root: Schema,
  open: readonly string[],
  count: Count,
): string[] {
  const [, list, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
  const target = (root[list ?? ''] as Record<string, unknown> | undefined)?.[name ?? ''];
  if (target === undefined) return [`${place}: $ref '${reference}' does not name a definition of this schema`];
  if (open.includes(reference)) return [`${place}: Circular $ref '${reference}' is not supported`];
  return checkNode(target, place, root, [...open, reference], count);
}

function checkType(schema: Schema, place: string): string[] {
  const type = schema['type'];
  const literal = 'enum' in schema || 'const' in schema || 'anyOf' in schema || 'allOf' in schema;
  if (type === undefined)
    return literal ? [] : [`${place}: a schema needs 'type', 'enum', 'const', 'anyOf' or 'allOf'`];
  const types = Array.isArray(type) ? type : [type];
  return types
    .filter(name => !TYPES.has(String(name)))
    .map(name => `${place}: type '${String(name)}' is not supported`);
}

function checkObject(schema: Schema, place: string, count: Count): string[] {
  const type = schema['type'];
  if (type !== 'object' && !(Array.isArray(type) && type.includes('object'))) return [];
  const complaints: string[] = [];
  if (schema['additionalProperties'] !== false) {
    complaints.push(`${place}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
  }
  const names = Object.keys((schema['properties'] ?? {}) as object);
  const required = (schema['required'] ?? []) as readonly string[];
  for (const name of required) {
    if (!names.includes(name)) complaints.push(`${place}: required property '${name}' is not defined`);
  }
  count.optional += names.filter(name => !required.includes(name)).length;
  return complaints;
}

function checkSmallParts(schema: Schema, place: string): string[] {
  const complaints: string[] = [];
  const values = schema['enum'];
  if (values !== undefined && !(Array.isArray(values) && values.length > 0 && values.every(isPrimitive))) {
    complaints.push(`${place}: 'enum' must be a list of strings, numbers, booleans or null`);
  }
  if (schema['minItems'] !== undefined && schema['minItems'] !== 0 && schema['minItems'] !== 1) {
    complaints.push(`${place}: For 'array' type, 'minItems' values other than 0 or 1 are not supported`);
  }
  if (schema['format'] !== undefined && !FORMATS.has(String(schema['format']))) {
    complaints.push(`${place}: string format '${String(schema['format'])}' is not supported`);
  }
  return complaints;
}

function isPrimitive(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

function listChildren(schema: Schema, place: string, count: Count): [unknown, string][] {
  const children: [unknown, string][] = [];
  for (const list of ['properties', '$defs', 'definitions']) {
    for (const [name, child] of Object.entries((schema[list] ?? {}) as object)) {
      children.push([child, `${place}.${list}.${name}`]);
    }
  }
  if (schema['items'] !== undefined) children.push([schema['items'], `${place}.items`]);
  for (const list of ['anyOf', 'allOf']) {
    const options = (schema[list] ?? []) as readonly unknown[];
    for (const [index, child] of options.entries()) children.push([child, `${place}.${list}.${index}`]);
  }
  if ('anyOf' in schema || Array.isArray(schema['type'])) count.unions += 1;
  return children;
}
