import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toBatches } from '../../src/triage/batches.ts';
import { runInSlots } from '../../src/triage/slots.ts';

it('at most so many at a time, results in order', async () => {
  let open = 0;
  let most = 0;
  const results = await runInSlots([5, 1, 4, 1, 3, 1, 2], 3, async item => {
    open++;
    most = Math.max(most, open);
    await new Promise(resolve => setTimeout(resolve, item));
    open--;
    return item * 2;
  });
  expect(results).toEqual([10, 2, 8, 2, 6, 2, 4]);
  expect(most).toBe(3);
});

it('after an error nothing more begins, and what had begun ends first', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const running = runInSlots([0, 1, 2, 3, 4], 2, async item => {
    begun.push(item);
    await new Promise(resolve => setTimeout(resolve, item === 0 ? 1 : 20));
    if (item === 0) throw new Error('no');
    ended.push(item);
  });
  await expect(running).rejects.toThrow('no');
  expect(begun).toEqual([0, 1]);
  expect(ended).toEqual([1]);
});

it('batches keep the order and hold to both limits', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 })), fc.integer({ min: 1, max: 6 }), (sizes, most) => {
      const batches = toBatches(sizes, most, 60, size => size);
      expect(batches.flat()).toEqual(sizes);
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(most);
        if (batch.length > 1) expect(batch.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60);
      }
    }),
  );
});
