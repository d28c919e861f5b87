import { findSecrets, type SecretRegistry } from '../core/secrets.ts';

const MAX_PASSES = 8;

/**
 * The text with every secret replaced by `[redacted:<kind>]` and every line where it was: a secret of several lines leaves
 * as many line ends behind, so that line numbers still hold. Redacting twice changes nothing more.
 */
export function redactLines(text: string, registry?: SecretRegistry): string {
  let shown = text;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const secrets = findSecrets(shown, registry);
    if (secrets.length === 0) break;
    const parts: string[] = [];
    let from = 0;
    for (const { kind, start, end, keep } of secrets) {
      const lineEnds = shown.slice(start + keep, end).replace(/[^\n]+/g, '');
      parts.push(shown.slice(from, start + keep), `[redacted:${kind}]`, lineEnds);
      from = end;
    }
    shown = parts.join('') + shown.slice(from);
  }
  return shown;
}
