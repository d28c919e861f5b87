import type { List, ListItem } from 'mdast';
import { listCodeSpans, toText } from './markdown.ts';
import { parseIdentifier } from './test-identifier.ts';

/** An item of a list that says something of its own, with its details folded in. */
export interface ReadItem {
  readonly text: string;
  readonly isTask: boolean;
  readonly codeSpans: readonly string[];
}

/**
 * The statements of a list. An item below another is a detail of it, unless it is a task, carries an identifier or stands
 * below a line that ends with a colon: then it is a statement of its own.
 */
export function readList(list: List, depth = 0): ReadItem[] {
  return list.children.flatMap(item => readItem(item, depth));
}

/** Every line of a list in its order, for text that only looks like a list. */
export function listLines(list: List, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  return list.children.flatMap(item => [
    ...ownText(item).split('\n'),
    ...nestedLists(item).flatMap(nested => listLines(nested, depth + 1)),
  ]);
}

const MAX_DEPTH = 8;

function readItem(item: ListItem, depth: number): ReadItem[] {
  const text = oneLine(ownText(item));
  const isTask = item.checked === true || item.checked === false;
  const isGroup = /[:：]$/.test(text) && !isTask;
  const nested = depth >= MAX_DEPTH ? [] : nestedLists(item).flatMap(list => readList(list, depth + 1));
  const isOwn = (child: ReadItem) => child.isTask || isGroup || parseIdentifier(child.text) !== undefined;
  const details = nested.filter(child => !isOwn(child));
  const own = nested.filter(isOwn).map(child => (isGroup && !child.isTask ? joined(text, child, item) : child));
  if (isWithdrawn(text)) return [];
  const leadsOnly = (isGroup || /[:：]$/.test(text)) && own.length > 0 && details.length === 0;
  if (text === '' || leadsOnly) return own;
  const folded = details.map(detail => detail.text).join('; ');
  const codeSpans = [...ownCodeSpans(item), ...details.flatMap(detail => detail.codeSpans)];
  return [{ text: folded === '' ? text : `${text.replace(/[:：]$/, '')} (${folded})`, isTask, codeSpans }, ...own];
}

const joined = (lead: string, child: ReadItem, item: ListItem): ReadItem => ({
  ...child,
  text: `${lead} ${child.text}`,
  codeSpans: [...ownCodeSpans(item), ...child.codeSpans],
});

const nestedLists = (item: ListItem): List[] => item.children.filter(child => child.type === 'list');

const ownText = (item: ListItem): string =>
  item.children.flatMap(child => (child.type === 'paragraph' ? [toText(child)] : [])).join('\n');

const ownCodeSpans = (item: ListItem): string[] =>
  item.children.flatMap(child => (child.type === 'paragraph' ? listCodeSpans(child) : []));

/** Struck through as a whole. */
const isWithdrawn = (text: string): boolean => /^~~[^~]+~~[.,;]?$/.test(text);

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
