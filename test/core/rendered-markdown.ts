import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** What GitHub's dialect makes of a comment: raw HTML shows, so that a test can find it. */
export const toHtml = (markdown: string): string =>
  micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });

/** The text nodes outside code, each on its own: GitHub looks in them for mentions and references. */
export function textNodes(html: string): string[] {
  const withoutCode = html.replace(/<pre>[\s\S]*?<\/pre>|<code[^>]*>[\s\S]*?<\/code>/g, '<x>');
  return withoutCode.split(/<[^>]*>/).map(decode);
}

const decode = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Everything in rendered text that GitHub would act upon; empty for safe text. */
export function activeParts(html: string): string[] {
  const found: string[] = [];
  for (const tag of html.match(/<\/?[a-z][^>]*>|<!--/gi) ?? []) if (!HARMLESS.test(tag)) found.push(tag);
  for (const node of textNodes(html)) {
    for (const active of node.match(ACTIVE) ?? []) found.push(active);
  }
  return found;
}

const HARMLESS =
  /^<\/?(?:p|em|strong|code|pre|ul|ol|li|del|br|blockquote)(?: class="language-[\w+#-]*"| start="\d+")?(?: \/)?>$/;
const ACTIVE =
  /(?<![A-Za-z0-9_`])@[A-Za-z0-9][\w-]*|(?:[\w.-]+\/[\w.-]+)?#\d+|(?<![A-Za-z0-9])GH-\d+|(?<![A-Za-z0-9])[0-9a-f]{7,40}(?![A-Za-z0-9])|https?:\/\/|www\.|[\w.+-]+@[\w-]+\.\w/gi;
