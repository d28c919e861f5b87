/** A script element of a page; `start` and `end` are the offsets of its body. */
export interface ScriptBlock {
  readonly attributes: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The script elements in order; one that is never closed reaches to the end of the text. A page in hostile hands repeats
 * what is never closed, so each search ends the whole when it finds nothing more.
 */
export function* listScriptBlocks(text: string): Generator<ScriptBlock> {
  const opening = /<script\b/gi;
  for (let tag = opening.exec(text); tag !== null; tag = opening.exec(text)) {
    const attributesAt = opening.lastIndex;
    const tagEnd = text.indexOf('>', attributesAt);
    if (tagEnd < 0) return;
    const start = tagEnd + 1;
    const closing = findClosing(text, start);
    yield { attributes: text.slice(attributesAt, tagEnd), start, end: closing?.at ?? text.length };
    if (closing === undefined) return;
    opening.lastIndex = closing.end;
  }
}

/** The first closing tag; one without its bracket is none, and neither is any that follows it. */
function findClosing(text: string, from: number): { at: number; end: number } | undefined {
  const closing = /<\/script\b/gi;
  closing.lastIndex = from;
  const tag = closing.exec(text);
  const bracket = tag === null ? -1 : text.indexOf('>', closing.lastIndex);
  return tag === null || bracket < 0 ? undefined : { at: tag.index, end: bracket + 1 };
}
