import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashEvidence, MAX_BUNDLE_LENGTH, renderEvidence } from '../../src/risk/evidence.ts';
import { redactEvidence } from '../../src/risk/redact.ts';

const X = (count: number): string => 'x'.repeat(count);

describe('what is masked', () => {
  test.each([
    ['sk-', `sk-${X(20)}`, `sk-x[REDACTED 23 chars]`],
    ['sk- too short', `sk-${X(19)}`, `sk-${X(19)}`],
    ['glpat-', `glpat-${X(20)}`, 'glpa[REDACTED 26 chars]'],
    ['xox', `xoxb-${X(10)}`, 'xoxb[REDACTED 15 chars]'],
    ['xox of another kind', `xoxz-${X(10)}`, `xoxz-${X(10)}`],
    ['hf_', `hf_${X(30)}`, 'hf_x[REDACTED 33 chars]'],
    ['AKIA', 'an AKIAABCDEFGHIJKLMNOP.', 'an AKIA[REDACTED 20 chars].'],
    ['AKIA with more behind', 'AKIAABCDEFGHIJKLMNOPQ', 'AKIAABCDEFGHIJKLMNOPQ'],
    ['AKIA with more before', 'éAKIAABCDEFGHIJKLMNOP', 'éAKIAABCDEFGHIJKLMNOP'],
    ['glued AIza keys', `AIza${X(35)}AIza${X(35)}`, 'AIza[REDACTED 39 chars]AIza[REDACTED 39 chars]'],
    ['a scheme over a line end, in any case', 'BEARER\n abcdefgh', 'BEARER\n abcd[REDACTED 8 chars]'],
    ['a key block without an end', '-----BEGIN PRIVATE KEY-----\nMII\n', '----[REDACTED 31 chars]\n'],
    [
      'a header after \\r\\n',
      'a: b\r\nX-Api-Token: 12345678\r\nc: d',
      'a: b\r\nX-Api-Token: 1234[REDACTED 8 chars]\r\nc: d',
    ],
    ['a header after blanks', ' \tCookie: sid=1234567', ' \tCookie: sid=1234[REDACTED 7 chars]'],
    ['no header in the middle of a line', 'see X-Csrf: 12345678', 'see X-Csrf: 12345678'],
    ['no challenge', 'WWW-Authenticate: Negotiate', 'WWW-Authenticate: Negotiate'],
    ['an assignment', 'db_password="hunter22";', 'db_password="hunt[REDACTED 8 chars]";'],
    ['no short value', 'password=abc12', 'password=abc12'],
  ])('%s', (_, text, expected) => {
    expect(redactEvidence(text)).toBe(expected);
  });

  test('masked text is left as it is', () => {
    const text = `Authorization: Bearer ${X(30)}\nCookie: a=1234567; b=${X(9)}\npassword = hunter2222\nX-Token: ${X(12)}`;
    const once = redactEvidence(text);
    expect(redactEvidence(once)).toBe(once);
    expect(once).not.toMatch(/xxxxx|hunter/);
  });

  test.each([
    ['-----BEGIN '.repeat(20_000)],
    ['eyJ-'.repeat(50_000)],
    ['password'.repeat(25_000)],
    [`${'token'.repeat(40_000)}\n`],
    [' '.repeat(200_000)],
    [`password${' '.repeat(200_000)}`],
  ])('a long text takes linear time (%#)', text => {
    const started = performance.now();
    redactEvidence(text);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('the bundle', () => {
  test('a field is cut to its length with a mark, the bundle without one', () => {
    const row = {
      source: 'nuclei',
      name: 'n',
      extracted_results: ['a'.repeat(600)],
      raw_request: 'b'.repeat(501),
      raw_response: 'é'.repeat(3_000),
    };
    const bundle = renderEvidence(row);
    expect(bundle).toContain(`Extracted: ${'a'.repeat(500)} [...]\n`);
    expect(bundle).toContain(`Request: ${'b'.repeat(500)} [...]\n`);
    expect([...bundle]).toHaveLength(MAX_BUNDLE_LENGTH);
    expect(bundle.endsWith('é')).toBe(true);
    expect(renderEvidence({ source: 'nuclei', raw_request: 'b'.repeat(500) })).toBe(
      `Source: nuclei\nRequest: ${'b'.repeat(500)}\n`,
    );
  });

  test('headers that change from answer to answer are left out', () => {
    const raw_response =
      'HTTP/1.1 200 OK\r\nDate: now\r\n  ETag: "x"\r\nX-Amz-Cf-Id: 1\r\nX-Amz-Request-Id-2: 1\r\nServer: nginx\r\n\r\n\r\n\r\nbody    end';
    expect(renderEvidence({ source: 'nuclei', raw_response })).toBe(
      'Source: nuclei\nResponse: HTTP/1.1 200 OK\r\nServer: nginx\r\n\r\n\r\n\r\nbody  end\n',
    );
  });

  test.each([
    ['a', 'a***(1 chars)'],
    ['12345678', '1***(8 chars)'],
    ['123456789', '1234...89 (9 chars)'],
    ['😀bcdefghi😀', '😀bcd...i😀 (10 chars)'],
  ])('a secret is shown by its ends: %s', (matched_text, shown) => {
    expect(renderEvidence({ label: 'Secret', matched_text, key_type: 'aws' })).toBe(
      `Source: Secret\nValidation: never tested\nValue (redacted): ${shown}\n`,
    );
  });

  test('the place of a secret says when it looks like a test', () => {
    const noteOf = (path: string) =>
      renderEvidence({ label: 'GithubSecret', path }).includes(
        'Path note: this path looks like a test or example file.',
      );
    expect(
      ['a/Tests/x', 'x.spec.ts', 'a_test.go', 'config.example', 'src/mocked.ts', 'src/latest/a.ts'].map(noteOf),
    ).toEqual([true, true, true, true, true, false]);
  });

  test('gvm says what it knows, None for what it does not', () => {
    expect(
      renderEvidence({ source: 'gvm', qod: 70, qod_type: null, cve_ids: ['CVE-1', 'CVE-2'], target_port: 443 }),
    ).toBe('Source: gvm\nQuality of detection: 70 (None)\nCVEs: CVE-1, CVE-2\nPort: 443\n');
  });

  test('an empty finding has no evidence and no hash; others hash their bytes', () => {
    expect([renderEvidence({}), hashEvidence('')]).toEqual(['', '']);
    expect(hashEvidence('a\ud800')).toBe(createHash('sha256').update('a?').digest('hex').slice(0, 40));
  });
});
