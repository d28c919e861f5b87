/**
 * Runs the tasks, at most `most` at a time, and returns their results in order. Rejects with the first error, after the
 * tasks that had begun have ended; the others then never begin.
 */
export async function runInSlots<T, R>(
  items: readonly T[],
  most: number,
  task: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const errors: unknown[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length && errors.length === 0) {
      const at = next++;
      try {
        results[at] = await task(items[at] as T, at);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  if (errors.length > 0) throw errors[0];
  return results;
}
