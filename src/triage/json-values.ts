import { CypherFixError } from '../core/errors.ts';

/** One object of a file, as text, with the line on which it starts (from 1). */
export interface JsonText {
  readonly text: string;
  readonly line: number;
}

export interface JsonValuesOptions {
  /** For messages. */
  readonly fileName: string;
  /** Most bytes of one object of a list. */
  readonly maxBytes: number;
  /** Most bytes of the first object where the file is no list: it may be a whole document. */
  readonly maxFirstBytes: number;
}

/**
 * The objects of a JSON array, of JSON Lines, or the one object that a file holds, one after the other; never the whole
 * file in memory. Throws CypherFixError('usage') with file and line for everything else.
 */
export async function* readJsonObjects(
  chunks: AsyncIterable<Uint8Array>,
  { fileName, maxBytes, maxFirstBytes }: JsonValuesOptions,
): AsyncGenerator<JsonText> {
  const fail = (line: number, message: string) => new CypherFixError('usage', `${fileName}:${line}: ${message}`);
  let place: 'start' | 'value' | 'value-or-end' | 'separator' | 'next' | 'end' = 'start';
  let isList = false;
  let line = 1;
  let count = 0;
  let parts: Uint8Array[] = [];
  let size = 0;
  let startLine = 1;
  let depth = 0;
  let inText = false;
  let escaped = false;

  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === NEWLINE) line++;
      if (depth > 0) {
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inText = false;
        } else if (byte === QUOTE) inText = true;
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
          depth--;
          if (depth === 0) {
            parts.push(chunk.subarray(from, at + 1));
            yield { text: decode(parts, fileName, startLine), line: startLine };
            parts = [];
            size = 0;
            count++;
            place = isList ? 'separator' : 'next';
          }
        }
        continue;
      }
      if (isSpace(byte) || (place === 'start' && isMark(byte))) continue;
      if (
        byte === OPEN_BRACE &&
        (place === 'start' || place === 'value' || place === 'value-or-end' || place === 'next')
      ) {
        depth = 1;
        from = at;
        startLine = line;
      } else if (place === 'start' && byte === OPEN_BRACKET) {
        isList = true;
        place = 'value-or-end';
      } else if (place === 'separator' && byte === COMMA) place = 'value';
      else if ((place === 'separator' || place === 'value-or-end') && byte === CLOSE_BRACKET) place = 'end';
      else throw fail(line, `expected ${EXPECTED[place]}, found ${show(byte)}`);
    }
    if (depth === 0) continue;
    parts.push(chunk.slice(from));
    size += chunk.length - from;
    const most = isList || count > 0 ? maxBytes : maxFirstBytes;
    if (size > most) throw fail(startLine, `the object that starts here has more than ${most} bytes`);
  }
  if (depth > 0) throw fail(startLine, 'the object that starts here does not end');
  if (place === 'start') throw fail(1, 'the file is empty');
  if (isList && place !== 'end') throw fail(line, `the list does not end: expected ${EXPECTED[place]}`);
}

/** The parsed object. Throws CypherFixError('usage') with file and line of the fault, or of the object's start. */
export function parseJsonObject({ text, line }: JsonText, fileName: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/\s+/g, ' ').slice(0, 160) : String(error);
    // Of an unexpected token the engine shows the text around it instead of its position.
    const position = /position (\d+)/.exec(message)?.[1];
    const before = text.slice(0, Number(position ?? 0)).split('\n');
    const column = position === undefined ? '' : `:${(before.at(-1)?.length ?? 0) + 1}`;
    throw new CypherFixError('usage', `${fileName}:${line + before.length - 1}${column}: no JSON: ${message}`);
  }
}

const EXPECTED = {
  start: 'a list or an object',
  value: 'an object',
  'value-or-end': 'an object or the end of the list',
  separator: 'a comma or the end of the list',
  next: 'the next object',
  end: 'nothing after the list',
} as const;

const [NEWLINE, QUOTE, COMMA, OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [
  0x0a, 0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
] as const;

const isSpace = (byte: number): boolean => byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
/** A byte of the byte order mark. */
const isMark = (byte: number): boolean => byte === 0xef || byte === 0xbb || byte === 0xbf;

const show = (byte: number): string =>
  byte > 0x20 && byte < 0x7f ? `'${String.fromCharCode(byte)}'` : `byte 0x${byte.toString(16).padStart(2, '0')}`;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function decode(parts: readonly Uint8Array[], fileName: string, line: number): string {
  try {
    return UTF8.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  } catch {
    throw new CypherFixError('usage', `${fileName}:${line}: the object that starts here is no UTF-8`);
  }
}
