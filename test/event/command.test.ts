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
  ['/cypherfix verdict 12ab34cd real', { kind: 'verdict', id: '12ab34cd', verdict: 'real', reason: '' }],
  [
    '/cypherfix Verdict 12AB34CD False-Positive a constant,  not input',
    { kind: 'verdict', id: '12ab34cd', verdict: 'false-positive', reason: 'a constant, not input' },
  ],
  ['/cypherfix verdict reset', { kind: 'verdict', id: null, verdict: 'reset', reason: '' }],
  [`/cypherfix verdict ${'a'.repeat(64)} real`, { kind: 'verdict', id: 'a'.repeat(64), verdict: 'real', reason: '' }],
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

test.each([
  '/cypherfix reviewers',
  '/cypherfix review everything',
  '/cypherfix review full now',
  '/cypherfix verdict',
  '/cypherfix verdict 12ab34cd',
  '/cypherfix verdict 12ab real',
  '/cypherfix verdict 12ab34cd maybe',
  `/cypherfix verdict ${'a'.repeat(65)} real`,
  '/cypherfix verdict 12ab34cd 12ab34cd real',
])('%j is refused with a reason', body => {
  expect(parseCommand(body)).toMatchObject({ kind: 'invalid' });
});

test('a reason repeats no markup of the comment', () => {
  const command = parseCommand('/cypherfix @everyone<img/src=x>#1');
  expect(command).toEqual({ kind: 'invalid', reason: "there is no command '?everyone?img?src?x?'" });
});

test('the help names every command that is carried out', () => {
  for (const command of ['review', 'review full', 'verdict', 'help'])
    expect(COMMAND_HELP).toContain(`/cypherfix ${command}`);
});
