import type { Authorship } from '../github/reviews.ts';

/**
 * True when a marker in this text counts: our own identity wrote it, or one that the input `trusted-bots` names.
 * `name[bot]` names an app, `name` an ordinary account; an account cannot pass for the app of the same name.
 */
export function isOwn(written: Authorship, trustedBots: readonly string[]): boolean {
  if (written.byViewer) return true;
  const login = `${written.author}${written.isBot ? '[bot]' : ''}`.toLowerCase();
  return trustedBots.some(bot => bot.toLowerCase() === login);
}
