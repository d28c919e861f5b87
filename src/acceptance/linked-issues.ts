import type { Nodes } from 'mdast';
import { parseMarkdown } from './markdown.ts';

export interface IssueSources {
  /** `owner/name` of the repository under review. */
  readonly repository: string;
  /** `https://github.com`, or the address of another server. */
  readonly serverUrl: string;
  readonly title: string;
  readonly body: string;
  readonly headRef: string;
  /** Numbers that GitHub itself links (closingIssuesReferences), of this repository only. */
  readonly closing: readonly number[];
}

/** Issues that one run reads at most. */
export const MAX_LINKED_ISSUES = 10;

/**
 * Numbers of the issues that a pull request closes, without repeats: GitHub's own links first, then closing keywords in
 * body and title, then the name of the branch. Code and other repositories do not count.
 */
export function listLinkedIssues(sources: IssueSources): number[] {
  const said = [...proseOf(sources.body), sources.title].flatMap(text => closedIn(text, sources));
  const numbers = [...sources.closing, ...said, ...namedInBranch(sources.headRef)];
  return [...new Set(numbers)].filter(isIssueNumber).slice(0, MAX_LINKED_ISSUES);
}

/** `feature/12-title`, `12-title`, `issue-12`, `fix/issue_12_title`, `gh-12`. */
export function namedInBranch(branch: string): number[] {
  const named = /(?:^|[/_-])(?:issues?|gh)[-_/#]?(\d{1,9})(?=$|[^0-9a-z.])/i.exec(branch);
  const numbered = /(?:^|\/)(\d{1,9})[-_][^/]*$/.exec(branch);
  const number = Number((named ?? numbered)?.[1]);
  return isIssueNumber(number) && !looksLikeDate(branch) ? [number] : [];
}

/** Keywords that GitHub knows, with a colon or without. A list goes on after commas and `and`. */
const KEYWORD = /(?<![\p{L}\p{N}_/.-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?::\s{0,5}|\s{1,5})/giu;
const JOINER =
  /(?:\s{0,3},\s{0,3}(?:and\s{1,3})?|\s{1,3}(?:and|&)\s{1,3})(?:(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s{1,3})?/iy;
const MAX_ISSUES_A_KEYWORD = 20;

function closedIn(text: string, sources: IssueSources): number[] {
  const reference = toReferencePattern(sources);
  const numbers: number[] = [];
  for (const keyword of text.matchAll(KEYWORD)) {
    let at = keyword.index + keyword[0].length;
    for (let count = 0; count < MAX_ISSUES_A_KEYWORD; count++) {
      const found = matchAt(reference, text, at);
      if (found === null) break;
      const { short, url, own } = found.groups ?? {};
      const number = Number(short ?? url ?? own);
      if (isIssueNumber(number)) numbers.push(number);
      const next = matchAt(JOINER, text, at + found[0].length);
      if (next === null) break;
      at += found[0].length + next[0].length;
    }
  }
  return numbers;
}

/** This repository's forms are captured; another repository's are recognised, so that a list goes on after them. */
function toReferencePattern({ repository, serverUrl }: IssueSources): RegExp {
  const own = quote(repository);
  const address = quote(`${serverUrl.replace(/\/+$/, '')}/${repository}/issues/`);
  const forms = [
    String.raw`\[?(?:#|GH-)(?<short>\d{1,9})`,
    String.raw`${own}#(?<own>\d{1,9})`,
    String.raw`<?${address}(?<url>\d{1,9})(?:[#?][^\s)>]{0,200})?>?`,
    String.raw`[\w.-]{1,100}\/[\w.-]{1,100}#\d{1,9}`,
    String.raw`https?:\/\/[^\s)>]{1,300}`,
  ];
  return new RegExp(`(?:${forms.join('|')})(?![\\p{L}\\p{N}_])`, 'iuy');
}

const quote = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The text of each block, with code and comments taken out. */
function proseOf(markdown: string): string[] {
  const texts: string[] = [];
  const visit = (node: Nodes, depth: number): void => {
    if (depth > MAX_DEPTH || node.type === 'code') return;
    if (node.type === 'html') texts.push(withoutHidden(node.value));
    else if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') {
      const parts = node.children.map(child => (child.type === 'text' ? child.value : ' \0 '));
      texts.push(withoutHidden(parts.join('')));
    } else if ('children' in node) for (const child of node.children) visit(child, depth + 1);
  };
  visit(parseMarkdown(markdown.slice(0, MAX_BODY_CHARS)), 0);
  return texts;
}

const withoutHidden = (text: string): string =>
  text.replace(/<!--[\s\S]*?(?:-->|$)/g, ' \0 ').replace(/<(pre|code)\b[^<>]{0,200}>[\s\S]*?(?:<\/\1>|$)/gi, ' \0 ');

const MAX_BODY_CHARS = 65_536;
const MAX_DEPTH = 30;

const isIssueNumber = (number: number): boolean => Number.isInteger(number) && number > 0 && number < 2 ** 31;

/** `2026-11-30-title`: no issue. */
const looksLikeDate = (branch: string): boolean => /(?:^|\/)(?:19|20)\d\d[-_](?:0[1-9]|1[0-2])[-_]/.test(branch);
