import type { ModelRequest, Turn } from './model.ts';

/**
 * A number of tokens that the text does not exceed with the tokenizers of today. Lower-case letters come at least two to a
 * token, a run of one white-space character is one, every other ASCII character counts one, and beyond ASCII every byte.
 * Code gives about 1.7 bytes a token by this count, where tokenizers reach 2.5 to 4.
 */
export function estimateTokens(text: string): number {
  let halves = 0;
  let previous = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const space = code === 32 || (code >= 9 && code <= 13);
    if (space) halves += code === previous ? 0 : 2;
    else if (code >= 97 && code <= 122) halves += 1;
    else if (code < 128) halves += 2;
    else halves += code < 0x800 ? 4 : 6;
    previous = code;
  }
  return Math.ceil(halves / 2);
}

/** The same for a whole request: every text, tool, schema and the provider's own wrapping of them. */
export function estimateRequestTokens(
  request: Pick<ModelRequest, 'system' | 'tools' | 'answerSchema' | 'turns'>,
): number {
  const system = request.system.reduce((sum, part) => sum + estimateTokens(part.text) + PART_TOKENS, 0);
  const tools = request.tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)) + PART_TOKENS, 0);
  const schema = request.answerSchema === null ? 0 : estimateTokens(JSON.stringify(request.answerSchema));
  const wrapping = request.tools.length > 0 || request.answerSchema !== null ? WRAPPING_TOKENS : 0;
  return system + tools + schema + wrapping + estimateTurnTokens(request.turns);
}

/** The same for turns that follow a measured conversation. */
export function estimateTurnTokens(turns: readonly Turn[]): number {
  return turns.reduce(
    (sum, turn) => sum + textsOf(turn).reduce((all, text) => all + estimateTokens(text) + PART_TOKENS, 0),
    0,
  );
}

/** Markup around one part of a message. */
const PART_TOKENS = 16;
/** What providers add to the prompt to explain tools and output formats. */
const WRAPPING_TOKENS = 600;

function textsOf(turn: Turn): string[] {
  switch (turn.role) {
    case 'user':
      return turn.parts.map(part => part.text);
    case 'assistant':
      return [JSON.stringify(turn.echo) ?? ''];
    case 'tool':
      return turn.results.map(result => result.id + result.text);
  }
}
