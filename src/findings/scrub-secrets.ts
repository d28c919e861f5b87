import type { RawFinding } from '../core/finding.ts';
import type { MergedFinding } from './merge.ts';
import { SECRET_WEAKNESSES } from './noise.ts';
import { isSecret } from './quiet.ts';

/** Masks secrets by their look. */
export type Redact = (text: string) => string;

export interface Scrubber {
  /** A text of the finding (title, message, help) without any secret. */
  scrub(text: string, finding: MergedFinding): string;
  /** The matched text as it may be shown. */
  snippet(finding: MergedFinding): string;
}

/** Stands for what is masked in a text that keeps its beginning. */
export const MASK = '****';
const KEPT = 4;
/** Shorter pieces of a matched text are words of the code around the secret. */
const MIN_PIECE = 8;
/** Secrets also looked for inside words; beyond these, whole words alone are compared. */
const MAX_SOUGHT_INSIDE = 500;
/** Longer texts are cut before they are searched; the report shows far less of them. */
const MAX_TEXT_CHARS = 8_192;

/**
 * Knows every text that gitleaks marked in this run: what gitleaks hides in its own finding, a linter beside it must not
 * print. Texts of hard-coded credentials lose their string literals too, which is where such a secret stands.
 */
export function createScrubber(findings: readonly MergedFinding[], redact: Redact): Scrubber {
  const secrets = listSecrets(findings.flatMap(finding => finding.members));
  const words = new Set(secrets);
  const inside = secrets.slice(0, MAX_SOUGHT_INSIDE);
  const maskKnown = (text: string): string => {
    let shown = text.slice(0, MAX_TEXT_CHARS);
    if (secrets.length === 0) return shown;
    for (const secret of inside) if (shown.includes(secret)) shown = shown.replaceAll(secret, maskText(secret));
    return shown.replace(WORD, word => (words.has(word) ? maskText(word) : word));
  };
  const scrub = (text: string, finding: MergedFinding): string => {
    const known = maskKnown(text);
    return redact(isCredential(finding) ? maskLiterals(known) : known);
  };
  return {
    scrub,
    snippet: finding =>
      finding.members.some(member => member.tool === 'gitleaks')
        ? redact(maskText(finding.primary.matchedText.trim()))
        : scrub(finding.primary.matchedText, finding),
  };
}

/** The first four characters at most, and no more than a quarter of a short text. */
export function maskText(secret: string): string {
  const points = [...secret.slice(0, 64)];
  return `${points.slice(0, Math.min(KEPT, Math.floor(points.length / 4))).join('')}${MASK}`;
}

/** What gitleaks marked, whole and word by word; longest first, so that no secret is left half masked. */
export function listSecrets(raw: readonly RawFinding[]): string[] {
  const secrets = new Set<string>();
  for (const { tool, matchedText } of raw) {
    if (tool !== 'gitleaks') continue;
    const text = matchedText.trim();
    if (text.length >= MIN_PIECE) secrets.add(text);
    for (const match of text.matchAll(WORD)) {
      const after = match.index + match[0].length;
      if (match[0].length >= MIN_PIECE && !ASSIGNS.test(text.slice(after, after + 16))) secrets.add(match[0]);
    }
  }
  return [...secrets].sort((a, b) => b.length - a.length);
}

/** String literals in what scanners call a hard-coded credential; many of them are none. */
export function listLiterals(raw: readonly RawFinding[]): string[] {
  const literals = new Set<string>();
  for (const { cwe, matchedText } of raw) {
    if (!cwe.some(isCredentialWeakness)) continue;
    for (const [, , inner] of matchedText.matchAll(LITERAL)) if (inner !== undefined) literals.add(inner);
  }
  return [...literals];
}

const WORD = /[^\s"'`=:;,()<>]+/g;

/** What follows a name and not a value: a sign and then a value. Padding of base64 has none behind it. */
const ASSIGNS = /^["'`]?\s*(?:={1,3}|:=?|=>)\s*["'`]?[^\s"'`=;,)]/;

const isCredentialWeakness = (id: string): boolean => id === 'CWE-259' || SECRET_WEAKNESSES.includes(id);

const isCredential = (finding: MergedFinding): boolean => isSecret(finding) || finding.cwe.some(isCredentialWeakness);

const LITERAL = /(["'`])((?:\\.|(?!\1)[^\\\n]){3,}?)\1/g;

/** String literals of three or more characters keep their quotes alone. */
export const maskLiterals = (text: string): string =>
  text.replace(LITERAL, (whole, quote: string, inner: string) =>
    inner.includes(MASK) ? whole : `${quote}${maskText(inner)}${quote}`,
  );
