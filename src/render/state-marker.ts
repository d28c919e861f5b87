import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { PLACEMENTS, SEVERITIES } from '../core/finding.ts';
import { STATE_MARKER_BYTES } from './limits.ts';

/** One finding as the hidden marker of a review keeps it for the next run. */
export interface StateFinding {
  readonly fingerprint: string;
  readonly severity: (typeof SEVERITIES)[number];
  readonly introduced: boolean;
  readonly placement: (typeof PLACEMENTS)[number];
  readonly path?: string;
  readonly tool?: string;
}

export interface ReviewState {
  /** The head that was reviewed; GitHub re-points a review's own commit after a forced push. */
  readonly headSha: string;
  readonly findings: readonly StateFinding[];
  /** Findings that did not fit, the least severe ones. */
  readonly omitted: number;
}

/**
 * The hidden state of a review, at most 8 KiB. Where all does not fit, paths and tools of the last findings go first,
 * then the last findings; give the worst first.
 */
export function encodeState(state: Pick<ReviewState, 'headSha' | 'findings'>): string {
  const { length } = state.findings;
  const whole = mark(state, length, length);
  if (whole.length <= STATE_MARKER_BYTES) return whole;
  const named = largest(length, count => mark(state, length, count).length <= STATE_MARKER_BYTES);
  if (named >= 0) return mark(state, length, named);
  const kept = largest(length, count => mark(state, count, 0).length <= STATE_MARKER_BYTES);
  return mark(state, Math.max(kept, 0), 0);
}

/** The state in the last marker of the text; null where there is none or it is not ours to read. Never throws. */
export function decodeState(body: string): ReviewState | null {
  const encoded = [...body.matchAll(/<!-- cypherfix:v1 state ([A-Za-z0-9+/]{1,8192}={0,2}) -->/g)].at(-1)?.[1];
  if (encoded === undefined) return null;
  try {
    const json = gunzipSync(Buffer.from(encoded, 'base64'), { maxOutputLength: MAX_JSON_BYTES }).toString('utf8');
    const { h, f, o } = Packed.parse(JSON.parse(json));
    return { headSha: h, findings: f.map(unpack), omitted: o };
  } catch {
    // Anyone may have altered the text: what cannot be read is treated as absent.
    return null;
  }
}

const MAX_JSON_BYTES = 512 * 1024;
const MAX_FINDINGS = 2_000;

const PackedFinding = z.tuple([
  z.string().regex(/^[0-9a-f]{64}$/),
  z
    .int()
    .min(0)
    .max(SEVERITIES.length - 1),
  z.union([z.literal(0), z.literal(1)]),
  z
    .int()
    .min(0)
    .max(PLACEMENTS.length - 1),
  z.string().max(4096).optional(),
  z.string().max(100).optional(),
]);
type PackedFinding = z.infer<typeof PackedFinding>;

const Packed = z.object({
  h: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/),
  f: z.array(PackedFinding).max(MAX_FINDINGS),
  o: z.int().nonnegative(),
});

function mark({ headSha, findings }: Pick<ReviewState, 'headSha' | 'findings'>, kept: number, named: number): string {
  const shown = findings.slice(0, Math.min(kept, MAX_FINDINGS));
  const packed = {
    h: headSha,
    f: shown.map((finding, at) => pack(finding, at < named)),
    o: findings.length - shown.length,
  };
  return `<!-- cypherfix:v1 state ${gzipSync(JSON.stringify(packed), { level: 9 }).toString('base64')} -->`;
}

function pack({ fingerprint, severity, introduced, placement, path, tool }: StateFinding, named: boolean): unknown[] {
  const basis = [fingerprint, SEVERITIES.indexOf(severity), introduced ? 1 : 0, PLACEMENTS.indexOf(placement)];
  return named && path !== undefined ? [...basis, path, ...(tool === undefined ? [] : [tool])] : basis;
}

function unpack([fingerprint, severity, introduced, placement, path, tool]: PackedFinding): StateFinding {
  return {
    fingerprint,
    severity: SEVERITIES[severity] ?? 'info',
    introduced: introduced === 1,
    placement: PLACEMENTS[placement] ?? 'summary',
    ...(path === undefined ? {} : { path }),
    ...(tool === undefined ? {} : { tool }),
  };
}

/** The largest count up to `most` for which the test holds, -1 for none; the test holds for all smaller ones as well. */
function largest(most: number, holds: (count: number) => boolean): number {
  let low = -1;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
