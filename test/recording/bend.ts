/** A copy with one of its values (whole parts count too) replaced by another. */
export function bend(value: unknown, at: number, other: unknown): unknown {
  const paths: string[][] = [];
  const walk = (node: unknown, path: string[]): void => {
    paths.push(path);
    if (typeof node !== 'object' || node === null) return;
    for (const [key, inner] of Object.entries(node)) walk(inner, [...path, key]);
  };
  walk(value, []);
  const path = paths[at % paths.length] ?? [];
  const copy = structuredClone(value) as Record<string, unknown>;
  if (path.length === 0) return other;
  let node = copy;
  for (const key of path.slice(0, -1)) node = node[key] as Record<string, unknown>;
  node[path.at(-1) ?? ''] = other;
  return copy;
}
