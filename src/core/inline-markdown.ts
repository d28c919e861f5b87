import { toVisibleText } from './visible-text.ts';

/** Zero-width space as an entity: parts a mention, reference or address so that GitHub does not see it. */
const PART = '&#8203;';

export interface InlineOptions {
  /** Links below this address stay links. */
  readonly repositoryUrl?: string | undefined;
  /** Whether `*` and `_` keep their meaning. */
  readonly emphasis: boolean;
}

/**
 * One line of untrusted text as markdown; code spans and emphasis stay. Raw backticks in the result always stand in
 * balanced pairs, and no table can form, so that GitHub finds code spans exactly where we put them.
 */
export function sanitizeInline(line: string, options: InlineOptions): string {
  const joiner = new Joiner();
  let textFrom = 0;
  for (const span of codeSpansOf(line)) {
    appendText(joiner, line.slice(textFrom, span.start), options);
    joiner.add(codeSpan(span.content));
    textFrom = span.end;
  }
  appendText(joiner, line.slice(textFrom), options);
  return joiner.text;
}

/** Untrusted text on one line with no markup at all, fit for table cells, link texts and HTML elements. */
export function escapeInline(text: string): string {
  const line = toVisibleText(text).replace(/\s+/g, ' ').trim();
  return line.replace(TOKEN, plainToken).replace(/^(?=\/|[-+](?:\s|$)|[-+=:\s]+$|\d{1,9}[.)](?:\s|$))/, PART);
}

