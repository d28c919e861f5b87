export type Stop = 'end' | 'tools' | 'max_tokens' | 'refusal' | 'pause' | 'context_window';

export interface Pace {
  /** Until the status line, from the request's end. */
  readonly headersAfterMs?: number;
  /** Until the first byte of the body. */
  readonly firstByteAfterMs?: number;
  /** Until the last byte; what is between is spread evenly. */
  readonly totalMs?: number;
}

export interface ScriptedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One turn of the scripted model, the same for every protocol. */
export interface Answer {
  readonly text?: string;
  /** Becomes the text; must follow the request's schema, else the script is at fault (use `text` for a broken answer). */
  readonly json?: unknown;
  /** Thinking as the model had it: shown only where the request asked for summaries, signed always. */
  readonly thinking?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: `tools` with calls, else `end`; `max_tokens` also comes by itself when the answer is too long. */
  readonly stop?: Stop;
  readonly refusal?: { readonly category: string | null; readonly explanation: string | null };
  /** Default: a quarter of the answer's bytes. */
  readonly outputTokens?: number;
  readonly pace?: Pace;
}

/** Text of the answer, JSON written out. */
export function toText(answer: Answer): string {
  if (answer.json !== undefined) return JSON.stringify(answer.json);
  return answer.text ?? '';
}

export function toStop(answer: Answer): Stop {
  return answer.stop ?? ((answer.calls?.length ?? 0) > 0 ? 'tools' : 'end');
}

/** Tokens of a text: a quarter of its UTF-8 bytes, rounded up. */
export function toTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The first part of a text that fits into so many tokens, never half a character. */
export function cutToTokens(text: string, tokens: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > tokens * 4) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The text in pieces of `size` characters, never half a character. */
export function toPieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    pieces.push(characters.slice(start, start + size).join(''));
  }
  return pieces;
}
