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
