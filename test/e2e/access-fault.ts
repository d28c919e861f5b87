import { draft, judgement, NOTHING_FOUND } from '../review/scripted-model.ts';
import type { AnthropicOptions } from '../sim-model/anthropic.ts';

/** No scanner knows who may do what: the check holds for every name that begins like an administrator's. */
export const FAULTY = `export function mayDelete(user, admins) {
  return admins.some(name => user.startsWith(name));
}
`;
export const FAULT = draft({
  category: 'Broken access control',
  cwe: 'CWE-863',
  path: 'src/access.js',
  quote: 'return admins.some(name => user.startsWith(name));',
  title: 'Whoever is called like an administrator may delete',
  suggestion: 'Compare the whole name: admins.includes(user).',
});

export type ModelScript = NonNullable<AnthropicOptions['script']>;

/** The security reviewer reads the file, then reports the fault; the judge is content. */
export const SCRIPT: ModelScript = [
  {
    when: { role: 'security', turn: 1 },
    answer: { calls: [{ name: 'read_file', input: { path: 'src/access.js', start_line: null, end_line: null } }] },
  },
  {
    name: 'planted',
    when: { role: 'security' },
    requires: {
      prompt: '+  return admins.some(name => user.startsWith(name));',
      results: [{ tool: 'read_file', text: 'admins.some' }],
    },
    answer: { json: { ...NOTHING_FOUND, findings: [FAULT] } },
  },
  { when: { role: 'judge' }, answer: { json: judgement(0.8) } },
];
