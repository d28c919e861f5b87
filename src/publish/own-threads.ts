import type { OpenAiFinding } from '../core/open-finding.ts';
import type { ReviewThread } from '../github/review-threads.ts';
import { decodeReviewed } from '../render/finding-marker.ts';
import { isOwn } from './ownership.ts';

/** A thread that one of our inline comments began. */
export interface OwnThread {
  readonly fingerprint: string;
  readonly thread: ReviewThread;
  /** Tools that reported it; empty where the comment does not say. */
  readonly tools: readonly string[];
  /** What a reviewer reported, as the comment's own hidden marker says; null for scanners alone. */
  readonly reviewed: OpenAiFinding | null;
  /** Somebody else wrote in it, or we cannot see all of it: it is never touched. */
  readonly isTouched: boolean;
  /** We said in it, or by folding its comment, that the finding is gone. */
  readonly isMarkedGone: boolean;
}

/** Every comment of ours begins like this when it carries a marker. */
const ANY_MARKER = '<!-- cypherfix:v1 ';

/** Hidden in an inline comment: a finding is gone only when these tools looked at its file again. */
export const toolsMarker = (tools: readonly string[]): string =>
  `${ANY_MARKER}tools ${tools.map(tool => tool.replace(/[^\w.-]/g, '_')).join(',')} -->`;

export const goneMarker = (fingerprint: string): string => `${ANY_MARKER}gone ${fingerprint} -->`;

/**
 * Threads begun by a finding marker of our own identity or of a trusted bot. A marker in anybody else's comment is
 * text and nothing more.
 */
export function toOwnThreads(threads: readonly ReviewThread[], trustedBots: readonly string[]): OwnThread[] {
  return threads.flatMap(thread => {
    const [first, ...replies] = thread.comments;
    if (first === undefined || !isOwn(first, trustedBots)) return [];
    const fingerprint = lastFingerprint(first.body);
    if (fingerprint === null) return [];
    // An answer without a marker is a person's, even where a person's own token runs us.
    const ours = replies.filter(reply => isOwn(reply, trustedBots) && reply.body.includes(ANY_MARKER));
    const isMarkedGone = first.isMinimized || ours.some(reply => reply.body.includes(goneMarker(fingerprint)));
    const isTouched = ours.length < replies.length || thread.hasMoreComments;
    const reviewed = decodeReviewed(first.body, fingerprint);
    return [{ fingerprint, thread, tools: lastTools(first.body), reviewed, isTouched, isMarkedGone }];
  });
}

/** False once a person or we closed it. A person's answer in it closes nothing. */
export const isOpen = ({ thread, isMarkedGone }: OwnThread): boolean => !thread.isResolved && !isMarkedGone;

function lastFingerprint(body: string): string | null {
  return [...body.matchAll(/<!-- cypherfix:v1 finding ([0-9a-f]{64}) -->/g)].at(-1)?.[1] ?? null;
}

function lastTools(body: string): string[] {
  const list = [...body.matchAll(/<!-- cypherfix:v1 tools ([\w.,-]+) -->/g)].at(-1)?.[1] ?? '';
  return list.split(',').filter(tool => tool !== '');
}
