/** Keys that this version reads and checks but does not act on, with the reason. A section covers its keys. */
const UNUSED: readonly { readonly key: string; readonly why: string }[] = [
  { key: 'scanners.byo', why: 'scanners of your own are not run yet' },
  { key: 'ai.fix_model', why: 'no fixes are prepared yet' },
  { key: 'tests.lint', why: 'no fixes are prepared yet' },
  { key: 'tests.egress', why: 'the sandbox has no network yet; what tests need must be in the image' },
  { key: 'tests.registries', why: 'the sandbox has no network yet; what tests need must be in the image' },
  { key: 'fix', why: 'no fixes are prepared yet' },
];

/**
 * One sentence for each key that the file sets and this version does not act on, so that nothing is ignored in silence.
 * `raw` is the file's own content, without defaults.
 */
export function listUnusedKeys(raw: unknown): string[] {
  const unused = UNUSED.flatMap(({ key, why }) =>
    setKeys(raw, key).map(set => `${set} has no effect in this version: ${why}.`),
  );
  return [...unused, ...unknownScanners(raw)];
}

const SCANNERS = ['ast-grep', 'bandit', 'eslint', 'gitleaks', 'gosec', 'ruff'];

/** A misspelt name would leave a scanner on that somebody meant to switch off. */
function unknownScanners(raw: unknown): string[] {
  const disabled = valueAt(raw, ['scanners', 'disable']);
  return (Array.isArray(disabled) ? disabled : [])
    .filter(name => !SCANNERS.includes(String(name)))
    .map(name => `scanners.disable: there is no scanner ${JSON.stringify(name)} (there are ${SCANNERS.join(', ')}).`);
}

/** The key itself, or, where it is a section that is set, the keys set in it. */
function setKeys(raw: unknown, key: string): string[] {
  const value = valueAt(raw, key.split('.'));
  if (value === undefined) return [];
  if (!key.includes('.') && isMapping(value)) return Object.keys(value).map(inner => `${key}.${inner}`);
  return [key];
}

function valueAt(raw: unknown, keyPath: readonly string[]): unknown {
  let value = raw;
  for (const step of keyPath) {
    if (!isMapping(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
