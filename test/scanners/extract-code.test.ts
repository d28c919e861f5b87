import { expect, test } from 'vitest';
import { extractNotebook, extractScriptBlocks } from '../../src/scanners/extract-code.ts';

test('script blocks keep their lines and columns', () => {
  const html = '<h1>é</h1>\n<script type="module">\neval(a)\n</script><p>\n<SCRIPT>x</SCRIPT>\n';
  const code = extractScriptBlocks(html);
  expect(code?.split('\n')).toEqual([
    '          ',
    '                      ',
    'eval(a)',
    '            ',
    '        x         ',
    '',
  ]);
  expect(code).toHaveLength(html.length);
});

test('data blocks and documents without code give nothing', () => {
  expect(extractScriptBlocks('<script type="application/json">{"a":1}</script>')).toBeUndefined();
  expect(extractScriptBlocks('<p>eval(a)</p>')).toBeUndefined();
});

test('a block that is never closed counts to the end', () => {
  expect(extractScriptBlocks('<script>\neval(a)')?.split('\n')[1]).toBe('eval(a)');
});

test.each([
  ['<script>a</scripty>b</script>c', '        a</scripty>b          '],
  ['<scripty>a</script><script src=x>\nb</SCRIPT\n>c', '                                 \nb        \n  '],
  ['<script>a</script\n<script>b', '        a        \n         '],
  ['<script>a<script>b</script>c', '        a<script>b          '],
])('%j', (html, expected) => {
  expect(extractScriptBlocks(html)).toBe(expected);
});

test.each(['<script\n', '</script\n', '<script>\n</script\n'])('a page of nothing but %j is read once', part => {
  expect(extractScriptBlocks(part.repeat(4_000_000 / part.length))).toBeUndefined();
});

test('what never closes a block belongs to it', () => {
  const open = '</script\n'.repeat(400_000);
  expect(extractScriptBlocks(`<script>${open}`)).toBe(`        ${open}`);
});

const notebook = (cells: unknown): string => JSON.stringify({ cells }, null, 1);

test('code cells keep the lines of the JSON file', () => {
  const json = notebook([
    { cell_type: 'markdown', source: ['exec(no)'] },
    { cell_type: 'code', source: ['%matplotlib inline\n', 'x = 1\n', 'exec("é")'] },
  ]);
  const python = extractNotebook(json)?.split('\n') ?? [];
  const rows = json.split('\n');
  expect(python).toHaveLength(rows.length);
  expect(python[rows.findIndex(row => row.includes('\\"é\\"'))]).toBe('exec("é")');
  expect(python[rows.findIndex(row => row.includes('matplotlib'))]).toBe('pass');
  expect(python.join('')).not.toContain('no');
});

test('a notebook on one line says that its lines cannot be kept', () => {
  const json = JSON.stringify({ cells: [{ cell_type: 'code', source: ['a = 1\n', 'exec(a)'] }] });
  expect(() => extractNotebook(json)).toThrow(/one string a line/);
  expect(() => extractNotebook('[]')).toThrow(/no list of cells/);
});
