/** What a comment may ask for (contract). `later` names a command of the grammar that this version does not carry out. */
export type CommentCommand =
  | { readonly kind: 'review'; readonly full: boolean }
  | { readonly kind: 'help' }
  /** `id` is null where the comment names no finding: the thread it stands in does. */
  | { readonly kind: 'verdict'; readonly id: string | null; readonly verdict: Verdict; readonly reason: string }
  | { readonly kind: 'later'; readonly name: string }
  | { readonly kind: 'invalid'; readonly reason: string };

const LATER = ['fix', 'approve', 'reject'];

/** What a person may say of a finding. */
const VERDICTS = ['real', 'false-positive', 'reset'] as const;
type Verdict = (typeof VERDICTS)[number];

/** An id is the beginning of a fingerprint. */
const FINDING_ID = /^[0-9a-f]{8,64}$/;

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
  if (name === 'verdict') return parseVerdict(rest);
  if (name !== 'review') return { kind: 'invalid', reason: `there is no command '${shorten(name)}'` };
  if (rest.length === 0) return { kind: 'review', full: false };
  if (rest.length === 1 && rest[0]?.toLowerCase() === 'full') return { kind: 'review', full: true };
  return { kind: 'invalid', reason: `'review' takes nothing but 'full'` };
}

function parseVerdict(words: readonly string[]): CommentCommand {
  const [first = ''] = words;
  const id = FINDING_ID.test(first.toLowerCase()) ? first.toLowerCase() : null;
  const [said = '', ...reason] = id === null ? words : words.slice(1);
  const verdict = VERDICTS.find(word => word === said.toLowerCase());
  if (verdict !== undefined) return { kind: 'verdict', id, verdict, reason: reason.join(' ') };
  const expected = `'verdict' takes the id of a finding (not needed in its thread) and one of ${VERDICTS.join(', ')}`;
  return { kind: 'invalid', reason: expected };
}

/** The answer to `/cypherfix help`. */
export const COMMAND_HELP = [
  'Commands of CypherFix, as the first line of a comment:',
  '',
  '- `/cypherfix review` reviews the head commit again',
  '- `/cypherfix review full` reviews it in full, with nothing left out for cost',
  '- `/cypherfix verdict <id> real|false-positive|reset [reason]` says what a finding is; in its thread without the id',
  '- `/cypherfix help` shows this list',
  '',
  'They need write permission on the repository. The label `cypherfix:review` does the same as the first.',
].join('\n');

/** Names come from an untrusted comment and end in a reply: plain, short text only. */
const shorten = (name: string) => name.replace(/[^a-z0-9_-]/g, '?').slice(0, 20);
