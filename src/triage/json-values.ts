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
  options: JsonValuesOptions,
): AsyncGenerator<JsonText> {
  const splitter = createSplitter(options);
  for await (const chunk of chunks) yield* splitter.push(chunk);
  splitter.end();
}

function createSplitter({ fileName, maxBytes, maxFirstBytes }: JsonValuesOptions) {
  const fail = (at: number, message: string) => new CypherFixError('usage', `${fileName}:${at}: ${message}`);
  let place: keyof typeof EXPECTED = 'start';
  let isList = false;
  let isFirst = true;
  let line = 1;
  /** The object under way. */
  let parts: Uint8Array[] = [];
  let size = 0;
  let startLine = 1;
  let inside: Inside = { depth: 0, inText: false, escaped: false };

  /** Reads on to the next object; the index of its brace, or the end of the chunk. */
  const findStart = (chunk: Uint8Array, from: number): number => {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === NEWLINE) line++;
      if (isSpace(byte) || (place === 'start' && isMark(byte))) continue;
      if (byte === OPEN_BRACE && place !== 'separator' && place !== 'end') return at;
      if (place === 'start' && byte === OPEN_BRACKET) {
        isList = true;
        place = 'value-or-end';
      } else if (place === 'separator' && byte === COMMA) place = 'value';
      else if ((place === 'separator' || place === 'value-or-end') && byte === CLOSE_BRACKET) place = 'end';
      else throw fail(line, `expected ${EXPECTED[place]}, found ${show(byte)}`);
    }
    return chunk.length;
  };
  const take = (chunk: Uint8Array, from: number, to: number): void => {
    const piece = chunk.subarray(from, to);
    parts.push(piece);
    size += piece.length;
    const most = isList || !isFirst ? maxBytes : maxFirstBytes;
    if (size > most) throw fail(startLine, `the object that starts here has more than ${most} bytes`);
  };

  return {
    push(chunk: Uint8Array): JsonText[] {
      const found: JsonText[] = [];
      let at = 0;
      while (at < chunk.length) {
        let from = at;
        if (inside.depth === 0) {
          from = findStart(chunk, at);
          if (from === chunk.length) break;
          startLine = line;
        }
        const end = findEnd(chunk, from, inside);
        take(chunk, from, end.at);
        line += countNewlines(chunk, from, end.at);
        inside = end.inside;
        at = end.at;
        if (inside.depth > 0) break;
        found.push({ text: decode(parts, fileName, startLine), line: startLine });
        parts = [];
        size = 0;
        isFirst = false;
        place = isList ? 'separator' : 'next';
      }
      // The stream may use the chunk's memory again.
      if (inside.depth > 0) parts = parts.map(part => (part.buffer === chunk.buffer ? part.slice() : part));
      return found;
    },
    end(): void {
      if (inside.depth > 0) throw fail(startLine, 'the object that starts here does not end');
      if (place === 'start') throw fail(1, 'the file is empty');
      if (isList && place !== 'end') throw fail(line, `the list does not end: expected ${EXPECTED[place]}`);
    },
  };
}

/** How deep in an object, and whether in a text of it. */
interface Inside {
  readonly depth: number;
  readonly inText: boolean;
  readonly escaped: boolean;
}

/** Reads on to the end of the object, or of the chunk. */
function findEnd(chunk: Uint8Array, from: number, before: Inside): { readonly at: number; readonly inside: Inside } {
  let { depth, inText, escaped } = before;
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at] as number;
    if (inText) {
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
      return { at: at + 1, inside: { depth: 0, inText: false, escaped: false } };
    }
  }
  return { at: chunk.length, inside: { depth, inText, escaped } };
}

function countNewlines(chunk: Uint8Array, from: number, to: number): number {
  const part = chunk.subarray(from, to);
  let count = 0;
  for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, at + 1)) count++;
  return count;
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
