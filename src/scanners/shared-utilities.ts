import { z } from 'zod';
import type { Utilities } from './rule-pack.ts';

type Utility = Readonly<Record<string, unknown>>;

const SharedDocument = z.strictObject({
  shared: z.string().min(1),
  levels: z.number().int().min(1).max(5).optional(),
  utils: z.record(z.string(), z.record(z.string(), z.unknown())),
});

/** A document that holds no rule but utilities for all of them. */
export function isShared(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'shared' in value;
}

/**
 * The utilities of such a document by name. With `levels: 3` the document counts three times, `<n>` standing for 1, 2, 3
 * and `<n+1>` for the number after: metavariables of the engine keep their value inside a recursion, so that each
 * step through a variable needs a name of its own. Throws when the document is wrong.
 */
export function toUtilities(value: unknown): Utilities {
  const parsed = SharedDocument.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${issue?.path.join('.') || 'shared'}: ${issue?.message ?? 'not valid'}`);
  }
  const { levels = 1, utils } = parsed.data;
  const entries = Array.from({ length: levels }, (_, index) => Object.entries(atLevel(utils, index + 1))).flat();
  return new Map(entries);
}

/** The rule with those shared utilities that it names, directly or through others; its own come first. */
export function withUtilities(rule: unknown, shared: Utilities): unknown {
  if (typeof rule !== 'object' || rule === null) return rule;
  const own = (rule as { utils?: unknown }).utils;
  const utils: Record<string, unknown> = typeof own === 'object' && own !== null ? { ...own } : {};
  const wanted = namesIn(rule);
  for (const name of wanted) {
    const utility = shared.get(name);
    if (utility === undefined || name in utils) continue;
    utils[name] = utility;
    for (const next of namesIn(utility)) wanted.add(next);
  }
  return Object.keys(utils).length === 0 ? rule : { ...rule, utils };
}

function atLevel(utils: Record<string, Utility>, level: number): Record<string, Utility> {
  const text = JSON.stringify(utils)
    .replaceAll('<n>', String(level))
    .replaceAll('<n+1>', String(level + 1));
  return JSON.parse(text) as Record<string, Utility>;
}

/** Every name that a `matches` key refers to. */
function namesIn(value: unknown): Set<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      if (key === 'matches' && typeof child === 'string') names.add(child);
      else visit(child);
    }
  };
  visit(value);
  return names;
}
