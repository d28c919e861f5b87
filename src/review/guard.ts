import { createHash } from 'node:crypto';
import type { SecretRegistry } from '../core/secrets.ts';
import { countInvisible } from '../core/untrusted.ts';
import type { Defences } from './defences.ts';

/** Where untrusted text comes from. */
export const SURFACES = [
  'title',
  'body',
  'issue',
  'commit',
  'code',
  'path',
  'scanner',
  'earlier-finding',
  'test-output',
  'model',
] as const;
export type Surface = (typeof SURFACES)[number];

/** Prepares every untrusted text for a model, and counts what it had to take out. */
export interface Guard {
  readonly boundary: string;
  /** Nothing hidden, no secret, nothing like a marker; lines stay where they were. */
  clean(surface: Surface, text: string): string;
  /** The same on one line, for names and titles. */
  cleanLine(surface: Surface, text: string): string;
  /** A block of cleaned text inside markers. */
  block(label: string, content: string): string;
  /** Hidden characters, hidden comments and look-alikes by surface; a text that is read again counts once. */
  counts(): Readonly<Record<string, number>>;
}

export interface GuardOptions {
  readonly defences: Defences;
  /** Letters and digits that nobody could foresee when the texts were written. */
  readonly boundary: string;
  readonly secrets?: SecretRegistry | undefined;
}

export function createGuard({ defences, boundary, secrets }: GuardOptions): Guard {
  const counts = new Map<Surface, number>();
  const seen = new Set<string>();

  const count = (surface: Surface, text: string, found: number): void => {
    if (found === 0) return;
    const key = createHash('sha256').update(`${surface}\0${text}`).digest('base64');
    if (seen.has(key)) return;
    seen.add(key);
    counts.set(surface, (counts.get(surface) ?? 0) + found);
  };

  const clean = (surface: Surface, text: string): string => {
    const visible = defences.stripInvisible(text);
    const shown = PROSE.has(surface) ? defences.stripComments(visible) : visible;
    const plain = defences.neutraliseMarkers(shown, boundary);
    const hidden = countInvisible(text) + (shown === visible ? 0 : 1) + differences(shown, plain);
    count(surface, text, hidden);
    return defences.redactLines(plain, secrets);
  };

  return {
    boundary,
    clean,
    cleanLine: (surface, text) => clean(surface, text).replace(/\s+/g, ' ').trim(),
    block: (label, content) =>
      defences.markData(label, defences.redactLines(defences.neutraliseMarkers(content, boundary), secrets), boundary),
    counts: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Texts that GitHub renders, so that a comment in them is hidden from people. */
const PROSE: ReadonlySet<Surface> = new Set(['title', 'body', 'issue', 'commit']);

/** Places at which two texts of (nearly) equal length differ: each look-alike changes one character. */
function differences(before: string, after: string): number {
  if (before === after) return 0;
  if (before.length !== after.length) return 1;
  let count = 0;
  for (let at = 0; at < before.length; at++) if (before[at] !== after[at]) count += 1;
  return count;
}
