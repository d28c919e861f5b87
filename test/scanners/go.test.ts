import { describe, expect, test } from 'vitest';
import { planGoLayout } from '../../src/scanners/go-layout.ts';
import { clampGoVersion, folderOfImport, parseGoModule } from '../../src/scanners/go-module.ts';
import { liftExclusion, parseGoSource } from '../../src/scanners/go-source.ts';
import { createMemoryTree, type Files } from './memory-tree.ts';

describe('what the Go tool leaves out', () => {
  test.each([
    ['a.go', 'package a\n', undefined],
    ['a_test.go', 'package a_test\n', undefined],
    ['a_linux.go', 'package a\n', undefined],
    ['a_linux_amd64.go', 'package a\n', undefined],
    ['a_windows.go', 'package a\n', /another system/],
    ['a_windows_test.go', 'package a\n', /another system/],
    ['a_arm64.go', 'package a\n', /another system/],
    ['windows.go', 'package a\n', undefined],
    ['_a.go', 'package a\n', /dot or underscore/],
    ['a.go', '//go:build ignore\n\npackage a\n', /constraint ignore/],
    ['a.go', '// Copyright\n\n//go:build linux && !(windows || arm64)\n\npackage a\n', undefined],
    ['a.go', '//go:build go1.21 && unix\n\npackage a\n', undefined],
    ['a.go', '//go:build linux &&\n\npackage a\n', /constraint/],
    ['a.go', '// +build darwin\n\npackage a\n', /constraint darwin/],
    ['a.go', '// +build darwin linux\n\npackage a\n', undefined],
    ['a.go', 'package a\n\n//go:build ignore\n', undefined],
    ['a.go', 'package a\n\nimport "C"\n', undefined],
    ['a.go', '//go:build !cgo\n\npackage a\n', /!cgo/],
    ['a.go', '/* //go:build ignore */ package a\n', undefined],
    ['a.go', '/* left open\n//go:build ignore\n\npackage a\n', /constraint ignore/],
    ['a.go', `//go:build ${'('.repeat(150)}linux${')'.repeat(150)}\n\npackage a\n`, undefined],
    ['a.go', `//go:build ${'!'.repeat(150)}linux\n\npackage a\n`, undefined],
    ['a.go', `//go:build ${'('.repeat(6_000)}linux\n\npackage a\n`, /constraint \(\(/],
    ['a.go', `//go:build linux || ${'!'.repeat(20_000)}linux\n\npackage a\n`, /constraint linux/],
    ['a.go', `//go:build !${'!'.repeat(20_000)}windows\n\npackage a\n`, /constraint !!/],
  ])('%s %j', (name, text, reason) => {
    const { excluded } = parseGoSource(name, text);
    if (reason === undefined) expect(excluded).toBeUndefined();
    else expect(excluded).toMatch(reason);
  });

  test('lifting keeps every byte in its place', () => {
    const text = '//go:build windows\n// +build windows\n\npackage a\n\nimport "C"\nimport (\n\t"os"\n\t"C"\n)\n';
    const lifted = liftExclusion(text);
    expect(lifted).toHaveLength(text.length);
    expect(parseGoSource('a.go', lifted)).toEqual({ packageName: 'a', imports: ['C', 'os', 'C'] });
  });
});

test('imports are read in every form', () => {
  const text =
    'package a\nimport "os"; import x "b/c"\n// import "no"\nimport (\n _ "d"\n . `e` // f "g"\n)\nvar s = "h"\n';
  expect(parseGoSource('a.go', text).imports).toEqual(['os', 'b/c', 'd', 'e']);
});

test('strings and comments are told apart, closed or not', () => {
  const text = [
    'package a',
    'import "x//y"',
    'import `z/*`',
    'import /* "no" */ "w*/"',
    'import "v" // import "u"',
    'import "left open',
    'import "t"',
  ].join('\n');
  expect(parseGoSource('a.go', text).imports).toEqual(['x//y', 'z/*', 'w*/', 'v']);
});

describe('a file of megabytes is read once', () => {
  const fill = (part: string): string => part.repeat(4_000_000 / part.length);

  test.each(['/* \n', '\n', '/*', '\t\n', '"\\', '\r', '//\n\n'])('%j before the package clause', part => {
    const text = `${fill(part)}\npackage a\n`;
    expect(parseGoSource('a.go', text).excluded).toBeUndefined();
    expect(liftExclusion(text)).toBe(text);
  });

  test('line ends after the word import', () => {
    expect(parseGoSource('a.go', `package a\nimport${fill('\n')}x`).imports).toEqual([]);
  });

  test.each(['\n', '\r', ' ', '//\r'])('%j in a go.mod', part => {
    const text = `module a\n${fill(part)}\ngo 1.99\n`;
    expect(parseGoModule('', text).path).toBe('a');
    expect(clampGoVersion(text, 27)).toBe(text.replace('1.99', '1.27'));
  });
});

describe('go.mod', () => {
  test('tells where packages of the repository lie', () => {
    const module = parseGoModule(
      'svc',
      'module example.com/svc // x\n\nreplace (\n\texample.com/lib v1.0.0 => ../lib\n)\n',
    );
    expect(folderOfImport(module, 'example.com/svc/a/b')).toBe('svc/a/b');
    expect(folderOfImport(module, 'example.com/svc')).toBe('svc');
    expect(folderOfImport(module, 'example.com/lib/x')).toBe('lib/x');
    expect(folderOfImport(module, 'example.com/svcx')).toBeUndefined();
    expect(folderOfImport(parseGoModule('', 'module m\nreplace x => ../../out\n'), 'x')).toBeUndefined();
  });

  test('the longest name counts, and a great many replaced modules cost no more than a few', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `replace m/r${index} => ./f${index}\n`).join('');
    const module = parseGoModule('', `module m\n${many}`);
    expect(folderOfImport(module, 'm/r7/a')).toBe('f7/a');
    expect(folderOfImport(module, 'm/other')).toBe('other');
    const foreign = Array.from({ length: 100_000 }, (_, index) => folderOfImport(module, `n/${index}`));
    expect(foreign.filter(folder => folder !== undefined)).toEqual([]);
    expect(folderOfImport(module, `m${'/a'.repeat(2_000_000)}`)).toBeUndefined();
  });

  test.each([
    ['go 1.99.3\n', 'go 1.27\n'],
    ['go 1.21\n', 'go 1.21\n'],
    ['go 1.21.0\ntoolchain go1.30.0\n', 'go 1.21.0\n// toolchain\n'],
    ['go 2.1\n', 'go 1.27\n'],
    ['go 1.99\r\ntoolchain go1.99.1\r\n', 'go 1.27\r\n// toolchain\r\n'],
    ['\tgo\t1.99 // new\n\n\n  toolchain  go1.30.0\n', '\tgo\t1.27 // new\n\n\n  // toolchain\n'],
  ])('%j', (text, expected) => {
    expect(clampGoVersion(text, 27)).toBe(expected);
  });
});

