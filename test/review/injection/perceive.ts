import type { ModelRequest } from '../../../src/model/model.ts';

/**
 * How a request reads to a model that can be fooled. `all` is every word of it, hidden ones included. `trusted` is what it
 * takes for instructions: everything outside of data blocks, where whatever looks like the end of a block ends it, and where
 * hidden characters, comments that no page shows and tokens of chat templates count as the operator's word.
 */
export function perceive(request: ModelRequest): { readonly all: string; readonly trusted: string } {
  const parts = request.turns.flatMap(turn => {
    if (turn.role === 'user') return turn.parts.map(part => part.text);
    return turn.role === 'tool' ? turn.results.map(result => result.text) : [];
  });
  const system = request.system.map(part => part.text).join('\n');
  const text = parts.join('\n');
  return {
    all: `${system}\n${decodeTags(text)}`,
    trusted: [system, ...parts.map(outsideBlocks), hiddenWords(text), afterChatTokens(text)].join('\n'),
  };
}

const OPENING = /<untrusted-[^\s>]+ source="[^"\n]*">\n/;

function outsideBlocks(text: string): string {
  const outside: string[] = [];
  let rest = text;
  for (let open = OPENING.exec(rest); open !== null; open = OPENING.exec(rest)) {
    outside.push(rest.slice(0, open.index));
    const inside = rest.slice(open.index + open[0].length);
    const close = CLOSING.exec(fold(inside));
    rest = close === null ? '' : inside.slice(close.index + close[0].length);
  }
  return [...outside, rest].join('\n');
}

const CLOSING =
  /<[^a-z<>\n]*\n?[^a-z<>\n]*\/[^a-z<>]*u[^\w]*n[^\w]*t[^\w]*r[^\w]*u[^\w]*s[^\w]*t[^\w]*e[^\w]*d[^>\n]*>?/;

/** What looks alike made alike, character by character, so that offsets stay. */
function fold(text: string): string {
  return [...text]
    .map(character => (character.length === 1 ? foldOne(character) : '_'.repeat(character.length)))
    .join('');
}

function foldOne(character: string): string {
  const plain = character.normalize('NFKC');
  const one = plain.length === 1 ? plain : character;
  return LOOKS.get(one) ?? one.toLowerCase();
}

const LOOKS = new Map(
  Object.entries({ г: 'r', у: 'u', т: 't', ѕ: 's', е: 'e', ԁ: 'd', '‹': '<', '〈': '<', '›': '>', '〉': '>' }),
);

const TAG = /[\u{e0020}-\u{e007e}]/gu;
const toAscii = (tag: string): string => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000);
const decodeTags = (text: string): string => text.replace(TAG, toAscii);

/** Text in tag characters, and comments in what GitHub would render. */
function hiddenWords(text: string): string {
  const tags = (text.match(TAG) ?? []).map(toAscii).join('');
  const prose =
    text.match(
      /<untrusted-\S+ source="(?:title|description|linked issues|result of git_log)[^"]*">[\s\S]*?<\/untrusted/g,
    ) ?? [];
  const comments = prose.flatMap(
    block => block.match(/<!--[\s\S]*?(?:-->|$)|\[(?:\/\/|comment)\]: (?:#|<>) .*/g) ?? [],
  );
  return [tags, ...comments].join('\n');
}

const afterChatTokens = (text: string): string =>
  (text.match(/(?:<\|im_start\|>|<<SYS>>|\[INST\])[\s\S]{0,200}/g) ?? []).join('\n');
