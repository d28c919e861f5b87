/** What a comment may ask for (contract). `later` names a command of the grammar that this version does not carry out. */
export type CommentCommand =
  | { readonly kind: 'review'; readonly full: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'later'; readonly name: string }
  | { readonly kind: 'invalid'; readonly reason: string };

const LATER = ['fix', 'approve', 'reject', 'verdict'];

/**
 * Parses the first line of a comment. Null when the comment is no command at all: `/cypherfix` must be the whole first
 * word, in any case (`/cypherfixes` is none).
 */
export function parseCommand(body: string): CommentCommand | null {
  const words = (body.split(/\r\n|\r|\n/, 1)[0] ?? '').trim().split(/\s+/);
  if (words[0]?.toLowerCase() !== '/cypherfix') return null;
  const name = words[1]?.toLowerCase();
  const rest = words.slice(2);
  if (name === undefined || name === 'help') return { kind: 'help' };
  if (LATER.includes(name)) return { kind: 'later', name };
  if (name !== 'review') return { kind: 'invalid', reason: `there is no command '${shorten(name)}'` };
  if (rest.length === 0) return { kind: 'review', full: false };
  if (rest.length === 1 && rest[0]?.toLowerCase() === 'full') return { kind: 'review', full: true };
  return { kind: 'invalid', reason: `'review' takes nothing but 'full'` };
}

/** The answer to `/cypherfix help`. */
export const COMMAND_HELP = [
  'Commands of CypherFix, as the first line of a comment:',
  '',
  '- `/cypherfix review` reviews the head commit again',
  '- `/cypherfix review full` reviews it in full, with nothing left out for cost',
  '- `/cypherfix help` shows this list',
  '',
  'They need write permission on the repository. The label `cypherfix:review` does the same as the first.',
].join('\n');

/** Names come from an untrusted comment and end in a reply: plain, short text only. */
const shorten = (name: string) => name.replace(/[^a-z0-9_-]/g, '?').slice(0, 20);