/** A code span that shows the text as it is, on one line; empty text gives an empty string. */
export function codeSpan(text: string): string {
  const line = toVisibleText(text)
    .replace(/<!--(?=\s*cypherfix)/gi, '<! --')
    .replace(/\n/g, ' ');
  if (line.trim() === '') return '';
  const fence = '`'.repeat(longestBackticks(line) + 1);
  const pad = /^`|`$|^ .* $/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Length of the longest run of backticks. */
export function longestBackticks(text: string): number {
  let longest = 0;
  for (const run of text.matchAll(/`+/g)) longest = Math.max(longest, run[0].length);
  return longest;
}

const KEPT = '&(?:amp|lt|gt|#(?:8203|36|42|91|92|95|96|124|126));';
const REFERENCES = `(?:[@#]|(?<![a-z0-9])GH-)(?!${PART})|(?<![a-z0-9])[0-9a-f]{7,64}(?![a-z0-9])`;
const SIGNS = '~{3,}|[&<>[$|\\\\`*_~]';

/** What means something to GitHub's markdown or to the filters behind it. */
const TOKEN = new RegExp(`${KEPT}|(?:https?|ftp|mailto|xmpp):(?!${PART})|www\\.|${REFERENCES}|${SIGNS}`, 'gi');

function plainToken(token: string): string {
  if (isKeptEntity(token)) return token;
  if (/^[0-9a-f]{7,}$/i.test(token)) return token.replace(/.{6}(?=.)/g, `$&${PART}`);
  return /^[*_~]+$/.test(token) ? toEntities(token) : inertToken(token);
}

function markdownToken(token: string, { emphasis }: InlineOptions): string {
  if (isKeptEntity(token)) return token;
  if (/^[0-9a-f]{7,}$/i.test(token)) return codeSpan(token);
  return emphasis && /^[*_~]$/.test(token) ? token : inertToken(token);
}

function inertToken(token: string): string {
  if (token === '&') return '&amp;';
  if (token === '<') return '&lt;';
  if (token === '>') return '&gt;';
  if (/^(?:[@#]|GH-)$/i.test(token) || token.endsWith(':')) return token + PART;
  return /^www\.$/i.test(token) ? `${token.slice(0, 3)}${PART}.` : toEntities(token);
}

const isKeptEntity = (token: string): boolean => token.length > 1 && token.startsWith('&');
const toEntities = (text: string): string => text.replace(/./g, c => `&#${c.charCodeAt(0)};`);

/** Collects pieces. Two code spans that touch would read as one, and `!` before a link makes an image: they are parted. */
class Joiner {
  readonly #pieces: string[] = [];
  #end = '';

  add(piece: string): void {
    if (piece === '') return;
    if ((this.#end === '`' && piece.startsWith('`')) || (this.#end === '!' && piece.startsWith('[')))
      this.#pieces.push(PART);
    this.#pieces.push(piece);
    this.#end = piece.slice(-1);
  }

  /** Keeps what comes next from continuing the word before it. */
  part(): void {
    if (/[^\s;]/.test(this.#end)) this.add(PART);
  }

  get text(): string {
    return this.#pieces.join('');
  }
}

/** A link or image, or a bare address. */
const LINK =
  /!?\[(?<label>[^[\]`]{0,300})\]\((?<target>[^\s()<>`]{1,2000})(?: "[^"`]{0,300}")?\)|(?:https?|ftp):\/\/[^\s<>`[\]|\\]+/gi;

function appendText(joiner: Joiner, text: string, options: InlineOptions): void {
  let from = 0;
  for (const link of text.matchAll(LINK)) {
    joiner.add(toInert(text.slice(from, link.index), options));
    if (link.groups?.['target'] === undefined) appendAddress(joiner, link[0], options);
    else appendLink(joiner, link, options);
    from = link.index + link[0].length;
  }
  joiner.add(toInert(text.slice(from), options));
}

const toInert = (text: string, options: InlineOptions): string =>
  text.replace(TOKEN, token => markdownToken(token, options));

function appendLink(joiner: Joiner, link: RegExpExecArray, options: InlineOptions): void {
  const { label = '', target = '' } = link.groups ?? {};
  const href = link[0].startsWith('!') ? undefined : linkBelow(target, options.repositoryUrl);
  if (href !== undefined) joiner.add(`[${escapeInline(label) || 'link'}](${href})`);
  else if (label.trim() === '') joiner.add(codeSpan(target));
  else {
    joiner.part();
    joiner.add(toInert(`${label} (`, options));
    joiner.add(codeSpan(target));
    joiner.add(')');
  }
}

function appendAddress(joiner: Joiner, token: string, options: InlineOptions): void {
  const address = /^.*[^.,;:!?)'"*_~]/.exec(token)?.[0] ?? token;
  const href = linkBelow(address, options.repositoryUrl);
  joiner.add(href === undefined ? codeSpan(address) : `[${escapeInline(address)}](${href})`);
  joiner.add(toInert(token.slice(address.length), options));
}

/** Pages whose mere address makes GitHub write a note into another thread's history. */
const CROSS_REFERENCE = /^\/(?:issues|pull|pulls|commit|commits|discussions|compare)(?:\/|$)/i;

/** The address when it lies below the repository and is no reference to an issue, pull request or commit. */
function linkBelow(address: string, repositoryUrl: string | undefined): string | undefined {
  if (repositoryUrl === undefined || !/^[\w\-./~%?=#:+,]+$/.test(address) || !URL.canParse(address)) return undefined;
  const { href } = new URL(address);
  const base = repositoryUrl.replace(/\/+$/, '');
  if (!href.startsWith(`${base}/`) || CROSS_REFERENCE.test(href.slice(base.length))) return undefined;
  return href;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly content: string;
}

/** Code spans of one line as CommonMark finds them: a run of backticks closes with the next run of equal length. */
function codeSpansOf(line: string): Span[] {
  const runs = [...line.matchAll(/`+/g)];
  const nextAlike = new Array<number>(runs.length);
  const last = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at--) {
    const length = runs[at]?.[0].length ?? 0;
    nextAlike[at] = last.get(length) ?? -1;
    last.set(length, at);
  }
  const spans: Span[] = [];
  for (let at = 0; at < runs.length; at++) {
    const [open, close] = [runs[at], runs[nextAlike[at] ?? -1]];
    if (open === undefined || close === undefined) continue;
    const content = line.slice(open.index + open[0].length, close.index);
    if (content.trim() !== '') {
      const padded = /^ .*[^ ].* $/.test(content);
      spans.push({
        start: open.index,
        end: close.index + close[0].length,
        content: padded ? content.slice(1, -1) : content,
      });
    }
    at = nextAlike[at] ?? at;
  }
  return spans;
}
