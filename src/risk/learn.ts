import { SECRET_LABELS } from './classes.ts';
import { LEARNED_BOUNDS, PRIOR_WEIGHT } from './data/confidence-table.ts';
import type { Factor } from './factor.ts';
import { isPresent, lower, strip, toText } from './python-values.ts';
import type { DetectorLabels, FindingRow } from './row.ts';

/** C after people's verdicts on the same detector's findings; unchanged where there are none. */
export function learnFrom(
  rule: Factor,
  row: FindingRow,
  source: string,
  labels: ReadonlyMap<string, DetectorLabels>,
): Factor {
  const verdicts = labels.get(detectorKey(row, source));
  if (verdicts === undefined || verdicts.real + verdicts.fp === 0) return rule;
  const { real, fp } = verdicts;
  return {
    value: learnedConfidence(rule.value, real, fp),
    evidence: `${rule.evidence}; you judged ${real} of ${real + fp} of these real`,
  };
}

/** Mean of a Beta distribution that starts with the rule's value at the weight of ten verdicts; 0.1 to 0.99. */
export function learnedConfidence(base: number, real: number, fp: number): number {
  const yes = Math.max(0, real);
  const all = yes + Math.max(0, fp);
  if (all === 0) return base;
  const mean = (PRIOR_WEIGHT * base + yes) / (PRIOR_WEIGHT + all);
  return Math.min(LEARNED_BOUNDS.max, Math.max(LEARNED_BOUNDS.min, mean));
}

/**
 * What verdicts are counted by: the check, template or detector that found it, never one advisory or host. Values
 * cannot forge another detector's key, since a colon never comes from a value.
 */
export function detectorKey(row: FindingRow, source: string = lower(row.source)): string {
  const { label } = row;
  if (label === 'CodeFinding') return keyOf(`code:${source === '' ? 'unknown' : part(source)}`, part(row.rule_id));
  if (source === 'nuclei') return keyOf('nuclei', part(row.template_id));
  if (source === 'gvm' || label === 'ExploitGvm') return keyOf('gvm', part(row.oid, row.nvt_oid));
  if (source === 'security_check') {
    const type = part(row.type, row.name);
    return type === '' ? 'security_check' : `check:${type}`;
  }
  if (SECRET_LABELS.has(label) || source === 'trufflehog' || source === 'github_hunt') {
    return keyOf(source === '' ? 'secret' : source, part(row.detector_name, row.secret_type, row.key_type));
  }
  if (source.startsWith('ai_')) return keyOf(source, part(row.ai_owasp_llm_id));
  if (source !== '') return source;
  return `label:${part(label) || 'unknown'}`;
}

const keyOf = (prefix: string, detail: string): string => (detail === '' ? prefix : `${prefix}:${detail}`);

/** The first value that is not empty, as a key part of up to 100 characters. */
function part(...values: readonly unknown[]): string {
  for (const value of values) {
    if (!isPresent(value)) continue;
    const text = strip(toText(value)).toLowerCase();
    if (text !== '') return text.replace(/[^a-z0-9._-]+/g, '-').slice(0, 100);
  }
  return '';
}
