import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openSandbox } from '../sandbox/real-sandbox.ts';
import { createMemoryHistory, type Files } from './memory-tree.ts';
import { scan, statusOf, toLines } from './scan.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

/** Put together so that no scanner takes this file for a leak. */
const token = (): string => ['ghp', '_', 'Wq7Rt2Yx9Lk4Mn8Vb3', 'Hs6Jd1Fg5PzCaEuIoT'].join('');
const PYTHON = 'import subprocess\nsubprocess.call("a " + x, shell=True)\n';
const wide = (text: string, big = false): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return big ? bytes.swap16() : bytes;
};

const TOOLS = ['ast-grep', 'bandit', 'eslint', 'gitleaks', 'gosec', 'ruff'];

/** Scans and expects each planted fault: `path:line` → tools and rules that must report it there. */
async function expectFaults(files: Files, faults: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const result = await scan(sandbox, files);
  const lines = toLines(result.findings);
  for (const [place, rules] of Object.entries(faults)) {
    for (const rule of rules) expect(lines, `${rule} at ${place}`).toContain(`${rule} ${place}`);
  }
  for (const name of TOOLS) expect(statusOf(result, name), name).toMatch(/^(?:ok|skipped: no such files)$/);
}

describe('files that tools leave out without a word', () => {
  test('names that look like archives, first bytes that look like programs, vendored and hidden folders', async () => {
    const python = ['bandit B602', 'ruff S602'];
    const script = ['eslint security/detect-eval-with-expression', 'ast-grep test-eval'];
    const names = [
      'x.zip.py',
      '.github/x.py',
      '.git_hooks/x.py',
      'node_modules/a/x.py',
      'venv/lib/x.py',
      'dist/x.py',
      'site-packages/x.pyi',
      'w.pyw',
      'CVS/x.py',
      'a b/x y.py',
      'new\nline.py',
      'q"uote\'s.py',
      'ünï/x.py',
      '-rf.py',
      '@list.py',
    ];
    const scripts = [
      'my.zipper.js',
      'node_modules/x/i.cjs',
      '.hidden/a.mts',
      'dist/b.jsx',
      'c.min.js',
      'jquery.js',
      '{a,b}.ts',
      '*.tsx',
    ];
    await expectFaults(
      Object.fromEntries([
        ...names.map(name => [name, PYTHON]),
        ...scripts.map((name, index) => [name, `${index % 2 ? 'MZ=1;' : 'FWS=1;'}\neval(x)\n`]),
        ['bin/tool', '#!/usr/bin/env python3\nexec(x)\n'],
        ['bin/cli', '#!/usr/bin/env node\neval(x)\n'],
        ['old.js', 'with (a) { b = 010 }\neval(x)\n'],
        ['typed.js', '@tag class A { a: number = 1 }\neval(x)\n'],
        ['page.html', '<p>\n<script>\neval(x)\n</script>\n'],
        ['app.vue', '<template/>\n<script lang="ts">\neval(x as string)\n</script>\n'],
      ]),
      Object.fromEntries([
        ...names.map(name => [`${name}:2`, python]),
        ...scripts.map(name => [`${name}:2`, script]),
        ['bin/tool:2', ['ruff S102', 'bandit B102', 'ast-grep test-exec-py']],
        ['bin/cli:2', script],
        ['old.js:2', script],
        ['typed.js:2', script],
        ['page.html:3', script],
        ['app.vue:3', script],
      ]),
    );
  });

  test('encodings, byte-order marks and line ends', async () => {
    const latin = Buffer.from(`# -*- coding: latin-1 -*-\nname = "\xe9\xe8"\n${PYTHON}`, 'latin1');
    const faults = ['bandit B602', 'ruff S602'];
    await expectFaults(
      {
        'latin.py': latin,
        'sjis.py': Buffer.from(`# coding: shift_jis\nname = "\x83\x5c"\n${PYTHON}`, 'latin1'),
        'bare-latin.py': Buffer.from(`name = "\xe9"\n${PYTHON}`, 'latin1'),
        'wide.py': wide(PYTHON),
        'wide-big.js': wide('x\neval(x)\n', true),
        'mark.py': `\ufeff${PYTHON}`,
        'crlf.py': PYTHON.replaceAll('\n', '\r\n'),
        'crlf.ts': 'a\r\neval(a)\r\n',
        'separators.js': '// a\u2028// b\u2029\neval(x)\n',
        'new.py': `type X = int\nf"{'a' if x else f'{"b"}'}"\n${PYTHON}`,
        'wide.env': wide(`A=1\nTOKEN=${token()}\n`),
        'nul.txt': `a\0b\nTOKEN=${token()}\n`,
      },
      {
        'latin.py:4': faults,
        'sjis.py:4': faults,
        'bare-latin.py:3': faults,
        'wide.py:2': faults,
        'wide-big.js:2': ['eslint security/detect-eval-with-expression', 'ast-grep test-eval'],
        'mark.py:2': faults,
        'crlf.py:2': faults,
        'crlf.ts:2': ['eslint security/detect-eval-with-expression', 'ast-grep test-eval'],
        'separators.js:2': ['eslint security/detect-eval-with-expression', 'ast-grep test-eval'],
        'new.py:4': faults,
        'wide.env:2': ['gitleaks github-pat'],
        'nul.txt:2': ['gitleaks github-pat'],
      },
    );
  });

  test('secrets in files that the default configuration does not look at', async () => {
    const names = [
      'package-lock.json',
      'go.sum',
      'gitleaks.toml',
      'a.png',
      'a.pdf',
      'node_modules/x.js',
      'y.zip.txt',
      'vendor/github.com/x.go',
      'x.svg',
    ];
    const result = await scan(
      sandbox,
      Object.fromEntries([
        ...names.map(name => [name, `%PDF-1.7\nkey ${token()} # gitleaks:allow\n`]),
        ['k/id.p12', Buffer.from([0x30, 0, 1, 2, 3, 0, 0])],
      ]),
    );
    const lines = toLines(result.findings);
    for (const name of names) expect(lines).toContain(`gitleaks github-pat ${name}:2`);
    expect(lines).toContain('gitleaks pkcs12-file k/id.p12:1');
    expect(result.findings.find(finding => finding.path === 'a.png')?.matchedText).toBe(token());
  });

  test('Go files behind build constraints, in vendor folders, in tests, with cgo, of newer Go', async () => {
    const chmod = (head: string): string => `${head}\n\nimport "os"\n\nfunc f() { os.Chmod("a", 0o777) }\n`;
    await expectFaults(
      {
        'go.mod': 'module example.com/x\n\ngo 1.99\n\ntoolchain go1.99.1\n',
        'a/a.go': chmod('package a'),
        'a/a_test.go': chmod('package a').replace('f()', 'g()'),
        'a/a_windows.go': chmod('package a'),
        'b/gen.go': chmod('//go:build ignore\n\npackage main'),
        'c/c.go': 'package c\n\n// int x;\nimport "C"\nimport "os"\n\nfunc f() { os.Chmod("a", 0o777) }\n',
        'vendor/v.org/v/v.go': chmod('package v'),
        '_skip/s.go': chmod('package s'),
        'testdata/t.go': chmod('package t'),
        'node_modules/n/n.go': chmod('package n'),
        'two/a.go': chmod('package two'),
        'two/b.go': chmod('package other'),
        'sub/go.mod': 'module example.com/sub\n',
        'sub/s.go': chmod('package sub'),
        'od d/ü.go': chmod('package odd'),
      },
      {
        'a/a.go:5': ['gosec G302'],
        'a/a_test.go:5': ['gosec G302'],
        'a/a_windows.go:5': ['gosec G302'],
        'b/gen.go:7': ['gosec G302'],
        'c/c.go:7': ['gosec G302'],
        'vendor/v.org/v/v.go:5': ['gosec G302'],
        '_skip/s.go:5': ['gosec G302'],
        'testdata/t.go:5': ['gosec G302'],
        'node_modules/n/n.go:5': ['gosec G302'],
        'two/a.go:5': ['gosec G302'],
        'two/b.go:5': ['gosec G302'],
        'sub/s.go:5': ['gosec G302'],
        'od d/ü.go:5': ['gosec G302'],
      },
    );
  });

  test('data flow through packages of the repository and of its vendor folder', async () => {
    const result = await scan(sandbox, {
      'go.mod': 'module example.com/x\n\ngo 1.24\n\nrequire v.org/run v1.0.0\n',
      'vendor/modules.txt': '# v.org/run v1.0.0\n## explicit\nv.org/run\n',
      'vendor/v.org/run/run.go': 'package run\n\nfunc Arg() string { return "a" }\n',
      'lib/lib.go': 'package lib\n\nimport "v.org/run"\n\nfunc X() string { return run.Arg() }\n',
      'main.go':
        'package main\n\nimport (\n\t"net/http"\n\t"os/exec"\n\n\t"example.com/x/lib"\n)\n\nfunc h(w http.ResponseWriter, r *http.Request) {\n\tlib.X()\n\t_ = exec.Command(r.FormValue("x")).Run()\n}\n\nfunc main() { http.HandleFunc("/", h) }\n',
    });
    expect(toLines(result.findings)).toContain('gosec G702 main.go:12');
    expect(result.notices).toEqual([]);
  });
});

