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
  /** What models cost in all runs of the pull request so far, in dollars. */
  readonly spentUsd: number;
  /** The head that the acceptance check saw last; null when it never ran. */
  readonly acceptanceHead: string | null;
}

type StateToKeep = Pick<ReviewState, 'headSha' | 'findings'> &
  Partial<Pick<ReviewState, 'omitted' | 'spentUsd' | 'acceptanceHead'>>;

/**
 * The hidden state of a review, at most 8 KiB. Where all does not fit, paths and tools of the last findings go first,
 * then the last findings; give the worst first.
 */
export function encodeState(state: StateToKeep): string {
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
  const encoded = [...body.matchAll(MARKER)].at(-1)?.[1];
  if (encoded === undefined) return null;
  try {
    const json = gunzipSync(Buffer.from(encoded, 'base64'), { maxOutputLength: MAX_JSON_BYTES }).toString('utf8');
    const { h, f, o, c, a } = Packed.parse(JSON.parse(json));
    return { headSha: h, findings: f.map(unpack), omitted: o, spentUsd: c / MICRO, acceptanceHead: a };
  } catch {
    // Anyone may have altered the text: what cannot be read is treated as absent.
    return null;
  }
}

/** The text with this state in the place of its last marker; unchanged where it has none. */
export function replaceState(body: string, state: StateToKeep): string {
  const last = [...body.matchAll(MARKER)].at(-1);
  if (last === undefined) return body;
  return body.slice(0, last.index) + encodeState(state) + body.slice(last.index + last[0].length);
}

const MARKER = /<!-- cypherfix:v1 state ([A-Za-z0-9+/]{1,8192}={0,2}) -->/g;
const MAX_JSON_BYTES = 512 * 1024;
const MAX_FINDINGS = 2_000;
/** Costs are whole millionths of a dollar, rounded up, so that sums of many runs stay exact. */
const MICRO = 1_000_000;

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

const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

const Packed = z.object({
  h: commit,
  f: z.array(PackedFinding).max(MAX_FINDINGS),
  o: z.int().nonnegative(),
  c: z.int().nonnegative().default(0),
  a: commit.nullable().default(null),
});

function mark(state: StateToKeep, kept: number, named: number): string {
  const { headSha, findings, omitted = 0, spentUsd = 0, acceptanceHead = null } = state;
  const shown = findings.slice(0, Math.min(kept, MAX_FINDINGS));
  const packed = {
    h: headSha,
    f: shown.map((finding, at) => pack(finding, at < named)),
    o: omitted + findings.length - shown.length,
    // Rounded to nothing first, so that 0.1 + 0.2 costs no millionth more.
    ...(spentUsd > 0 ? { c: Math.ceil(Number((spentUsd * MICRO).toFixed(3))) } : {}),
    ...(acceptanceHead === null ? {} : { a: acceptanceHead }),
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
