import { gunzipSync, gzipSync } from 'node:zlib';
import { cutQuote, FindingMark, MAX_TITLE_CHARS, OpenAiFinding, REVIEWER_NAMES } from '../core/open-finding.ts';
import type { ReportFinding } from '../core/report.ts';

/**
 * The hidden marker of a finding that a reviewer reported, for its inline comment: what a later run needs to find the
 * quoted text again. Empty for a finding of scanners alone.
 */
export function reviewedMarker(finding: ReportFinding): string {
  const mark = toMark(finding);
  if (mark === null) return '';
  const json = JSON.stringify({ ...mark, fingerprint: finding.fingerprint });
  return `<!-- cypherfix:v1 reviewed ${gzipSync(json, { level: 9 }).toString('base64')} -->`;
}

/**
 * The finding in the last such marker of a comment; null where there is none, where it is not ours to read, or where it
 * is about another finding than the comment. Never throws.
 */
export function decodeReviewed(body: string, fingerprint: string): OpenAiFinding | null {
  const encoded = [...body.matchAll(/<!-- cypherfix:v1 reviewed ([A-Za-z0-9+/]{1,16384}={0,2}) -->/g)].at(-1)?.[1];
  if (encoded === undefined) return null;
  try {
    const json = gunzipSync(Buffer.from(encoded, 'base64'), { maxOutputLength: MAX_JSON_BYTES }).toString('utf8');
    const mark = OpenAiFinding.parse(JSON.parse(json));
    return mark.fingerprint === fingerprint ? mark : null;
  } catch {
    // Anyone who may edit the comment may have altered it: what cannot be read is treated as absent.
    return null;
  }
}

const MAX_JSON_BYTES = 64 * 1024;

function toMark({ reviewed, path, startLine, introduced }: ReportFinding): FindingMark | null {
  if (reviewed === undefined) return null;
  const [category = '', cwe] = reviewed.ruleId.split('/');
  const mark = FindingMark.safeParse({
    reviewer: REVIEWER_NAMES.find(name => name === reviewed.reviewer),
    path,
    line: startLine,
    category,
    cwe: reviewed.cwe[0] ?? cwe ?? null,
    severity: reviewed.severity,
    confidence: reviewed.confidence,
    title: reviewed.title.slice(0, MAX_TITLE_CHARS),
    quote: cutQuote(reviewed.quote),
    introduced,
  });
  return mark.success ? mark.data : null;
}