test('a secret that only the history holds names its commit; one that is still there counts once', async () => {
  const history = createMemoryHistory([
    { path: 'a.env', commit: 'c1', content: `A=1\nT=${token()}\n` },
    { path: 'a.env', commit: 'c2', content: `B=2\nT=${token()}\n` },
    { path: 'gone.zip.txt', commit: 'c2', content: `MZ\n${token()}` },
    { path: 'kept.txt', commit: 'c1', content: `x ${token()}\n` },
  ]);
  const result = await scan(sandbox, { 'kept.txt': `${token()}\n`, 'a.env': 'A=1\n' }, { history });
  const found = result.findings.map(({ path, startLine, commit, matchedText }) => [
    path,
    startLine,
    commit,
    matchedText === token(),
  ]);
  expect(found).toEqual([
    ['a.env', 2, 'c1', true],
    ['gone.zip.txt', 2, 'c2', true],
    ['kept.txt', 1, undefined, true],
  ]);
});

test('what a tool cannot parse is partial, what no tool may get is skipped with the reason', async () => {
  const result = await scan(sandbox, {
    'broken.py': 'def (\n',
    'broken.ts': 'let = = ;\n',
    'broken.go': 'package b\n\nfunc (\n',
    'link.py': '-> /etc/passwd',
    'long.js': `var x = "${'y'.repeat(1_100_000)}"\neval(x)\n`,
    'big.py': Buffer.alloc(5 * 1024 * 1024 + 1, 'x = 1\n'),
    'image.bin': Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i * 7) % 256)),
  });
  expect([...result.partial].map(([path, entries]) => [path, entries.map(({ tool }) => tool).sort()]).sort()).toEqual([
    ['broken.go', ['gosec']],
    ['broken.py', ['bandit', 'ruff']],
    ['broken.ts', ['eslint']],
  ]);
  expect(result.skipped).toEqual(
    new Map([
      ['link.py', 'a symbolic link, which is not followed'],
      ['long.js', 'a line of more than 1 MB; only gitleaks looked at it'],
      ['big.py', 'larger than 5 MB'],
      ['image.bin', 'binary'],
    ]),
  );
  expect(result.examined.get('long.js')).toEqual(['gitleaks']);
  for (const name of TOOLS) expect(statusOf(result, name), name).toBe('ok');
});
