import { expect, test } from 'vitest';
import { keepObjects } from '../../src/workspace/kept-objects.ts';
import type { GitObject } from '../../src/workspace/object-reader.ts';

const id = (digit: string): string => digit.repeat(40);

/** A reader of objects of these sizes, and the names that it was asked for. */
function arrange(sizes: Readonly<Record<string, number>>, maxBytes?: number) {
  const asked: string[] = [];
  const reader = keepObjects(
    {
      async read(name, most): Promise<GitObject | null> {
        asked.push(name);
        const size = sizes[name];
        if (size === undefined) return null;
        return { id: name, type: 'blob', size, bytes: size <= most ? Buffer.alloc(size, name[0]) : null };
      },
      close: async () => {
        asked.push('close');
      },
    },
    maxBytes,
  );
  return { asked, reader };
}

test('an object is asked for once', async () => {
  const { asked, reader } = arrange({ [id('a')]: 3, [id('b')]: 4 });
  for (const name of [id('a'), id('b'), id('a')]) await reader.read(name, 10);
  expect((await reader.read(id('a'), 10))?.bytes?.toString()).toBe('aaa');
  expect(asked).toEqual([id('a'), id('b')]);
});

test('a reader who wants less is told that it is longer', async () => {
  const { asked, reader } = arrange({ [id('a')]: 3 });
  await reader.read(id('a'), 3);
  expect(await reader.read(id('a'), 2)).toEqual({ id: id('a'), type: 'blob', size: 3, bytes: null });
  expect(asked).toEqual([id('a')]);
});

test('one that was too long before is read by who wants more', async () => {
  const { reader } = arrange({ [id('a')]: 3 });
  expect((await reader.read(id('a'), 2))?.bytes).toBeNull();
  expect((await reader.read(id('a'), 3))?.bytes?.length).toBe(3);
});

test('names that may change and objects that are not there are asked for each time', async () => {
  const { asked, reader } = arrange({ 'main^{commit}': 3 });
  for (const name of ['main^{commit}', 'main^{commit}', id('c'), id('c')]) await reader.read(name, 10);
  expect(asked).toEqual(['main^{commit}', 'main^{commit}', id('c'), id('c')]);
});

test('no more is kept than the limit', async () => {
  const { asked, reader } = arrange({ [id('a')]: 6, [id('b')]: 5, [id('c')]: 4 }, 10);
  for (const name of [id('a'), id('b'), id('c')]) await reader.read(name, 10);
  asked.length = 0;
  for (const name of [id('a'), id('b'), id('c')]) await reader.read(name, 10);
  expect(asked).toEqual([id('b')]);
});

test('no more objects are kept than a usual change has', async () => {
  const ids = Array.from({ length: 1_200 }, (_, at) => at.toString(16).padStart(40, '0'));
  const { asked, reader } = arrange(Object.fromEntries(ids.map(one => [one, 1])));
  for (const one of [...ids, ...ids]) await reader.read(one, 1);
  expect(asked.length).toBe(1_200 + 700);
});

test('it closes the reader below and lets go of all', async () => {
  const { asked, reader } = arrange({ [id('a')]: 3 });
  await reader.read(id('a'), 3);
  await reader.close();
  await reader.read(id('a'), 3);
  expect(asked).toEqual([id('a'), 'close', id('a')]);
});
