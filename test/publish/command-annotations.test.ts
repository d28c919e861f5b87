import { expect, test } from 'vitest';
import { renderCommandAnnotations } from '../../src/publish/command-annotations.ts';
import { buildFinding } from './build-report.ts';

test('worst first, ten of a type at most, suppressed ones never', () => {
  const findings = [
    ...Array.from({ length: 15 }, (_, i) => buildFinding(`low${i}`, { severity: 'low' })),
    ...Array.from({ length: 12 }, (_, i) => buildFinding(`high${i}`)),
    buildFinding('critical', { severity: 'critical' }),
    buildFinding('medium', { severity: 'medium' }),
    buildFinding('quiet', { severity: 'critical', suppressed: { reason: 'accepted' } }),
  ];
  const lines = renderCommandAnnotations(findings);
  const count = (type: string) => lines.filter(line => line.startsWith(`::${type} `)).length;
  expect([count('error'), count('warning'), count('notice')]).toEqual([10, 1, 10]);
  expect(lines[0]).toContain('Title of critical');
  expect(lines.join()).not.toContain('quiet');
});

test('text of a finding cannot become a command or a property', () => {
  const [line] = renderCommandAnnotations([
    buildFinding('x', {
      path: 'a,b:c%\n::error::.js',
      title: 't,line=9::x',
      message: 'one\n::set-output name=x::y\r\n%0A::stop-commands::z',
    }),
  ]);
  expect(line?.split('\n')).toHaveLength(1);
  expect(line).toBe(
    '::error file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3A.js,line=2,endLine=2,' +
      'title=t%2Cline=9%3A%3Ax (ast-grep rule-x)::one%0A::set-output name=x::y%0D%0A%250A::stop-commands::z',
  );
});

test('a message stays below the runner’s cut', () => {
  const [line] = renderCommandAnnotations([buildFinding('x', { message: '😀'.repeat(10_000) })]);
  expect([...(line?.split('::').at(-1) ?? '')].length).toBeLessThanOrEqual(4096);
});
