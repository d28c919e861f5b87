import { toVisibleText } from '../core/untrusted.ts';

const ENTITY: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Untrusted text for HTML, in elements and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  toVisibleText(text).replace(/[&<>"']/g, character => ENTITY[character] ?? '');

/** Untrusted text of several lines: fenced blocks and code spans are shown as code, all else as it reads. */
export function toHtmlText(text: string): string {
  const blocks = text.trim().split(/^ {0,3}`{3,}[^`\n]*$/m);
  return blocks
    .map((block, at) => (at % 2 === 1 ? toPre(block) : toParagraph(block)))
    .filter(block => block !== '')
    .join('\n');
}

const toPre = (text: string): string => `<pre><code>${escapeHtml(text.replace(/^\n|\n$/g, ''))}</code></pre>`;

function toParagraph(text: string): string {
  const shown = text.trim();
  if (shown === '') return '';
  return `<p class="text">${escapeHtml(shown).replace(/`([^`\n]{1,500})`/g, '<code>$1</code>')}</p>`;
}
