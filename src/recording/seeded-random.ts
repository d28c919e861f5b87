import { createHmac } from 'node:crypto';

/**
 * Texts of 16 hex digits that nobody can foresee who does not know the seed; each asker has a sequence of its own, whatever
 * the others ask.
 */
export function seededRandom(seed: string): (who: string) => string {
  const asked = new Map<string, number>();
  return who => {
    const turn = asked.get(who) ?? 0;
    asked.set(who, turn + 1);
    return createHmac('sha256', seed)
      .update(JSON.stringify([who, turn]))
      .digest('hex')
      .slice(0, 16);
  };
}
