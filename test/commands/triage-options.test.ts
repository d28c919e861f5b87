import { expect, test } from 'vitest';
import { parseTriageOptions, TRIAGE_HELP } from '../../src/commands/triage-options.ts';

const words = (line: string) => line.split(' ').filter(word => word !== '');

test.each([
  ['--findings a.json', { kind: 'file', findings: 'a.json', facts: null }],
  ['--findings a.json --facts f.json', { kind: 'file', findings: 'a.json', facts: 'f.json' }],
  ['--neo4j bolt://h:1 --init', { kind: 'init', uri: 'bolt://h:1', database: '' }],
  [
    '--neo4j bolt://h:1 --database d --findings r.json --repository a/b --ai',
    { kind: 'graph', uri: 'bolt://h:1', database: 'd', findings: 'r.json', repository: 'a/b', ai: true },
  ],
  [
    '--neo4j bolt://h:1',
    { kind: 'graph', uri: 'bolt://h:1', database: '', findings: null, repository: null, ai: false },
  ],
])('%s', (line, task) => {
  expect(parseTriageOptions(words(line))?.task).toEqual(task);
});

test.each([
  ['', '--findings or --neo4j is missing'],
  ['--facts f.json', '--findings or --neo4j is missing'],
  ['--findings a --init', '--init needs --neo4j'],
  ['--findings a --database d', '--database needs --neo4j'],
  ['--findings a --ai', '--ai needs --neo4j'],
  ['--neo4j u --facts f', '--facts and --neo4j do not go together'],
  ['--neo4j u --init --findings a', '--init and --findings do not go together'],
  ['--neo4j u --repository a/b', '--repository needs --findings'],
  ['--neo4j u --findings f --repository ab', 'expected owner/name'],
  ['--findings a --format xml', "--format 'xml' is none of text, json"],
  ['--password x --neo4j u', '--password'],
  ['file.json', 'file.json'],
])('%j is refused', (line, message) => {
  expect(() => parseTriageOptions(words(line))).toThrow(message);
});

test('the help names every option', () => {
  expect(parseTriageOptions(['--help'])).toBeNull();
  for (const option of ['findings', 'facts', 'neo4j', 'database', 'repository', 'init', 'ai', 'format', 'config']) {
    expect(TRIAGE_HELP).toContain(`--${option}`);
  }
});
