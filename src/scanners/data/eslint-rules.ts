import type { RuleFacts } from './python-rules.ts';

const ROWS: Readonly<Record<string, RuleFacts>> = {
  'security/detect-bidi-characters': {
    title: 'Bidirectional control characters',
    severity: 'high',
    confidence: 0.8,
    cwe: ['CWE-838', 'CWE-1007'],
    help: 'Remove the control characters: code must run in the order in which it is shown.',
  },
  'security/detect-invisible-characters': {
    title: 'Invisible characters in code',
    severity: 'medium',
    confidence: 0.7,
    cwe: ['CWE-838', 'CWE-1007'],
    help: 'Remove the characters or write them as escapes.',
  },
  'security/detect-buffer-noassert': {
    title: 'Buffer access without bounds check',
    severity: 'medium',
    confidence: 0.7,
    cwe: ['CWE-125', 'CWE-787'],
    help: 'Drop the noAssert argument.',
  },
  'security/detect-child-process': {
    title: 'Command run by a shell',
    severity: 'high',
    confidence: 0.6,
    cwe: ['CWE-78'],
    help: 'Use execFile or spawn with an array of arguments and no shell.',
  },
  'security/detect-disable-mustache-escape': {
    title: 'Escaping switched off in a template',
    severity: 'high',
    confidence: 0.7,
    cwe: ['CWE-79'],
    help: 'Leave escapeMarkup on.',
  },
  'security/detect-eval-with-expression': {
    title: 'eval of a variable expression',
    severity: 'high',
    confidence: 0.7,
    cwe: ['CWE-95'],
    help: 'Replace eval by JSON.parse for data or by a table of functions.',
  },
  'security/detect-new-buffer': {
    title: 'Buffer constructor with a variable',
    severity: 'medium',
    confidence: 0.7,
    cwe: ['CWE-908', 'CWE-770'],
    help: 'Use Buffer.from or Buffer.alloc.',
  },
  'security/detect-no-csrf-before-method-override': {
    title: 'CSRF check before method override',
    severity: 'medium',
    confidence: 0.7,
    cwe: ['CWE-352'],
    help: 'Install methodOverride before the CSRF middleware.',
  },
  'security/detect-non-literal-fs-filename': {
    title: 'File name from a variable',
    severity: 'low',
    confidence: 0.3,
    cwe: ['CWE-22'],
    help: 'Resolve the path and check that it stays inside the intended folder.',
  },
  'security/detect-non-literal-regexp': {
    title: 'Regular expression from a variable',
    severity: 'low',
    confidence: 0.3,
    cwe: ['CWE-1333', 'CWE-185'],
    help: 'Escape the variable part, or match without a regular expression.',
  },
  'security/detect-non-literal-require': {
    title: 'Module name from a variable',
    severity: 'medium',
    confidence: 0.4,
    cwe: ['CWE-95', 'CWE-829'],
    help: 'Choose the module from a fixed table.',
  },
  'security/detect-object-injection': {
    title: 'Property name from a variable',
    severity: 'info',
    confidence: 0.1,
    cwe: ['CWE-1321'],
    help: 'Use a Map, or check the name against a list of allowed ones.',
  },
  'security/detect-possible-timing-attacks': {
    title: 'Secret compared in variable time',
    severity: 'low',
    confidence: 0.3,
    cwe: ['CWE-208'],
    help: 'Compare with crypto.timingSafeEqual.',
  },
  'security/detect-pseudoRandomBytes': {
    title: 'Predictable random bytes',
    severity: 'medium',
    confidence: 0.7,
    cwe: ['CWE-338'],
    help: 'Use crypto.randomBytes.',
  },
  'security/detect-unsafe-regex': {
    title: 'Regular expression with exponential run time',
    severity: 'medium',
    confidence: 0.5,
    cwe: ['CWE-1333'],
    help: 'Rewrite it without nested repetition, or limit the length of the input.',
  },
  'no-unsanitized/method': {
    title: 'HTML written from a variable',
    severity: 'high',
    confidence: 0.6,
    cwe: ['CWE-79'],
    help: 'Use textContent, or sanitise the HTML first.',
  },
  'no-unsanitized/property': {
    title: 'HTML assigned from a variable',
    severity: 'high',
    confidence: 0.6,
    cwe: ['CWE-79'],
    help: 'Use textContent, or sanitise the HTML first.',
  },
};

export function eslintRule(ruleId: string): RuleFacts {
  return ROWS[ruleId] ?? { title: `ESLint security rule ${ruleId}`, severity: 'medium', confidence: 0.4, cwe: [] };
}
