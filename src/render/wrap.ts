/** Columns that the text takes on a terminal: wide characters count two, marks none. */
export function toColumns(text: string): number {
  let columns = 0;
  for (const character of text) columns += /\p{Mark}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

/** Lines of at most `width` columns, broken at spaces, within a word only where it is longer than a line. */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap(line => wrapLine(line, Math.max(10, width)));
}

/** The text cut to `width` columns, an ellipsis last. */
export function cutColumns(text: string, width: number): string {
  let shown = '';
  let columns = 0;
  for (const character of text) {
    columns += toColumns(character);
    if (columns > width) return `${cutLast(shown, width)}…`;
    shown += character;
  }
  return text;
}

/** Makes room for the ellipsis. */
function cutLast(text: string, width: number): string {
  const characters = [...text];
  while (toColumns(characters.join('')) > width - 1) characters.pop();
  return characters.join('');
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  let columns = 0;
  for (const word of line.split(/ +/)) {
    for (const piece of breakWord(word, width)) {
      const size = toColumns(piece);
      if (current !== '' && columns + 1 + size > width) {
        lines.push(current);
        current = '';
        columns = 0;
      }
      columns += size + (current === '' ? 0 : 1);
      current = current === '' ? piece : `${current} ${piece}`;
    }
  }
  return [...lines, current];
}

function breakWord(word: string, width: number): string[] {
  if (toColumns(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let columns = 0;
  for (const character of word) {
    const size = toColumns(character);
    if (columns + size > width) {
      pieces.push(piece);
      piece = '';
      columns = 0;
    }
    piece += character;
    columns += size;
  }
  return [...pieces, piece];
}
