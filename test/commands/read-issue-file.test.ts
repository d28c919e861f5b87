import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readIssueFile } from '../../src/commands/read-issue-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'issue-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (content: string | Buffer) => {
  const path = join(folder, 'issue');
  writeFileSync(path, content);
  return readIssueFile(path);
};

test.each([
  [
    'a heading and the rest',
    '# Totals are wrong\n\n- [ ] AC-1\n',
    { number: 0, title: 'Totals are wrong', body: '\n- [ ] AC-1\n' },
  ],
  ['a number in front', '# #12 Totals\r\nbody', { number: 12, title: '#12 Totals', body: 'body' }],
  ['a number behind', '\n\n# Totals (#12) #\nbody', { number: 12, title: 'Totals (#12)', body: 'body' }],
  ['a mark of byte order', '\ufeff# Totals', { number: 0, title: 'Totals', body: '' }],
  ['JSON', '{"number": 12, "title": "T", "body": "b"}', { number: 12, title: 'T', body: 'b' }],
  [
    'what the API answers',
    '{"number": 12, "title": "T", "body": null, "state": "closed", "user": {"login": "a"}}',
    { number: 12, title: 'T', body: '', state: 'closed' },
  ],
])('%s', async (_, content, issue) => {
  expect(await read(content)).toEqual({ state: 'open', ...issue });
});

test.each([
  ['no heading', 'Totals are wrong', /--issue .*issue line 1: expected the title of the issue as a heading/],
  ['a lower heading', '## Totals', /line 1: expected the title/],
  ['an empty heading', '#   \nbody', /line 1: expected the title/],
  ['nothing', '', /line 1: expected the title/],
  ['half of JSON', '{"number": 1,', /begins like JSON and is none/],
  ['JSON without a number', '{"title": "T", "body": ""}', /issue number: /],
  ['JSON with an empty title', '{"number": 1, "title": "", "body": ""}', /issue title: /],
  ['what is no text', Buffer.from([0x23, 0x20, 0xff, 0xfe]), /is not UTF-8 text/],
  ['too much', `# T\n${'x'.repeat(1024 * 1024)}`, /has \d+ bytes, more than 1048576/],
])('%s is refused', async (_, content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});

test('a device, which may never end, is refused', async () => {
  await expect(readIssueFile('/dev/zero')).rejects.toThrow('--issue /dev/zero is no file');
});

test('a file that is not there is refused', async () => {
  await expect(readIssueFile(join(folder, 'none'))).rejects.toThrow(/--issue .*none cannot be read: ENOENT/);
});
