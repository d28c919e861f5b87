import { SECRET_PATTERNS } from './secret-patterns.ts';

/** A stretch of text that holds a secret: UTF-16 offsets, `end` exclusive. */
export interface SecretMatch {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** Leading characters that may stay readable (0 to 4). */
  readonly keep: number;
}

/** The secrets that this run was given or found, in every form in which they could come out again. */
export class SecretRegistry {
  readonly #forms = new Set<string>();

  /** Adds a secret; values of fewer than 6 characters are not registered, since masking them would ruin all text. */
  add(value: string | undefined): this {
    const whole = value?.trim() ?? '';
    for (const part of [whole, ...whole.split(/\r?\n/)]) {
      const secret = part.trim();
      if (secret.length >= MIN_SECRET_LENGTH) for (const form of formsOf(secret)) this.#forms.add(form);
    }
    return this;
  }

  /** Raw, base64, URL-encoded and JSON-escaped forms, longest first. */
  forms(): readonly string[] {
    return [...this.#forms].sort((a, b) => b.length - a.length);
  }
}

/** Every secret in the text, in order and without overlap. Linear in the length of the text. */
export function findSecrets(text: string, registry?: SecretRegistry): SecretMatch[] {
  const marks = rangesOf(text, MARK);
  const shaped = [...privateKeys(text), ...shapedSecrets(text)].filter(match => !overlapsAny(match, marks));
  const known = knownSecrets(text, registry).filter(match => !insideAny(match, marks));
  return joinOverlaps([...known, ...shaped]);
}

/**
 * The text with every secret replaced by `[redacted:<kind>]`; the public prefix of a token (at most 4 characters) stays.
 * Redacting twice changes nothing more.
 */
export function redact(text: string, registry?: SecretRegistry): string {
  let shown = text;
  // A mark ends a word, so that what stood behind one secret may be the start of another: look again.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const matches = findSecrets(shown, registry);
    if (matches.length === 0) break;
    shown = withMarks(shown, matches);
  }
  return shown;
}

const MAX_PASSES = 8;
const MIN_SECRET_LENGTH = 6;
const MAX_PRIVATE_KEY_LENGTH = 16_384;
const MARK = /\[redacted:[a-z-]{1,32}\]/g;

function withMarks(text: string, matches: readonly SecretMatch[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { kind, start, end, keep } of matches) {
    parts.push(text.slice(from, start + keep), `[redacted:${kind}]`);
    from = end;
  }
  return parts.join('') + text.slice(from);
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const encoded = [0, 1, 2].map(shift => base64Core(bytes, shift)).filter(form => form.length >= 8);
  const urlSafe = encoded.map(form => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [
    secret,
    encodeURIComponent(bytes.toString('utf8')),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...encoded,
    ...urlSafe,
  ];
}

/** The characters of the base64 form that depend on the secret alone when `shift` bytes (modulo 3) stand before it. */
function base64Core(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
  const lead = [0, 2, 3][shift] ?? 0;
  const rest = (shift + bytes.length) % 3;
  const tail = rest === 0 ? 0 : rest === 1 ? 3 : 2;
  return text.slice(lead, text.length - tail);
}

function knownSecrets(text: string, registry: SecretRegistry | undefined): SecretMatch[] {
  const found: SecretMatch[] = [];
  for (const form of registry?.forms() ?? []) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
      found.push({ kind: 'known-secret', start: at, end: at + form.length, keep: 0 });
    }
  }
  return found;
}

function shapedSecrets(text: string): SecretMatch[] {
  const found: SecretMatch[] = [];
  for (const { kind, pattern, keep, guess, marks } of SECRET_PATTERNS) {
    if (marks !== undefined && !marks.some(mark => text.includes(mark))) continue;
    for (const match of text.matchAll(pattern)) {
      const value = match.groups?.['value'] ?? match[0];
      if (guess && !looksLikeValue(value)) continue;
      const start = match.index + match[0].lastIndexOf(value);
      found.push({ kind, start, end: start + value.length, keep });
    }
  }
  return found;
}

/** Templates, references to code and runs of one character stand where a secret would, and are none. */
function looksLikeValue(value: string): boolean {
  if (/^(?:\$|%|<|\{\{|\*{3}|x{3}|\.{3})|\$\{|\{\{|%[sd(]/i.test(value)) return false;
  if (/^(?:process\.env|os\.(?:environ|getenv)|env\.|secrets\.|config\.|self\.|this\.|req(?:uest)?\.)/.test(value))
    return false;
  return !/^(.)\1*$/.test(value);
}

/** Blocks from BEGIN to END; a block that is cut off reaches as far as its text looks like a key. */
function privateKeys(text: string): SecretMatch[] {
  const found: SecretMatch[] = [];
  let nextEnd = 0;
  let covered = 0;
  for (const begin of text.matchAll(/-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/g)) {
    if (begin.index < covered) continue;
    const body = begin.index + begin[0].length;
    if (nextEnd >= 0 && nextEnd < body) nextEnd = text.indexOf('-----END ', body);
    covered =
      nextEnd >= 0 && nextEnd - body <= MAX_PRIVATE_KEY_LENGTH ? endOfMarker(text, nextEnd) : endOfKeyText(text, body);
    found.push({ kind: 'private-key', start: begin.index, end: covered, keep: 0 });
  }
  return found;
}

function endOfMarker(text: string, at: number): number {
  const marker = /-----END [A-Z0-9 ]{0,48}(?:-----)?/y;
  marker.lastIndex = at;
  marker.test(text);
  return Math.max(marker.lastIndex, at);
}

function endOfKeyText(text: string, at: number): number {
  const keyText = /[A-Za-z0-9+/=\s\\"'`,:.-]{0,16384}/y;
  keyText.lastIndex = at;
  keyText.test(text);
  return Math.max(keyText.lastIndex, at);
}

function joinOverlaps(matches: readonly SecretMatch[]): SecretMatch[] {
  const joined: SecretMatch[] = [];
  for (const match of [...matches].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || match.start >= last.end) joined.push({ ...match, keep: Math.min(match.keep, 4) });
    else
      joined[joined.length - 1] = {
        ...last,
        end: Math.max(last.end, match.end),
        keep: Math.min(last.keep, match.keep),
      };
  }
  return joined;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const rangesOf = (text: string, pattern: RegExp): Range[] =>
  [...text.matchAll(pattern)].map(match => ({ start: match.index, end: match.index + match[0].length }));

const insideAny = (range: Range, others: readonly Range[]): boolean => {
  const other = lastStartingBefore(others, range.start + 1);
  return other !== undefined && other.end >= range.end;
};

const overlapsAny = (range: Range, others: readonly Range[]): boolean => {
  const other = lastStartingBefore(others, range.end);
  return other !== undefined && other.end > range.start;
};

/** Binary search: the last range that starts before the offset. Ranges are sorted and do not overlap. */
function lastStartingBefore(ranges: readonly Range[], offset: number): Range | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return ranges[low - 1];
}
