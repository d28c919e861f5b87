/** `AC-3` in `AC-3: …`, `[AC-3] …`, `… (AC-3)`; undefined where the text carries none. A leading one goes first. */
export function parseIdentifier(text: string): string | undefined {
  const leading = /^[[(`*]*([A-Z][A-Z0-9]{1,9}-\d{1,9})(?![A-Za-z0-9_]|[-.]\d)/.exec(text)?.[1];
  if (leading !== undefined && !isStandard(leading)) return leading;
  for (const match of text.matchAll(ANYWHERE)) if (!isStandard(match[0])) return match[0];
  return undefined;
}

/**
 * A test for names that carry the identifier as a word: `-`, `_` and nothing are the same between its letters and its
 * number, its case is free where the name is written in lower case, and words also end where camel case turns.
 */
export function toNameMatcher(identifier: string): (name: string) => boolean {
  const [, letters = '', number = ''] = /^(.*)-(\d+)$/.exec(identifier) ?? [];
  // `A1-2` without its hyphen would be `A12`, which is another one.
  const joint = /\d$/.test(letters) ? '[-_]' : '[-_]?';
  const upper = new RegExp(`(?<![A-Z0-9])${letters}${joint}${number}(?![0-9]|[a-z])`, 'u');
  const anyCase = new RegExp(`(?<![\\p{L}\\p{N}])${letters}${joint}${number}(?![0-9]|\\p{Ll})`, 'iu');
  const camel = new RegExp(`(?<=\\p{Ll})${title(letters)}${joint}${number}(?![0-9]|\\p{Ll})`, 'u');
  return name => upper.test(name) || anyCase.test(name) || camel.test(name);
}

const ANYWHERE = /(?<![\p{L}\p{N}_./#-])[A-Z][A-Z0-9]{1,9}-\d{1,9}(?![\p{L}\p{N}_]|[-.]\d)/gu;

/** Names of standards and the like that look like identifiers of criteria. */
const STANDARDS = new Set(
  'AES ANSI ASCII BASE CHACHA COVID CRC CVE CWE ECMA EN ES GB GH GPT HMAC HTML HTTP IEEE IETF IP ISBN ISO JSR LATIN MD MPEG NIST OAUTH PEP PKCS RC RFC RIPEMD RS RSA SHA SSL TLS UCS UTC UTF WCAG WINDOWS'.split(
    ' ',
  ),
);

const isStandard = (identifier: string): boolean => STANDARDS.has(identifier.slice(0, identifier.lastIndexOf('-')));

const title = (letters: string): string => letters.charAt(0) + letters.slice(1).toLowerCase();
