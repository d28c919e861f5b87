import { expect, test } from 'vitest';
import { readAttributes } from '../../src/analysis/read-attributes.ts';
import { CypherFixError } from '../../src/core/errors.ts';

const fromText = (text: string | null) =>
  readAttributes({ readPolicyFile: async () => (text === null ? null : Buffer.from(text)) });

test('the file says what is generated', async () => {
  const { isGenerated, notices } = await fromText('*.pb.go linguist-generated\n');
  expect(['a.pb.go', 'a.pb.go', 'a.go'].map(isGenerated)).toEqual([true, true, false]);
  expect(notices).toEqual([]);
});

test('without one nothing is', async () => {
  const { isGenerated, notices } = await fromText(null);
  expect([isGenerated('a.pb.go'), notices]).toEqual([false, []]);
});

test('one that is too large has no effect and ends no review', async () => {
  const readPolicyFile = () => Promise.reject(new CypherFixError('policy', '.gitattributes at 1 has 2000000 bytes'));
  const { isGenerated, notices } = await readAttributes({ readPolicyFile });
  expect(isGenerated('a.pb.go')).toBe(false);
  expect(notices).toEqual(['.gitattributes at 1 has 2000000 bytes: it has no effect.']);
});

test('another failure is passed on', async () => {
  await expect(readAttributes({ readPolicyFile: () => Promise.reject(new Error('git')) })).rejects.toThrow('git');
});
