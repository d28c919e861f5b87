import { longestBackticks, sanitizeInline } from './inline-markdown.ts';
import { toVisibleText } from './visible-text.ts';

export { codeSpan, escapeInline as plainText } from './inline-markdown.ts';
export {
  countInvisible,
  escapeCommandData,
  escapeCommandProperty,
  escapeWorkflowCommand,
  stripInvisible,
  toSafeLine,
  toVisibleText,
} from './visible-text.ts';

export interface SanitizeOptions {
  /** `https://github.com/owner/name`: links below it stay links, all others become text. None given: no link stays. */
  readonly repositoryUrl?: string | undefined;
}

/**
 * Untrusted text as GitHub markdown of several lines. Code, emphasis and lists keep their form; mentions, images,
 * foreign links, references to issues and commits, HTML, comments (our markers above all), tables, headings, quotes and
 * slash commands become plain text. Fences are closed. Sanitising twice changes nothing more.
 */
export function sanitizeMarkdown(text: string, options: SanitizeOptions = {}): string {
  const lines = toVisibleText(text).split('\n');
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = openFence(lines[at] ?? '');
    if (fence === undefined) {
      const line = sanitizeLine(lines[at] ?? '', options);
      if (line !== '' || blocks.at(-1) !== '') blocks.push(line);
      continue;
    }
    const start = at + 1;
    at = closingLine(lines, start, fence);
    blocks.push(codeFence(lines.slice(start, at).join('\n'), fence.language));
  }
  return blocks.join('\n').trim();
}

/** Untrusted text as one line of GitHub markdown: code spans stay, all else is as it reads; fit to stand in bold. */
export function sanitizeTitle(text: string): string {
  return sanitizeInline(toVisibleText(text).replace(/\s+/g, ' ').trim(), { emphasis: false });
}

/** A fenced block whose fence is longer than any run of backticks in the text. A language that GitHub would act on is dropped. */
export function codeFence(text: string, language = ''): string {
  const body = toFenceBody(text);
  const fence = '`'.repeat(Math.max(3, longestBackticks(body) + 1));
  return `${fence}${safeLanguage(language)}\n${body}${body === '' ? '' : '\n'}${fence}`;
}

interface Fence {
  readonly mark: string;
  readonly language: string;
}

function openFence(line: string): Fence | undefined {
  const [, mark, language] = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line) ?? [];
  return mark === undefined ? undefined : { mark, language: language ?? '' };
}

/** Index of the line that closes the fence; one past the end when none does. */
function closingLine(lines: readonly string[], from: number, { mark }: Fence): number {
  const closing = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`);
  let at = from;
  while (at < lines.length && !closing.test(lines[at] ?? '')) at++;
  return at;
}

function sanitizeLine(line: string, { repositoryUrl }: SanitizeOptions): string {
  const [, indent = '', text = ''] = /^([ \t]*)(.*)$/.exec(line) ?? [];
  const inline = sanitizeInline(text.trimEnd(), { repositoryUrl, emphasis: true });
  if (inline === '') return '';
  // Four spaces would make a block of code, which shows our entities raw; a line of dashes makes a rule or a table.
  const lead = ' '.repeat(Math.min(3, indent.replaceAll('\t', '    ').length));
  return /^[-=+*_:\s]+$|^\//.test(inline) ? `${lead}&#8203;${inline}` : lead + inline;
}

/** GitHub draws these or, for a suggestion, offers to commit them; our own suggestions do not come through here. */
const ACTIVE_LANGUAGES = new Set(['suggestion', 'mermaid', 'math', 'geojson', 'topojson', 'stl']);

function safeLanguage(language: string): string {
  const word = /^[A-Za-z0-9+#_-]{1,20}(?=\s|$)/.exec(language.trim())?.[0] ?? '';
  return ACTIVE_LANGUAGES.has(word.toLowerCase()) ? '' : word;
}

/** Inside a fence nothing is drawn, but programs that search comments for markers and commands read it all the same. */
function toFenceBody(text: string): string {
  return toVisibleText(text)
    .replace(/<!--(?=\s*cypherfix)/gi, '<! --')
    .replace(/^\/(?=[a-z])/gim, ' /')
    .replace(/\n+$/, '');
}
