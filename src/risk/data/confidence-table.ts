/** C by the source of a finding, where no more exact rule applies. Each row: value, then the sources that have it. */
const ROWS: readonly (readonly [value: number, sources: string])[] = [
  [1, 'security_check agent human operator user'],
  [0.9, 'osv retirejs'],
  [
    0.75,
    'nuclei gvm nmap_nse takeover_scan cache_poisoning graphql_scan graphql_cop ai_surface_recon ai_attack wcvs vuln_scan ' +
      'http_probe origin_discovery vhost_sni_enum resource_enum import graph recon finding ai ai_classifier',
  ],
  [0.6, 'github_hunt github github_experimental git filesystem trufflehog jsluice js_recon'],
  [
    0.4,
    'sourcemap shodan shodan_api internetdb criminalip netlas censys fofa zoomeye uncover urlscan otx vulners nvd ' +
      'wappalyzer typosquat',
  ],
  [0.25, 'guarddog hypothesis ai_unavailable'],
];

/**
 * C of a code finding whose tool gave no confidence: the ones that know data flow or the issuer of a secret first, the
 * ones that match the shape of a line last.
 */
const CODE_ROWS: readonly (readonly [value: number, sources: string])[] = [
  [0.75, 'ast-grep gitleaks taint'],
  [0.6, 'gosec bandit ruff eslint reviewer'],
];

const toTable = (rows: typeof ROWS): ReadonlyMap<string, number> =>
  new Map(rows.flatMap(([value, sources]) => sources.split(' ').map(source => [source, value] as const)));

export const CONFIDENCE_BY_SOURCE = toTable([...ROWS, ...CODE_ROWS]);

export const CONFIDENCE_UNKNOWN_SOURCE = 0.75;

/** How a word stands for a confidence. */
export const CONFIDENCE_WORDS: Readonly<Record<string, number>> = {
  confirmed: 1,
  certain: 1,
  malicious: 1,
  high: 0.9,
  strong: 0.75,
  likely: 0.7,
  medium: 0.6,
  moderate: 0.6,
  suspicious: 0.4,
  low: 0.3,
  unconfirmed: 0.3,
  tentative: 0.25,
  manual_review: 0.25,
};

/** Values of GVM's quality-of-detection type that stand for an active check. */
export const ACTIVE_QOD_TYPES: ReadonlySet<string> = new Set([
  'exploit',
  'remote_vul',
  'remote_app',
  'remote_active',
  'package',
]);

/** Learning from verdicts: the rule's C weighs as much as this many verdicts; the result stays within the bounds. */
export const PRIOR_WEIGHT = 10;
export const LEARNED_BOUNDS = { min: 0.1, max: 0.99 } as const;
