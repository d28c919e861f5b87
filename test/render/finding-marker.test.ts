import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ReportFinding } from '../../src/core/report.ts';
import { renderFindingComment } from '../../src/render/finding-markdown.ts';
import { decodeReviewed, reviewedMarker } from '../../src/render/finding-marker.ts';
import { buildFinding } from '../publish/build-report.ts';

const reviewed = {
  reviewer: 'security',
  ruleId: 'broken-access-control/CWE-863',
  severity: 'high' as const,
  confidence: 0.9,
  cwe: ['CWE-863'],
  title: 'Whoever is called like an administrator may delete',
  quote: 'return admins.some(name => user.startsWith(name));',
};
const finding = buildFinding('x', { origin: 'reviewer', tool: 'security', tools: ['security'], reviewed });
const { fingerprint } = finding;
const marker = (json: unknown): string =>
  `<!-- cypherfix:v1 reviewed ${gzipSync(JSON.stringify(json)).toString('base64')} -->`;
const mark = {
  fingerprint,
  reviewer: 'security',
  path: 'src/a.js',
  line: 2,
  category: 'broken-access-control',
  cwe: 'CWE-863',
  severity: 'high',
  confidence: 0.9,
  title: reviewed.title,
  quote: reviewed.quote,
  introduced: true,
};

describe('the marker of a reviewer’s finding', () => {
  it('gives back what a later run needs, out of the whole comment', () => {
    const comment = renderFindingComment(finding, { repository: 'octo/repo', headSha: 'a'.repeat(40) } as never);
    expect(decodeReviewed(comment, fingerprint)).toEqual(mark);
  });

  it('is empty for scanners alone, and there where a scanner speaks for the place', () => {
    expect(reviewedMarker(buildFinding('y'))).toBe('');
    expect(decodeReviewed(reviewedMarker(buildFinding('x', { reviewed })), fingerprint)).toMatchObject({
      reviewer: 'security',
      quote: reviewed.quote,
    });
  });

  it('keeps 300 characters of a quote and no half of a sign, and needs no CWE', () => {
    const long = { ...reviewed, ruleId: 'race', cwe: [], quote: `${'a'.repeat(299)}😀 more` };
    const read = decodeReviewed(reviewedMarker({ ...finding, reviewed: long }), fingerprint);
    expect(read).toMatchObject({ quote: 'a'.repeat(299), category: 'race', cwe: null });
  });

  it.each<[string, Partial<ReportFinding['reviewed']>]>([
    ['an unknown reviewer', { reviewer: 'gosec' }],
    ['no quote', { quote: '' }],
  ])('is not written for %s', (_, over) => {
    expect(reviewedMarker({ ...finding, reviewed: { ...reviewed, ...over } })).toBe('');
  });

  it.each([
    ['no marker', 'nothing here'],
    ['no gzip', '<!-- cypherfix:v1 reviewed aGVsbG8= -->'],
    ['another finding', marker({ ...mark, fingerprint: 'f'.repeat(64) })],
    ['a key too many', marker({ ...mark, more: 1 })],
    ['a line that is none', marker({ ...mark, line: 0 })],
    ['a quote too long', marker({ ...mark, quote: 'q'.repeat(301) })],
    ['more text than we write', marker({ ...mark, title: 'x'.repeat(100_000) })],
  ])('%s is read as none', (_, body) => expect(decodeReviewed(body, fingerprint)).toBeNull());

  it('of several the last one counts', () => {
    const body = `${marker({ ...mark, severity: 'info' })}\n${marker(mark)}`;
    expect(decodeReviewed(body, fingerprint)?.severity).toBe('high');
  });
});
