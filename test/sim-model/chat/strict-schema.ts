type Schema = Readonly<Record<string, unknown>>;

/** What OpenAI's strict mode takes (platform.openai.com, "Structured Outputs", supported schemas). */
const ALLOWED = new Set(
  (
    'type properties required additionalProperties items minItems maxItems enum const anyOf $ref $defs definitions ' +
    'description title format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf default $schema'
  ).split(' '),
);
const MAX_DEPTH = 10;
const MAX_PROPERTIES = 5000;

/** Complaints about a strict schema, each with its place; unlike Anthropic's, every property has to be required. */
export function checkStrictSchema(schema: Schema, place: string): string[] {
  const count = { properties: 0 };
  const complaints = checkNode(schema, [], place, 1, count);
  if (schema['type'] !== 'object') complaints.unshift(`Invalid schema for ${place}: schema must be of type "object"`);
  if (count.properties > MAX_PROPERTIES) complaints.push(`Invalid schema for ${place}: too many properties`);
  return complaints;
}

function checkNode(
  node: unknown,
  path: readonly string[],
  place: string,
  depth: number,
  count: { properties: number },
): string[] {
  const fail = (reason: string) => `Invalid schema for ${place}: In context=(${path.join(', ')}), ${reason}`;
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return [fail('a schema must be an object')];
  if (depth > MAX_DEPTH) return [fail(`more than ${MAX_DEPTH} levels of nesting`)];
  const schema = node as Schema;
  const complaints = Object.keys(schema)
    .filter(key => !ALLOWED.has(key))
    .map(key => fail(`'${key}' is not permitted.`));
  const types = [schema['type']].flat();
  if (types.includes('object')) {
    const names = Object.keys((schema['properties'] ?? {}) as object);
    const required = (schema['required'] ?? []) as readonly string[];
    count.properties += names.length;
    if (schema['additionalProperties'] !== false) {
      complaints.push(fail("'additionalProperties' is required to be supplied and to be false."));
    }
    const missing = names.filter(name => !required.includes(name));
    if (missing.length > 0) {
      complaints.push(
        fail(
          `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing[0]}'.`,
        ),
      );
    }
  }
  if (types.includes('array') && schema['items'] === undefined) complaints.push(fail('array schema missing items.'));
  const inner = listChildren(schema).flatMap(([child, step]) =>
    checkNode(child, [...path, step], place, step.startsWith('$') ? depth : depth + 1, count),
  );
  return [...complaints, ...inner];
}

function listChildren(schema: Schema): [unknown, string][] {
  const children: [unknown, string][] = [];
  for (const [name, child] of Object.entries((schema['properties'] ?? {}) as object)) children.push([child, name]);
  for (const [name, child] of Object.entries((schema['$defs'] ?? schema['definitions'] ?? {}) as object)) {
    children.push([child, `$defs.${name}`]);
  }
  if (schema['items'] !== undefined) children.push([schema['items'], 'items']);
  for (const [index, child] of ((schema['anyOf'] ?? []) as readonly unknown[]).entries()) {
    children.push([child, `anyOf[${index}]`]);
  }
  return children;
}
