/**
 * Prose of GitHub without what its pages do not show: HTML comments (one that is never closed hides the rest) and link
 * definitions that serve as comments. Code keeps its comments: there `<!--` hides nothing from a reader, and a stripped
 * stretch between two strings would hide code from the model.
 */
export function stripComments(text: string): string {
  let shown = text;
  // What is left around a removed comment may form another one.
  for (let pass = 0; pass < MAX_PASSES && shown.includes('<!--'); pass++) shown = shown.replace(HTML_COMMENT, '');
  return shown.replaceAll('<!--', '<! --').replace(LINK_COMMENT, '');
}

const MAX_PASSES = 8;
const HTML_COMMENT = /<!--(?:[^-]|-(?!->))*(?:-->|$)/g;
/** `[//]: # (text)` and `[comment]: <> (text)`. */
const LINK_COMMENT = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*(?:#|<>)[ \t]*(?:\([^\n]*\)|"[^\n]*"|'[^\n]*')?[ \t]*$/gm;
