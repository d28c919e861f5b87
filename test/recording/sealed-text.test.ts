import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SecretRegistry } from '../../src/core/secrets.ts';
import { openText, SealedText, sealText } from '../../src/recording/sealed-text.ts';

const SECRET = 'correct-horse-battery';
const key = randomBytes(32);
const secrets = new SecretRegistry().add(SECRET);
const seal = (text: string | Buffer) => sealText(Buffer.from(text as string), key, secrets);

describe('a sealed text', () => {
  test('is readable but for its secrets, and opens to the very bytes', () => {
    const raw = `{"code": "password = \\"${SECRET}\\"", "again": "${SECRET}", "line": 3}\n`;
    const sealed = seal(raw);
    expect(sealed.text).toContain('password = \\"[redacted:known-secret]\\"');
    expect(sealed.text).toContain('"line": 3}');
    expect(sealed.hidden).toHaveLength(2);
    expect(JSON.stringify(sealed)).not.toContain(SECRET);
    expect(openText(sealed, key).toString()).toBe(raw);
  });

  test('hides a secret in every form that a program may print, and what looks like one', () => {
    const token = ['ghp', '_', 'Zk3Vq9Lm2Xw8Rt5Yp7', 'Nb4Hc6Df1Gs0JaTuWe'].join('');
    const raw = `${Buffer.from(SECRET).toString('hex')} ${Buffer.from(SECRET).toString('base64')} ${token}`;
    const shown = JSON.stringify(seal(raw));
    for (const form of [Buffer.from(SECRET).toString('hex'), token, token.slice(4)]) expect(shown).not.toContain(form);
    expect(openText(seal(raw), key).toString()).toBe(raw);
  });

  test('hides what is no text as a whole, and everything where nobody can search', () => {
    const binary = Buffer.from([0xff, 0xfe, ...Buffer.from(SECRET)]);
    expect(seal(binary).text).toBe('');
    expect(openText(seal(binary), key)).toEqual(binary);
    const blind = sealText(Buffer.from('plain'), key, null);
    expect(blind.text).toBe('');
    expect(openText(blind, key).toString()).toBe('plain');
    expect(seal('')).toEqual({ text: '', hidden: [] });
  });

  test('opens with its own key only, and not when its seal was changed', () => {
    const sealed = seal(`a ${SECRET} b`);
    expect(() => openText(sealed, randomBytes(32))).toThrow();
    const [first] = sealed.hidden;
    const bent = { ...sealed, hidden: [{ at: 0, length: 0, ...first, sealed: 'AAAA' }] };
    expect(() => openText(bent, key)).toThrow();
    const outside = { ...sealed, hidden: [{ ...first, at: 999, length: 1, sealed: '' }] };
    expect(() => openText(outside, key)).toThrow('outside the text');
  });

  test('of any bytes opens to them, after a way through JSON', () => {
    const pieces = fc.oneof(
      fc.string({ unit: 'binary' }).map(text => Buffer.from(text)),
      fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes)),
      fc
        .constantFrom(SECRET, '[redacted:known-secret]', 'token = "', '-----BEGIN RSA PRIVATE KEY-----', '\n')
        .map(text => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), parts => {
        const bytes = Buffer.concat(parts);
        const kept = SealedText.parse(JSON.parse(JSON.stringify(sealText(bytes, key, secrets))));
        expect(kept.text).not.toContain(SECRET);
        expect(openText(kept, key).equals(bytes)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
