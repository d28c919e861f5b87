import { codeConfidenceOf } from './code-factors.ts';
import type { ScoringContext } from './context.ts';
import { ACTIVE_QOD_TYPES, CONFIDENCE_BY_SOURCE, CONFIDENCE_UNKNOWN_SOURCE } from './data/confidence-table.ts';
import type { Factor } from './factor.ts';
import { normaliseConfidence } from './grades.ts';
import { learnFrom } from './learn.ts';
import { isMalwareId } from './proven.ts';
import { isPresent, isTruthy, lower, toInteger, toList, toNumber, toText } from './python-values.ts';
import { formatFixed } from './rounding.ts';
import type { FindingRow } from './row.ts';

/** C: how sure it is that the finding is real. */
export function confidenceOf({ row, source, facts, proven }: ScoringContext): Factor {
  if (proven) return PROVEN;
  const rule = ruleConfidence(row, source);
  return facts.detectorLabels.size === 0 ? rule : learnFrom(rule, row, source, facts.detectorLabels);
}

const PROVEN: Factor = { value: 1, evidence: 'proven: an exploit or a validated credential' };
const DETERMINISTIC: Factor = { value: 1, evidence: 'a deterministic check, not a detection' };

function ruleConfidence(row: FindingRow, source: string): Factor {
  if (row.label === 'CodeFinding') return codeConfidenceOf(row, source);
  if (source === 'security_check') return DETERMINISTIC;
  if (row.label === 'ExploitGvm') return gvmConfidence(row) ?? tableConfidence(row, source);
  return RULES[source]?.(row) ?? tableConfidence(row, source);
}

type Rule = (row: FindingRow) => Factor | undefined;

/** Rules of single sources; undefined sends the finding to the table. */
const RULES: Readonly<Record<string, Rule>> = Object.assign(Object.create(null) as Record<string, Rule>, {
  nuclei: nucleiConfidence,
  gvm: gvmConfidence,
  nmap_nse: row =>
    lower(row.state) === 'vulnerable' ? { value: 0.95, evidence: 'the NSE script reported VULNERABLE' } : undefined,
  takeover_scan: row => byWord(row.verdict, TAKEOVER),
  cache_poisoning: row => byWord(lower(row.confidence_tier), CACHE),
  ai_surface_recon: attackConfidence,
  ai_attack: attackConfidence,
  graphql_scan: introspectionConfidence,
  graphql_cop: introspectionConfidence,
  osv: advisoryConfidence,
  retirejs: advisoryConfidence,
  guarddog: row =>
    isTruthy(row.soft_error)
      ? { value: 0.1, evidence: 'GuardDog could not analyse this package' }
      : { value: 0.25, evidence: 'a GuardDog heuristic, not a confirmation' },
  origin_discovery: originConfidence,
  js_recon: scriptConfidence,
  jsluice: scriptConfidence,
} satisfies Record<string, Rule>);

const TAKEOVER: Readonly<Record<string, Factor>> = {
  confirmed: { value: 0.95, evidence: 'the takeover was confirmed' },
  likely: { value: 0.75, evidence: 'the takeover looks likely' },
  manual_review: { value: 0.25, evidence: 'the tool asked for a manual review' },
};

const CACHE: Readonly<Record<string, Factor>> = {
  confirmed: { value: 0.95, evidence: 'the cache poisoning was confirmed' },
  strong: { value: 0.75, evidence: 'strong cache-poisoning evidence' },
  tentative: { value: 0.25, evidence: 'tentative cache-poisoning evidence' },
};

const byWord = (word: unknown, factors: Readonly<Record<string, Factor>>): Factor | undefined =>
  typeof word === 'string' && Object.hasOwn(factors, word) ? factors[word] : undefined;

function nucleiConfidence(row: FindingRow): Factor | undefined {
  if (!isTruthy(row.matcher_status)) return undefined;
  if (toList(row.extracted_results).some(isPresent)) {
    return { value: 0.95, evidence: 'nuclei matched and extracted proof from the response' };
  }
  return isTruthy(row.is_dast_finding) ? { value: 0.95, evidence: 'a nuclei DAST matcher hit' } : undefined;
}

function gvmConfidence(row: FindingRow): Factor | undefined {
  const qod = toInteger(row.qod, -1);
  const type = lower(row.qod_type);
  const shown = qod < 0 ? type : String(qod);
  if (qod >= 95 || ACTIVE_QOD_TYPES.has(type)) return { value: 0.95, evidence: `GVM QoD ${shown}, active detection` };
  if (qod >= 70) return { value: 0.75, evidence: `GVM QoD ${shown}, banner or version detection` };
  return qod >= 0 ? { value: 0.4, evidence: `GVM QoD ${shown}, a weak detection` } : undefined;
}

function attackConfidence(row: FindingRow): Factor | undefined {
  const rate = toNumber(row.ai_asr) ?? 0;
  const kind = lower(row.ai_oracle_kind);
  if (rate < 0.5 || (kind !== 'classifier' && kind !== 'judge_llm')) return undefined;
  return { value: 0.95, evidence: `attack success rate ${formatFixed(rate * 100, 0)}%, judged by ${kind}` };
}

function introspectionConfidence(row: FindingRow): Factor | undefined {
  return isTruthy(row.introspection_enabled) ? { value: 0.95, evidence: 'GraphQL introspection answered' } : undefined;
}

function advisoryConfidence(row: FindingRow): Factor {
  if (row.verdict === 'malicious' || isMalwareId(row)) return PROVEN;
  return isPresent(row.package_version)
    ? { value: 0.9, evidence: "an advisory against the package's exact version" }
    : { value: 0.4, evidence: 'an advisory against a package with no known version' };
}

function originConfidence(row: FindingRow): Factor {
  const score = toInteger(row.confidence_score, 0);
  return score >= 70
    ? { value: 0.75, evidence: `origin confidence ${score}` }
    : { value: 0.4, evidence: 'a weak origin match' };
}

function scriptConfidence(row: FindingRow): Factor | undefined {
  const confidence = normaliseConfidence(row.confidence);
  if (confidence === null) return undefined;
  if (confidence >= 0.85) return { value: 0.75, evidence: 'the JS scanner is confident' };
  return confidence >= 0.5
    ? { value: 0.6, evidence: 'medium JS-scanner confidence' }
    : { value: 0.25, evidence: 'the JS scanner is unsure' };
}

const DETECTED: ReadonlyMap<string, Factor> = new Map(
  [...CONFIDENCE_BY_SOURCE].map(([source, value]) => [source, { value, evidence: `detected by ${source}` }]),
);

function tableConfidence(row: FindingRow, source: string): Factor {
  const known = DETECTED.get(source);
  if (known !== undefined) return known;
  if (source === '') {
    if (row.label === 'GithubSecret' || row.label === 'GithubSensitiveFile') {
      return { value: 0.6, evidence: 'a secret found in a repository, never validated' };
    }
    if (row.label === 'MalPackageFinding') {
      return { value: row.verdict === 'suspicious' ? 0.25 : 0.6, evidence: 'a supply-chain finding' };
    }
  }
  return {
    value: CONFIDENCE_UNKNOWN_SOURCE,
    evidence: `unknown source ${source === '' ? '(none)' : toText(source)}: using the default`,
  };
}
