import { isExploitable } from './classes.ts';
import type { ScoringContext } from './context.ts';
import type { Cvss } from './cvss.ts';
import type { FindingClass } from './data/class-table.ts';
import { type Factor, shareFactors } from './factor.ts';
import { isTruthy, lower, toText } from './python-values.ts';
import { formatFixed } from './rounding.ts';
import type { FindingRow, ProjectFacts } from './row.ts';

/** L: the strongest sign that somebody will exploit it, times what makes that harder or more tempting. */
export function likelihoodOf(inputs: ScoringContext): Factor {
  const sign = strongestSign(inputs);
  const notes: string[] = [];
  let factor = 1;
  if (inputs.cvss.userInteraction === 'R') {
    factor *= 0.7;
    notes.push('a victim must act');
  }
  if (inputs.cvss.attackComplexity === 'H') {
    factor *= 0.8;
    notes.push('high attack complexity');
  }
  const heat = heatOf(inputs, notes);
  if (heat !== 1) factor *= Math.min(heat, MAX_HEAT);
  if (notes.length === 0) return sign;
  return {
    value: Math.min(1, Math.max(0, sign.value * factor)),
    evidence: `${sign.evidence}; ${notes.join(', ')}`,
  };
}

const PROVEN: Factor = { value: 1, evidence: 'proven by an exploit' };
const KEV: Factor = { value: 0.9, evidence: 'listed in CISA KEV' };
const CREDENTIAL: Factor = { value: 0.6, evidence: 'a usable credential' };
const POC: Factor = { value: 0.5, evidence: 'a public proof of concept' };

/** EPSS at or above the first number gives L the second. */
const EPSS_STEPS = [
  [0.5, 0.8],
  [0.1, 0.6],
  [0.01, 0.4],
] as const;

const CONFIRMED_CLASS = 0.7;
const EXPLOITABILITY_SHARE = 0.6;

/**
 * The highest of the signs, the first one on a tie. Signs are asked in the order of the rules, but one that could not
 * be the highest is not asked at all: the search of a response for credentials costs more than the rest together.
 */
function strongestSign(inputs: ScoringContext): Factor {
  if (inputs.proven) return PROVEN;
  if (inputs.kev) return KEV;
  const { row, found, cvss } = inputs;
  const exploitability = EXPLOITABILITY_SHARE * (cvss.exploitability ?? -1);
  const floor = Math.max(exploitability, found.prior);
  let best = epssSign(inputs.intel.epssScore);
  const isOpen = (value: number): boolean => value >= floor && (best === undefined || value > best.value);
  if (isOpen(CONFIRMED_CLASS) && isToolConfirmed(row) && isExploitable(row, found)) {
    best = { value: CONFIRMED_CLASS, evidence: `a confirmed ${found.name} finding` };
  }
  if (isOpen(CREDENTIAL.value) && (found.name === 'credential' || hasCredential(row))) best = CREDENTIAL;
  if (isOpen(POC.value) && inputs.hasPoc) best = POC;
  if (cvss.exploitability !== null && (best === undefined || exploitability > best.value)) {
    best = exploitabilitySign(cvss);
  }
  return best !== undefined && best.value >= found.prior ? best : classPrior(found);
}

const exploitabilitySign = shareFactors(({ version, exploitability }: Cvss) => ({
  value: EXPLOITABILITY_SHARE * (exploitability ?? 0),
  evidence: `CVSS v${version} exploitability ${formatFixed(exploitability ?? 0, 2)}`,
}));

const classPrior = shareFactors(({ name, prior }: FindingClass) => ({
  value: prior,
  evidence: `the ${name} class prior`,
}));

function epssSign(score: number | undefined): Factor | undefined {
  if (score === undefined) return undefined;
  const step = EPSS_STEPS.find(([least]) => score >= least);
  return step === undefined ? undefined : { value: step[1], evidence: `EPSS ${formatFixed(score, 2)}` };
}

const isToolConfirmed = (row: FindingRow): boolean =>
  isTruthy(row.matcher_status) ||
  row.verdict === 'confirmed' ||
  lower(row.confidence_tier) === 'confirmed' ||
  lower(row.state) === 'vulnerable';

// Word ends as Python sees them: letters and digits of every script belong to a word. Case counts.
const CREDENTIAL_SHAPES =
  /(?<![\p{L}\p{N}_])(?:(?:(?:DB|DATABASE|MYSQL|POSTGRES|REDIS|MONGO)_PASSWORD|SECRET_KEY|API_SECRET|CLIENT_SECRET)\s*=|AKIA[0-9A-Z]{16}(?![\p{L}\p{N}_]))|-----BEGIN [A-Z ]*PRIVATE KEY-----/u;

function hasCredential(row: FindingRow): boolean {
  return (
    isCredentialText(row.raw_response) ||
    isCredentialText(row.evidence) ||
    isCredentialText(row.extracted_results) ||
    isCredentialText(row.detail)
  );
}

function isCredentialText(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  const text = toText(value);
  // The shortest text of any shape has 11 characters.
  return text.length >= 11 && CREDENTIAL_SHAPES.test(text);
}

const MAX_HEAT = 1.5;

function heatOf({ row, facts, host }: ScoringContext, notes: string[]): number {
  let heat = 1;
  if (facts.compromisedHosts.has(host)) {
    heat *= 1.3;
    notes.push('the agent compromised this host');
  }
  if (facts.threatIntelHosts.has(host)) {
    heat *= 1.15;
    notes.push('the host appears in threat intelligence');
  }
  if (host !== '' && isDangerousCombination(row, facts, host)) {
    heat *= 1.2;
    notes.push('a dangerous combination on this host');
  }
  return heat;
}

const isDangerousCombination = (row: FindingRow, facts: ProjectFacts, host: string): boolean =>
  (facts.credentialHosts.has(host) && facts.loginHosts.has(host)) ||
  facts.injectableAuthHosts.has(host) ||
  (isTruthy(row.introspection_enabled) && isTruthy(row.graphql_get_mutations));
