/** The part of the workflow expression language that an action.yml uses, with the runner's rules of comparison. */

export type Value = string | number | boolean | null | { [key: string]: Value | undefined };

export interface ExpressionContext {
  /** `inputs`, `steps`, `github`, `runner`, … */
  names: Record<string, Value>;
  /** `success`, `always`, … called without arguments. */
  functions: Record<string, () => Value>;
}

/** Replaces every `${{ … }}` in a text. */
export function interpolate(text: string, context: ExpressionContext): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, source: string) => toText(evaluate(source, context)));
}

/** A step's `if`: without a function that asks for the state of the job, `success()` is meant as well. */
export function isTrue(condition: string | boolean, context: ExpressionContext): boolean {
  const source = String(condition).replace(/^\s*\$\{\{(.*)\}\}\s*$/s, '$1');
  const asks = /\b(always|success|failure|cancelled)\s*\(/.test(source);
  return toBoolean(evaluate(asks ? source : `success() && (${source})`, context));
}

export function evaluate(source: string, context: ExpressionContext): Value {
  const tokens = source.match(/'(?:[^']|'')*'|&&|\|\||[!=]=|[!()]|[\w.-]+|\S/g) ?? [];
  let at = 0;
  const accept = (token: string) => tokens[at] === token && ++at > 0;

  function or(): Value {
    let left = and();
    while (accept('||')) {
      const right = and();
      left = toBoolean(left) ? left : right;
    }
    return left;
  }
  function and(): Value {
    let left = equality();
    while (accept('&&')) {
      const right = equality();
      left = toBoolean(left) ? right : left;
    }
    return left;
  }
  function equality(): Value {
    const left = unary();
    if (accept('==')) return isEqual(left, unary());
    if (accept('!=')) return !isEqual(left, unary());
    return left;
  }
  function unary(): Value {
    if (accept('!')) return !toBoolean(unary());
    if (accept('(')) {
      const inner = or();
      if (!accept(')')) throw new Error(`expected ) in: ${source}`);
      return inner;
    }
    return primary(tokens[at++] ?? '');
  }
  function primary(token: string): Value {
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (/^-?\d+(\.\d+)?$/.test(token)) return Number(token);
    if (token === 'true' || token === 'false') return token === 'true';
    if (token === 'null') return null;
    if (accept('(')) {
      const call = context.functions[token];
      if (call === undefined || !accept(')')) throw new Error(`unknown function ${token} in: ${source}`);
      return call();
    }
    return lookUp(token, source, context);
  }

  const value = or();
  if (at < tokens.length) throw new Error(`unexpected ${tokens[at]} in: ${source}`);
  return value;
}

/** A property that does not exist is null; an unknown context is a mistake. */
function lookUp(path: string, source: string, context: ExpressionContext): Value {
  const [root = '', ...keys] = path.split('.');
  if (!/^[a-z_]\w*$/i.test(root) || context.names[root] === undefined) throw new Error(`unknown ${path} in: ${source}`);
  let value: Value = context.names[root];
  for (const key of keys) {
    value = typeof value === 'object' && value !== null ? (value[key] ?? null) : null;
  }
  return value;
}

function toBoolean(value: Value): boolean {
  return value !== null && value !== false && value !== 0 && value !== '';
}

function toText(value: Value): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Strings compare without regard to case; different kinds compare as numbers. */
function isEqual(left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') return left.toLowerCase() === right.toLowerCase();
  if (typeof left === typeof right) return left === right;
  return toNumber(left) === toNumber(right);
}

function toNumber(value: Value): number {
  if (value === null || value === '') return 0;
  return typeof value === 'object' ? Number.NaN : Number(value);
}
