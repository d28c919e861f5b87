/**
 * Python's `repr`, as far as evidence texts and the search for credentials meet it. The graph's integers and floats are
 * one type here, so a whole number inside a list is written as an integer.
 */
export function pythonRepr(value: unknown): string {
  if (value === undefined || value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : floatRepr(value);
  if (typeof value === 'string') return stringRepr(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${stringRepr(key)}: ${pythonRepr(item)}`)
    .join(', ')}}`;
}

/** A float's `repr`: 7 is `7.0`, 1e16 is `1e+16`, 0.00001 is `1e-05`. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/([+-])(\d)$/, '$10$2');
  }
  const text = String(value);
  return Number.isInteger(value) ? `${text}.0` : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\n\r\t\x00-\x1f\x7f-\xa0\xad'"]/g, char => {
    const known = ESCAPES[char];
    if (known !== undefined) return known;
    if (char === '"' || char === "'") return char === quote ? `\\${char}` : char;
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return quote + body + quote;
}
