import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { findSecrets, redact, type SecretRegistry } from '../core/secrets.ts';

/**
 * Output of a program as a recording keeps it: readable, with a mark where a secret stood. What a mark hides is encrypted
 * with a key that only somebody can derive who has what the program read, and so has the secret anyway.
 */
export const SealedText = z.strictObject({
  text: z.string(),
  /** UTF-16 offset and length of each mark in `text`, in order, and what stood there. */
  hidden: z.array(z.strictObject({ at: z.int().nonnegative(), length: z.int().nonnegative(), sealed: z.base64() })),
});
export type SealedText = z.infer<typeof SealedText>;

/** Beyond these nobody searches; the output is hidden as a whole. */
const MAX_SEARCHED_BYTES = 8 * 1024 * 1024;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Hides every secret in the bytes; all of them where they are no text, or where `secrets` is null. `key` has 32 bytes. */
export function sealText(bytes: Buffer, key: Buffer, secrets: SecretRegistry | null): SealedText {
  if (bytes.length === 0) return { text: '', hidden: [] };
  const whole = { text: '', hidden: [{ at: 0, length: 0, sealed: seal(bytes, key) }] };
  if (secrets === null || bytes.length > MAX_SEARCHED_BYTES) return whole;
  const raw = bytes.toString('utf8');
  if (!Buffer.from(raw, 'utf8').equals(bytes)) return whole;
  const hidden: SealedText['hidden'] = [];
  let text = '';
  let from = 0;
  for (const { kind, start, end, keep } of findSecrets(raw, secrets)) {
    text += raw.slice(from, start + keep);
    const mark = `[redacted:${kind}]`;
    hidden.push({ at: text.length, length: mark.length, sealed: seal(Buffer.from(raw.slice(start + keep, end)), key) });
    text += mark;
    from = end;
  }
  text += raw.slice(from);
  // Behind a mark the rest of a text may look like a secret of its own.
  return redact(text, secrets) === text ? { text, hidden } : whole;
}

/** The very bytes that were sealed; throws when the key is another or the text was changed around its marks. */
export function openText({ text, hidden }: SealedText, key: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { at, length, sealed } of hidden) {
    if (at < from || at + length > text.length) throw new Error('a mark that stands outside the text');
    parts.push(Buffer.from(text.slice(from, at)), open(sealed, key));
    from = at + length;
  }
  parts.push(Buffer.from(text.slice(from)));
  return Buffer.concat(parts);
}

function seal(bytes: Buffer, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
}

function open(sealed: string, key: Buffer): Buffer {
  const bytes = Buffer.from(sealed, 'base64');
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}
