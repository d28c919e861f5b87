import { toPathMatcher } from '../core/globs.ts';
import type { SuppressEntry } from './schema.ts';

/** What a suppression is compared with. */
export interface Suppressible {
  readonly fingerprint: string;
  /** Other fingerprints under which the same finding is known. */
  readonly aliases: readonly string[];
  readonly path: string;
  readonly primary: { readonly tool: string; readonly ruleId: string };
}

export interface Suppressed {
  readonly reason: string;
  readonly until?: string;
}

export interface SuppressionResult<T> {
  /** Every finding that came in, in the same order; those that an entry covers carry `suppressed`. */
  readonly findings: readonly (T & { readonly suppressed?: Suppressed })[];
  /** Expired entries and entries that covered nothing. */
  readonly notices: readonly string[];
}

export interface SuppressionSettings {
  readonly entries: readonly SuppressEntry[];
  /** Rules switched off altogether (`scanners.rules.disable`), as `rule` or `tool/rule`. */
  readonly disabledRules?: readonly string[];
  /** Date in UTC, `2026-11-30`. */
  readonly today: string;
  /** Whether a rule as the policy writes it (`G204`, `gosec/G204`) is this rule of this tool. */
  readonly namesRule: (written: string, tool: string, ruleId: string) => boolean;
}

/** Annotates what the policy suppresses; drops nothing. The first entry that covers a finding gives the reason. */
export function applySuppressions<T extends Suppressible>(
  findings: readonly T[],
  settings: SuppressionSettings,
): SuppressionResult<T> {
  const notices: string[] = [];
  const active = settings.entries.filter((entry, index) => {
    if (entry.until === undefined || entry.until >= settings.today) return true;
    notices.push(`Suppression ${index + 1} (${nameOf(entry)}) expired on ${entry.until} and is not applied.`);
    return false;
  });
  const rules = [...active.map(entry => toRule(entry, settings)), ...toDisabled(settings)];
  const used = new Set<Rule>();
  const marked = findings.map(finding => {
    const covering = rules.filter(rule => rule.covers(finding));
    for (const rule of covering) used.add(rule);
    const first = covering[0];
    return first === undefined ? finding : { ...finding, suppressed: first.suppressed };
  });
  for (const rule of rules) {
    if (rule.entry !== undefined && !used.has(rule))
      notices.push(
        `Suppression ${settings.entries.indexOf(rule.entry) + 1} (${nameOf(rule.entry)}) covers no finding of this run.`,
      );
  }
  return { findings: marked, notices };
}

interface Rule {
  readonly entry?: SuppressEntry;
  readonly suppressed: Suppressed;
  covers(finding: Suppressible): boolean;
}

function toRule(entry: SuppressEntry, settings: SuppressionSettings): Rule {
  const { rule, fingerprint, paths, reason, until } = entry;
  const inPaths = paths === undefined ? () => true : toPathMatcher(paths);
  return {
    entry,
    suppressed: until === undefined ? { reason } : { reason, until },
    covers: finding =>
      inPaths(finding.path) &&
      (rule === undefined || isRule(rule, finding, settings)) &&
      (fingerprint === undefined || [finding.fingerprint, ...finding.aliases].some(own => own.startsWith(fingerprint))),
  };
}

const toDisabled = (settings: SuppressionSettings): Rule[] =>
  (settings.disabledRules ?? []).map(rule => ({
    suppressed: { reason: `rule ${rule} is switched off by scanners.rules.disable` },
    covers: finding => isRule(rule, finding, settings),
  }));

/** The rule that the finding shows: one that another tool reported beside it does not silence it. */
const isRule = (rule: string, { primary }: Suppressible, { namesRule }: SuppressionSettings): boolean =>
  namesRule(rule, primary.tool, primary.ruleId);

const nameOf = (entry: SuppressEntry): string =>
  entry.rule === undefined ? `fingerprint ${entry.fingerprint}` : `rule ${entry.rule}`;
