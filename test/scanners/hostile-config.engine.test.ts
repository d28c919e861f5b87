import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openSandbox } from '../sandbox/real-sandbox.ts';
import type { Files } from './memory-tree.ts';
import { scan, statusOf, toLines } from './scan.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const token = ['ghp', '_', 'Wq7Rt2Yx9Lk4Mn8Vb3', 'Hs6Jd1Fg5PzCaEuIoT'].join('');

/** Each would silence a tool, make it run code or write a file, were it read. */
const CONFIGS: Files = {
  'eslint.config.js': 'require("fs").writeFileSync("/work/owned", "x"); module.exports = [{ ignores: ["**"] }]\n',
  '.eslintrc.json': '{ "root": true, "ignorePatterns": ["*"] }\n',
  '.eslintignore': '*\n',
  '.gitleaks.toml': '[allowlist]\npaths = [".*"]\n',
  '.gitleaksignore': 'secret.txt:github-pat:1\nsrc/f000000.txt:github-pat:1\n',
  'ruff.toml': 'exclude = ["*"]\n[lint]\nselect = []\n',
  'pyproject.toml': '[tool.ruff]\nexclude = ["*"]\n[tool.bandit]\nexclude_dirs = ["."]\nskips = ["B602"]\n',
  '.bandit': '[bandit]\nskips: B602\nexclude: /\n',
  'sub/.bandit': '[bandit]\noutput: /work/owned\n',
  'setup.cfg': '[bandit]\nskips = B602\n[flake8]\nignore = S602\n',
  'sgconfig.yml': 'ruleDirs: []\ncustomLanguages: { x: { libraryPath: /work/x.so, extensions: [js] } }\n',
  '.semgrepignore': '*\n',
  '.gitignore': '*\n',
  '.ignore': '*\n',
  '.gosec.json': '{ "global": { "nosec": "true", "exclude": "G302" } }\n',
  'go.work': 'go 1.99\nuse ./nowhere\n',
  'go.mod': 'module example.com/x\n\ngo 1.24\n',
};

const FAULTS: Files = {
  'a.py':
    '# ruff: noqa\n# flake8: noqa\nimport subprocess\nsubprocess.call("a " + x, shell=True)  # nosec # noqa: S602\n',
  'a.js':
    '/* eslint-disable */\n/* eslint security/detect-eval-with-expression: off */\n// eslint-disable-next-line\neval(x) // ast-grep-ignore\n',
  'b.ts': '// ast-grep-ignore\n\neval(x)\n',
  'c.py': '# ast-grep-ignore: test-exec-py\nexec(x)\n',
  'secret.txt': `${token} gitleaks:allow\n`,
  'a.go': 'package a\n\nimport "os"\n\n//gosec:disable G302\nfunc f() { os.Chmod("a", 0o777) } // #nosec G302\n',
};

const EXPECTED = [
  'ast-grep test-eval a.js:4',
  'ast-grep test-eval b.ts:3',
  'ast-grep test-exec-py c.py:2',
  'bandit B102 c.py:2',
  'bandit B404 a.py:3',
  'bandit B602 a.py:4',
  'eslint security/detect-eval-with-expression a.js:4',
  'eslint security/detect-eval-with-expression b.ts:3',
  'gitleaks github-pat secret.txt:1',
  'gosec G104 a.go:6',
  'gosec G302 a.go:6',
  'ruff S102 c.py:2',
  'ruff S602 a.py:4',
];

test('configuration of the repository and comments in the code silence nothing', async () => {
  const result = await scan(sandbox, { ...CONFIGS, ...FAULTS });
  expect(toLines(result.findings)).toEqual(EXPECTED);
  for (const { name } of result.runs) expect(statusOf(result, name)).toBe('ok');
});

test('with and without them the result is the same', async () => {
  const result = await scan(sandbox, FAULTS);
  expect(toLines(result.findings)).toEqual(EXPECTED);
});

test('a repository that brings our own folder and file names changes nothing', async () => {
  const result = await scan(sandbox, {
    ...FAULTS,
    'config/ast-grep/rules.yml': 'id: x\nlanguage: JavaScript\nrule: { kind: nosuch }\n',
    'src/python/.keep': 'x',
    'cypherfix-canary-x/canary.py': 'exec(x)\n',
    'job/job.json': 'process.exit(0)\n',
  });
  expect(toLines(result.findings).filter(line => !line.includes('cypherfix-canary-x'))).toEqual(EXPECTED);
  expect(toLines(result.findings)).toContain('ruff S102 cypherfix-canary-x/canary.py:1');
});
