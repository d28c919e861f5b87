const cache = new Map();

export async function memoize(key, load) {
  if (!cache.has(key)) cache.set(key, await load());
  return cache.get(key);
}
