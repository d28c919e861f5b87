import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSecrets, redact, SecretRegistry } from '../../src/core/secrets.ts';

const letters = (length: number): string =>
  'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xYzAbCd'.repeat(Math.ceil(length / 34)).slice(0, length);
const upper = (length: number): string => 'ABCDEFGH234567QRSTUVWX'.repeat(4).slice(0, length);
const hex = (length: number): string => '0123456789abcdef'.repeat(8).slice(0, length);

// Assembled here, so that no scanner finds a token in this file.
const TOKENS: readonly [kind: string, token: string][] = [
  ['github-token', `ghp_${letters(36)}`],
  ['github-token', `ghs_${letters(20)}.${letters(20)}-${letters(10)}_x`],
  ['github-token', `github_pat_${letters(60)}`],
  ['gitlab-token', `glpat-${letters(20)}`],
  ['aws-access-key', `AKIA${upper(16)}`],
  ['google-key', `AIza${letters(35)}`],
  ['slack-token', `xoxb-${letters(24)}`],
  ['stripe-key', `sk_live_${letters(24)}`],
  ['anthropic-key', `sk-ant-api03-${letters(40)}`],
  ['openai-key', `sk-proj-${letters(48)}`],
  ['npm-token', `npm_${letters(36)}`],
  ['pypi-token', `pypi-${letters(60)}`],
  ['sendgrid-key', `SG.${letters(22)}.${letters(43)}`],
  ['digitalocean-token', `dop_v1_${hex(64)}`],
  ['jwt', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${letters(43)}`],
];

describe('shapes of tokens', () => {
  it.each(TOKENS)('masks %s and keeps at most four characters', (kind, token) => {
    const text = `x = f("${token}") # end`;
    expect(redact(text)).toBe(`x = f("${token.slice(0, 4)}[redacted:${kind}]") # end`);
    expect(findSecrets(text).map(m => text.slice(m.start, m.end))).toEqual([token]);
  });

  it('masks a whole private key block, and one that is cut off', () => {
    const body = `${letters(64)}\n${letters(64)}\n`;
    const begin = ['-----BEGIN', 'RSA PRIVATE', 'KEY-----'].join(' ');
    expect(redact(`a\n${begin}\n${body}-----END RSA PRIVATE KEY-----\nb`)).toBe('a\n[redacted:private-key]\nb');
    expect(redact(`key = """${begin}\n${body}`)).toBe('key = """[redacted:private-key]');
  });

  it.each([
    ['password = "hunter2x"', 'password = "[redacted:password]"'],
    ["Possible hardcoded password: 'hunter2'", "Possible hardcoded password: '[redacted:password]'"],
    ['DB_PASSWORD=s3cretvalue9', 'DB_PASSWORD=[redacted:password]'],
    ['api_key: str = "abcdef"', 'api_key: str = "[redacted:password]"'],
    ['{"client_secret": "zzzyyyxxx1"}', '{"client_secret": "[redacted:password]"}'],
    ['postgres://app:pa55word@db/x', 'postgres://app:[redacted:url-password]@db/x'],
    [`Authorization: Bearer ${letters(30)}`, 'Authorization: Bearer [redacted:authorization]'],
    [`aws_secret_access_key = ${letters(40)}`, 'aws_secret_access_key = [redacted:aws-secret-key]'],
    [`https://hooks.slack.com/services/T0/${letters(24)}`, 'https://hooks.slack.com/services/[redacted:slack-webhook]'],
  ])('masks the value in %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    'password = getPassword1()',
    'password = hashlib.md5(x)',
    'const token = process.env.API_TOKEN1;',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the case
    'github-token: ${{ secrets.GITHUB_TOKEN }}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the case
    'password = "${DB_PASSWORD}"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the case
    'postgres://${user}:${password}@db/x',
    '"password": "Enter your password here"',
    'risk-assessment-of-2026-and-later-years',
    'secrets: inherit',
    'password: "********"',
    'see https://example.test:8443/a@b',
  ])('leaves %s alone', text => {
    expect(redact(text)).toBe(text);
  });
});

describe('secrets of this run', () => {
  const secret = 'tok/en+with&odd=chars"é';
  const registry = new SecretRegistry().add(secret).add('short').add(undefined).add('line one of it\nline two of it');

  it('masks raw, URL-encoded, JSON-escaped and hexadecimal forms', () => {
    const forms = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('hex'),
    ];
    for (const form of forms) expect(redact(`<${form}>`, registry)).toBe('<[redacted:known-secret]>');
  });

  it('masks base64 whatever stands before and after the secret', () => {
    for (const lead of ['', 'a', 'ab', 'x-access-token:']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const encoded = Buffer.from(`${lead}${secret}`).toString(encoding);
        const shown = redact(`basic-auth ${encoded}`, registry);
        expect(shown).toContain('[redacted:known-secret]');
        expect(Buffer.from(shown.split(' ')[1]?.split('[')[0] ?? '', encoding).toString()).not.toContain(
          secret.slice(0, 4),
        );
      }
    }
  });

  it('masks each line of a secret of several lines, and nothing for a short one', () => {
    expect(redact('only line two of it here, short', registry)).toBe('only [redacted:known-secret] here, short');
  });
});

describe('properties', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...TOKENS.map(([, token]) => token),
      'password=',
      '"',
      "'",
      ' ',
      '\n',
      '[redacted:password]',
      ':',
      '://a:',
      '@',
      '[',
      ']',
    ),
    fc.string({ maxLength: 12 }),
  );

  it('redacting twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const once = redact(pieces.join(''));
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('never lets a token through whole', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom(...TOKENS), (around, [, token]) => {
        expect(redact(`${around.join('')} ${token} ${around.join('')}`)).not.toContain(` ${token} `);
      }),
      { numRuns: 1000 },
    );
  });

  it('registered secrets never come out', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 40 }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(secret.trim().length >= 6 && !'[redacted:known-secret]'.includes(secret.trim()));
        const shown = redact(`${before}${secret}${after}`, new SecretRegistry().add(secret));
        expect(shown.includes(secret.trim())).toBe(false);
      }),
    );
  });
});

describe('hostile lines of one megabyte', () => {
  const begin = ['-----BEGIN', 'PRIVATE', 'KEY-----'].join(' ');
  const fill = (unit: string): string => unit.repeat(Math.ceil(1_000_000 / unit.length));
  it.each([
    'a',
    'eyJ',
    'eyJa.',
    'ghp_',
    'ghs_.',
    'AKIA',
    'xoxb-',
    'sk-',
    'sk-a',
    'password',
    'password:',
    'password = ',
    'token_"\'  ',
    'aws',
    'awskey',
    'aws key=',
    '://',
    '://a:',
    ':',
    '/',
    '-----BEGIN ',
    begin,
    `${begin}\n-----END`,
    'bearer ',
    'pwd:a:',
    '=',
    '[redacted:password]',
    '1:AA',
    'SG.',
    'password=aaaaaaa(',
  ])('takes %j', unit => {
    const text = fill(unit);
    const started = performance.now();
    redact(text);
    expect(performance.now() - started).toBeLessThan(4000);
  });
});
