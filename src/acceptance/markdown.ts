import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item';
import { gfmTable } from 'micromark-extension-gfm-table';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';
import { stripComments } from '../review/hidden-text.ts';

/** Lines of a text that are read; measured, the worst text of this many lines takes about 3 s. */
export const MAX_LINES = 2_000;
const MAX_LINE_CHARS = 4_000;

/**
 * The blocks of a markdown text as GitHub sees them: headings, lists, tables, fences, code spans. Emphasis, links and
 * inline HTML stay text, since the parser's time for them grows with the square of a hostile text's length.
 */
export function parseMarkdown(text: string): Root {
  return fromMarkdown(toBounded(text), {
    extensions: [gfmTable(), gfmTaskListItem(), { disable: { null: INLINE } }],
    mdastExtensions: [gfmTableFromMarkdown(), gfmTaskListItemFromMarkdown()],
  });
}

const INLINE = [
  'attention',
  'autolink',
  'definition',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
];

/** Quotes and lists in each other, beyond what people write, are where the parser's time goes. */
const DEEP_NESTING = /^((?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))){8})[ \t>*+.)\d-]+/;

function toBounded(text: string): string {
  const lines = text.split(/\r\n?|\n/, MAX_LINES);
  return lines.map(line => line.slice(0, MAX_LINE_CHARS).replace(DEEP_NESTING, '$1 ')).join('\n');
}

/** The text of a block's own phrases without markup; code spans keep their backticks, lines their breaks. */
export function toText(node: Nodes): string {
  const parts: string[] = [];
  collect(node, part => parts.push(part.type === 'inlineCode' ? `\`${part.value}\`` : part.value));
  return withoutMarkup(stripComments(parts.join('')));
}

/** Contents of the code spans of a block. */
export function listCodeSpans(node: Nodes): string[] {
  const spans: string[] = [];
  collect(node, part => {
    if (part.type === 'inlineCode') spans.push(part.value);
  });
  return spans;
}

type Part = { readonly type: 'text' | 'inlineCode'; readonly value: string };

function collect(node: Nodes, take: (part: Part) => void): void {
  if (node.type === 'text' || node.type === 'inlineCode') take(node);
  else if (node.type === 'break') take({ type: 'text', value: '\n' });
  else if ('children' in node) for (const child of node.children) collect(child, take);
}

/** Links and images become their text, marks of emphasis and tags go; what stands in code spans stays as it is. */
function withoutMarkup(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : withoutMarks(part)))
    .join('');
}

function withoutMarks(text: string): string {
  return text
    .replace(/!?\[([^[\]]{0,500})\]\([^()\s]{0,2000}(?: "[^"]{0,200}")?\)/g, '$1')
    .replace(/<\/?[a-z][a-z0-9-]{0,20}(?:\s[^<>]{0,500})?\/?>/gi, ' ')
    .replace(/\*{2,3}|(?<![\p{L}\p{N}_])_{1,3}(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.!?:)])_{1,3}(?![\p{L}\p{N}_])/gu, '')
    .replace(/(?<![\p{L}\p{N}*])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}*])/gu, '');
}
