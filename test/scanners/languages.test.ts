import { expect, test } from 'vitest';
import { viewsOf } from '../../src/scanners/languages.ts';

const languages = (path: string, firstLine?: string): string[] => viewsOf(path, firstLine).map(view => view.language);

test.each([
  ['a.py', ['python']],
  ['A.PY', ['python']],
  ['stub.pyi', ['python']],
  ['w.pyw', ['python']],
  ['n.ipynb', ['python']],
  ['a.cjs', ['javascript']],
  ['a.mts', ['typescript']],
  ['a.jsx', ['javascript']],
  ['a.tsx', ['tsx']],
  ['c.vue', ['typescript']],
  ['i.html', ['html', 'javascript']],
  ['Dockerfile', ['dockerfile']],
  ['deploy/Dockerfile.prod', ['dockerfile']],
  ['api.dockerfile', ['dockerfile']],
  ['Containerfile', ['dockerfile']],
  ['.github/workflows/a.yml', ['yaml']],
  ['x.zip.py', ['python']],
  ['README.md', []],
  ['Makefile', []],
])('%s', (path, expected) => {
  expect(languages(path)).toEqual(expected);
});

test.each([
  ['#!/usr/bin/env node', ['javascript']],
  ['#!/usr/bin/env -S node --no-warnings', ['javascript']],
  ['#!/usr/bin/python3.13 -I', ['python']],
  ['#!/usr/bin/env tsx', ['typescript']],
  ['#!/bin/sh', []],
  ['node', []],
])('a name without an extension, first line %s', (line, expected) => {
  expect(languages('bin/run', line)).toEqual(expected);
});

test('the first line does not change what an extension says', () => {
  expect(languages('a.txt', '#!/usr/bin/env node')).toEqual([]);
});
