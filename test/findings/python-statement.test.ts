import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesForIdentity, toIdentity } from '../../src/findings/identity.ts';
import { pythonStatementAt } from '../../src/findings/python-statement.ts';
import { raw } from './builders.ts';

const SOURCE = `import subprocess
def f(name, password="secret (not closed"):
    subprocess.Popen(
        ["ls", name],  # a comment (with a bracket
        env={"a": ')'},
        shell=True)
    x = g(name)[0]

    jinja2.Environment(
        loader=h(
            1),
        autoescape=False)
    y = name
`.split('\n');
const lineAt = (line: number): string | undefined => SOURCE[line - 1];
const rows = (first: number, last: number): string => SOURCE.slice(first - 1, last).join('\n');

describe('pythonStatementAt', () => {
  it.each([
    ['a line by itself', 1, 1, 1],
    ['a head with an open bracket in a string', 2, 2, 2],
    ['the first line of a call', 3, 3, 6],
    ['a line within a call', 4, 3, 6],
    ['the last line of a call', 6, 3, 6],
    ['the line after a call', 7, 7, 7],
    ['a nested call', 11, 9, 12],
    ['a keyword in the last line', 12, 9, 12],
    ['the last line', 13, 13, 13],
  ])('%s', (_name, line, first, last) => {
    expect(pythonStatementAt(lineAt, line)).toBe(rows(first, last));
  });

  it('falls back to the line where lines are missing or no end is in reach', () => {
    expect(pythonStatementAt(line => (line === 6 ? lineAt(6) : undefined), 6)).toBe(rows(6, 6));
    expect(pythonStatementAt(() => 'f(', 200)).toBe('f(');
    expect(pythonStatementAt(() => undefined, 3)).toBeUndefined();
  });

  it('holds the line it was asked for, whatever the text', () => {
    const token = fc.constantFrom('(', ')', '[', ']', 'x', ' ', '"', '\n', '# (', 'def f():');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (tokens, line) => {
        const lines = tokens.join('').split('\n');
        const statement = pythonStatementAt(at => lines[at - 1], line);
        if (line > lines.length) expect(statement).toBeUndefined();
        else expect(statement?.split('\n')).toContain(lines[line - 1]);
      }),
    );
  });
});

describe('identity of the Python family', () => {
  const lineOf = (_path: string, line: number) => lineAt(line);
  it('is one for ruff and bandit although they mark different lines', () => {
    const ruff = raw({ tool: 'ruff', ruleId: 'S701', startLine: 12, matchedText: 'autoescape=False' });
    const bandit = raw({
      tool: 'bandit',
      ruleId: 'B701',
      startLine: 9,
      endLine: 12,
      matchedText: 'jinja2.Environment(',
    });
    expect(toIdentity(ruff, lineOf)).toEqual(toIdentity(bandit, lineOf));
    expect(toIdentity(ruff, lineOf).text).toBe('jinja2.Environment( loader=h( 1), autoescape=False)');
  });

  it('asks for no line outside the range it names', () => {
    const finding = raw({ tool: 'ruff', ruleId: 'S701', startLine: 40 });
    const { first, last } = linesForIdentity(finding);
    const asked: number[] = [];
    toIdentity(finding, (_path, line) => {
      asked.push(line);
      return line % 7 === 0 ? 'f(' : ')x(';
    });
    expect(Math.min(...asked)).toBeGreaterThanOrEqual(first);
    expect(Math.max(...asked)).toBeLessThanOrEqual(last);
    expect(linesForIdentity(raw({ startLine: 5 }))).toEqual({ first: 5, last: 5 });
  });
});
