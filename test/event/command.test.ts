import { expect, test } from 'vitest';
import { COMMAND_HELP, parseCommand } from '../../src/event/command.ts';

test.each([
  ['/cypherfix review', { kind: 'review', full: false }],
  ['/cypherfix review full', { kind: 'review', full: true }],
  ['  /CypherFix   REVIEW  Full  ', { kind: 'review', full: true }],
  ['/cypherfix review\nplease', { kind: 'review', full: false }],
  ['/cypherfix review\r\nplease', { kind: 'review', full: false }],
  ['/cypherfix', { kind: 'help' }],
  ['/cypherfix help', { kind: 'help' }],
  ['/cypherfix fix all', { kind: 'later', name: 'fix' }],
  ['/cypherfix approve abc', { kind: 'later', name: 'approve' }],
  ['/cypherfix verdict 12ab real', { kind: 'later', name: 'verdict' }],
])('%j is a command', (body, expected) => {
  expect(parseCommand(body)).toEqual(expected);
});

test.each([
  '/cypherfixes review',
  '/cypherfix-review',
  'please /cypherfix review',
  '\n/cypherfix review',
  '> /cypherfix review',
  '`/cypherfix review`',
  '',
  '/ cypherfix review',
])('%j is none', body => {
  expect(parseCommand(body)).toBeNull();
});

test.each(['/cypherfix reviewers', '/cypherfix review everything', '/cypherfix review full now'])(
  '%j is refused with a reason',
  body => {
    expect(parseCommand(body)).toMatchObject({ kind: 'invalid' });
  },
);

test('a reason repeats no markup of the comment', () => {
  const command = parseCommand('/cypherfix @everyone<img/src=x>#1');
  expect(command).toEqual({ kind: 'invalid', reason: "there is no command '?everyone?img?src?x?'" });
});

test('the help names every command that is carried out', () => {
  for (const command of ['review', 'review full', 'help']) expect(COMMAND_HELP).toContain(`/cypherfix ${command}`);
});