async function layout(files: Files, changed: readonly string[]) {
  const list = changed.map((path, id) => ({ path, id }));
  const plan = await planGoLayout(list, createMemoryTree(files), 'canary');
  const entries = new Map<string, string>();
  for await (const entry of plan.entries()) entries.set(entry.path, entry.content.toString());
  return { plan, entries };
}

describe('the layout for gosec', () => {
  const files = {
    'go.mod': 'module example.com/x\n\ngo 1.99\n',
    'cmd/a.go': 'package main\n\nimport "example.com/x/lib"\nimport "v.org/y"\n',
    'cmd/a_test.go': 'package main\n',
    'cmd/gen.go': '//go:build ignore\n\npackage main\n',
    'lib/l.go': 'package lib\n\nimport "example.com/x/deep"\n',
    'lib/l_test.go': 'package lib\n',
    'deep/d.go': 'package deep\n',
    'other/o.go': 'package other\n',
    'vendor/modules.txt': '# v.org v1\n',
    'vendor/v.org/y/y.go': 'package y\n',
  };

  test('has the packages of the change and all that they import from the repository', async () => {
    const { plan, entries } = await layout(files, ['cmd/a.go']);
    expect([...entries.keys()].sort()).toEqual(
      ['cmd/a.go', 'cmd/a_test.go', 'deep/d.go', 'go.mod', 'lib/l.go', 'vendor/modules.txt', 'vendor/v.org/y/y.go'].map(
        path => `go/r/${path}`,
      ),
    );
    expect(entries.get('go/r/go.mod')).toContain('go 1.27\n');
    expect(plan.folders).toEqual(['go/r/cmd', 'go/r/canary']);
    expect([...plan.origins]).toEqual([['go/r/cmd/a.go', { id: 0 }]]);
  });

  test('gives a file that the Go tool would leave out a package of its own', async () => {
    const { plan, entries } = await layout(files, ['cmd/gen.go']);
    expect([...plan.origins]).toEqual([
      ['go/r/cmd/cypherfix-alone-1/f000000.go', { id: 0, limited: expect.stringContaining('build constraint ignore') }],
    ]);
    expect(entries.get('go/r/cmd/cypherfix-alone-1/f000000.go')).toContain('//go_build ignore');
  });

  test('takes names that the Go tool refuses', async () => {
    const odd = { 'a b/\n.go': 'package a\n', 'ok/ü.go': 'package ok\n' };
    const { plan, entries } = await layout(odd, Object.keys(odd));
    expect([...plan.origins.values()].map(origin => origin.id).sort()).toEqual([0, 1]);
    for (const path of entries.keys()) expect(path).toMatch(/^[\w./-]+$/);
    expect(entries.get('go/r/go.mod')).toContain('module cypherfix.invalid/change');
  });

  test('takes two packages in one folder', async () => {
    const { plan } = await layout({ 'p/a.go': 'package p\n', 'p/b.go': 'package p\n', 'p/c.go': 'package q\n' }, [
      'p/a.go',
      'p/c.go',
    ]);
    expect([...plan.origins.keys()]).toEqual(['go/r/p/a.go', 'go/r/p/cypherfix-alone-1/f000001.go']);
  });
});
