import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

/** A JSON schema as OpenAPI 3.0 writes it; only what is walked here is named. */
interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: unknown;
}
interface Content {
  $ref?: string;
  content?: Record<string, { schema?: Schema }>;
}
interface Described {
  operationId: string;
  externalDocs?: { url: string };
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
}
interface Description {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, { properties: Record<string, object> }> };
}

export interface Operation {
  id: string;
  docs: string;
  params: Record<string, string>;
  described: Described;
}

/** Parameters that may hold slashes. */
const GREEDY = new Set(['ref', 'basehead', 'branch']);

const subset = JSON.parse(
  readFileSync(new URL('../data/github/openapi-subset.json', import.meta.url), 'utf8'),
  withNull,
) as Description;
// GitHub's description and GitHub differ here: an outdated comment has null where an integer is promised, and a comment
// on one line has no start side.
for (const field of ['line', 'position', 'original_line', 'original_position']) {
  Object.assign(subset.components.schemas['pull-request-review-comment']?.properties[field] ?? {}, { nullable: true });
}
const startSide = subset.components.schemas['pull-request-review-comment']?.properties['start_side'];
Object.assign(startSide ?? {}, { enum: ['LEFT', 'RIGHT', null] });
const routes = Object.entries(subset.paths).map(([path, methods]) => ({
  pattern: toPattern(path),
  variables: path.split('{').length,
  segments: path.split('/').length,
  methods,
}));
// A ref may hold slashes, so `commits/{ref}/check-runs` must be tried before `commits/{ref}`.
routes.sort((a, b) => a.variables - b.variables || b.segments - a.segments);

// `strict: false` lets Ajv read OpenAPI's own keywords (`nullable`, `example`); schemas compile on first use.
// One of GitHub's patterns holds a bracket that only a pattern without the Unicode flag takes.
const ajv = new Ajv({ strict: false, allErrors: true, logger: false, unicodeRegExp: false });
(addFormats as unknown as (instance: Ajv) => void)(ajv);
for (const format of ['repo.nwo', 'timestamp', 'ssh-key', 'binary']) ajv.addFormat(format, true);
ajv.addSchema({ $id: 'github', components: subset.components });
const compiled = new Map<string, ValidateFunction>();

/** The operation that a request names; `path` still percent-encoded. */
export function findOperation(method: string, path: string): Operation | undefined {
  for (const route of routes) {
    const match = route.pattern.exec(path);
    const described = route.methods[method.toLowerCase()];
    if (match === null || described === undefined) continue;
    const params = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value ?? '')]),
    );
    return { id: described.operationId, docs: described.externalDocs?.url ?? '', params, described };
  }
  return undefined;
}

/** What is wrong with a request's body, in the words of GitHub's own schema check; empty when nothing is. */
export function checkRequest(operation: Operation, body: unknown): string[] {
  const schema = bodySchema(operation.described.requestBody);
  if (schema === undefined) return [];
  if (body === undefined) return operation.described.requestBody?.required === true ? ['Body is required'] : [];
  const validate = validator(`request ${operation.id}`, schema);
  const problems = validate(body) ? [] : [ajv.errorsText(validate.errors, { dataVar: 'body' })];
  return [...problems, ...unknownKeys(schema, body).map(key => `"${key}" is not a permitted key.`)];
}

/** What is wrong with an answer of the simulator itself. */
export function checkResponse(operation: Operation, status: number, body: unknown): string[] {
  const response = operation.described.responses[String(status)];
  if (response === undefined) {
    if (status < 400) return [`${operation.id} has no documented answer ${status}`];
    const message = (body as { message?: unknown } | undefined)?.message;
    return typeof message === 'string' ? [] : [`${operation.id} ${status}: an error without a message`];
  }
  const schema = bodySchema(response);
  if (schema === undefined || body === undefined) return [];
  const validate = validator(`${operation.id} ${status}`, schema);
  return validate(body) ? [] : [`${operation.id} ${status}: ${ajv.errorsText(validate.errors, { dataVar: 'body' })}`];
}

/** Ajv takes `nullable` only beside a `type`, and an `enum` literally: null is spelled out as one more choice. */
function withNull(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = value as Record<string, unknown>;
  if (nullable === true && Array.isArray(rest['enum'])) {
    return { ...rest, nullable, enum: [...new Set([...rest['enum'], null])] };
  }
  const choice = ['oneOf', 'anyOf'].find(name => Array.isArray(rest[name]));
  if (nullable !== true || 'type' in rest || choice === undefined) return value;
  return { ...rest, [choice]: [...(rest[choice] as unknown[]), { type: 'null' }] };
}

function toPattern(path: string): RegExp {
  // The root folder's contents are asked for without a path.
  const rooted = path.replace('/{path}', '(?:/(?<path>.*))?');
  const source = rooted.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${GREEDY.has(name) ? '.+' : '[^/]+'})`);
  return new RegExp(`^${source}$`);
}

function bodySchema(content: Content | undefined): Schema | undefined {
  return resolve(content)?.content?.['application/json']?.schema;
}

function resolve<T extends { $ref?: string }>(value: T | undefined): T | undefined {
  if (value?.$ref === undefined) return value;
  const steps = value.$ref.slice(2).split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], subset) as T;
}

function validator(key: string, schema: Schema): ValidateFunction {
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const rebased = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"github#/components/'));
  const made = ajv.compile(rebased);
  compiled.set(key, made);
  return made;
}

/** GitHub refuses a key that it does not know, though its description leaves objects open. */
function unknownKeys(schema: Schema, value: unknown): string[] {
  if (Array.isArray(value)) {
    const items = variants(schema).find(variant => variant.items !== undefined)?.items;
    return items === undefined ? [] : value.flatMap(item => unknownKeys(items, item));
  }
  if (typeof value !== 'object' || value === null) return [];
  const known = new Map(variants(schema).flatMap(variant => Object.entries(variant.properties ?? {})));
  if (known.size === 0) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const inner = known.get(key);
    return inner === undefined ? [key] : unknownKeys(inner, item);
  });
}

function variants(schema: Schema): Schema[] {
  const here = resolve(schema) ?? schema;
  return [here, ...[...(here.oneOf ?? []), ...(here.anyOf ?? []), ...(here.allOf ?? [])].flatMap(variants)];
}
