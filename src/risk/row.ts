/**
 * One finding as the graph gives it: columns by their stored names, values of any type (several programs write them).
 * A column that a query does not select is absent.
 */
export type FindingRow = { readonly [column in keyof typeof BLANK_ROW]?: unknown };

/** Every column that the model, the group keys or the evidence read. */
const BLANK_ROW = {
  id: undefined,
  label: undefined,
  source: undefined,
  name: undefined,
  title: undefined,
  severity: undefined,
  description: undefined,
  detail: undefined,
  evidence: undefined,
  category: undefined,
  type: undefined,
  // Place
  triage_host: undefined,
  host: undefined,
  path: undefined,
  location: undefined,
  matched_at: undefined,
  target_port: undefined,
  repository: undefined,
  // Grades and advisories
  cvss_vector: undefined,
  cvss_metrics: undefined,
  cve_cvss_vector: undefined,
  cvss_score: undefined,
  cve_cvss: undefined,
  cve_ids: undefined,
  cwe_ids: undefined,
  cisa_kev: undefined,
  has_exploit: undefined,
  advisory_id: undefined,
  // State
  remediated: undefined,
  stale_since: undefined,
  last_seen_at: undefined,
  validation_status: undefined,
  validated_at: undefined,
  confirmed_exploits: undefined,
  is_proven: undefined,
  // What single sources write
  matcher_status: undefined,
  matcher_name: undefined,
  fuzzing_parameter: undefined,
  extracted_results: undefined,
  is_dast_finding: undefined,
  template_id: undefined,
  tags: undefined,
  raw_request: undefined,
  raw_response: undefined,
  qod: undefined,
  qod_type: undefined,
  solution_type: undefined,
  oid: undefined,
  nvt_oid: undefined,
  state: undefined,
  verdict: undefined,
  confidence_tier: undefined,
  takeover_method: undefined,
  provider: undefined,
  cache_impact: undefined,
  technique: undefined,
  vector: undefined,
  confidence_score: undefined,
  confidence: undefined,
  ai_asr: undefined,
  ai_oracle_kind: undefined,
  ai_owasp_llm_id: undefined,
  payload_class: undefined,
  introspection_enabled: undefined,
  graphql_get_mutations: undefined,
  vulnerability_type: undefined,
  missing_header: undefined,
  soft_error: undefined,
  source_tool: undefined,
  finding_type: undefined,
  // Secrets
  detector_name: undefined,
  secret_type: undefined,
  key_type: undefined,
  matched_text: undefined,
  raw_secret: undefined,
  secret_value: undefined,
  sample: undefined,
  repository_public: undefined,
  // Packages
  package_purl: undefined,
  package_name: undefined,
  package_version: undefined,
  ecosystem: undefined,
  fixed_version: undefined,
  vuln_package: undefined,
  vuln_package_version: undefined,
  // Findings in this repository's code
  rule_id: undefined,
  tools: undefined,
  path_kind: undefined,
  // What an earlier run or a person wrote
  triage_status: undefined,
  triage_source: undefined,
  triage_evidence_hash: undefined,
  seen_updated_at: undefined,
};

/** Every column that something reads. */
export const COLUMNS: ReadonlySet<string> = new Set(Object.keys(BLANK_ROW));

/**
 * The row with its columns in one order. Rows that each hold other columns have each another shape, and an engine looks
 * a property of a shape it has not met up at length, every time; one copy costs less than the look-ups of a score.
 */
export const toEvenRow = (row: FindingRow): FindingRow => ({ ...BLANK_ROW, ...row });

export type PortSight = 'active' | 'passive';

/** Verdicts of people on one detector's findings. */
export interface DetectorLabels {
  readonly real: number;
  readonly fp: number;
}

/** What the graph knows of the project around a finding; empty sets mean "not known". */
export interface ProjectFacts {
  readonly liveHosts: ReadonlySet<string>;
  readonly authRequiredHosts: ReadonlySet<string>;
  readonly originExposedHosts: ReadonlySet<string>;
  readonly cdnOnlyHosts: ReadonlySet<string>;
  readonly threatIntelHosts: ReadonlySet<string>;
  readonly compromisedHosts: ReadonlySet<string>;
  readonly sensitiveHosts: ReadonlySet<string>;
  readonly loginHosts: ReadonlySet<string>;
  readonly credentialHosts: ReadonlySet<string>;
  readonly injectableAuthHosts: ReadonlySet<string>;
  readonly goneHosts: ReadonlySet<string>;
  /** Upper-case ids. */
  readonly provenCveIds: ReadonlySet<string>;
  readonly provenFindingIds: ReadonlySet<string>;
  readonly portHosts: ReadonlyMap<string, PortSight>;
  /** By package URL or name: `served`, `repo` or `sbom`. */
  readonly packageExposure: ReadonlyMap<string, string>;
  readonly detectorLabels: ReadonlyMap<string, DetectorLabels>;
}

/** What is publicly known of one CVE. */
export interface CveIntel {
  readonly kev: boolean;
  readonly hasPoc: boolean;
  readonly hasTemplate: boolean;
  /** 0..1; absent when no feed scored it. */
  readonly epssScore?: number;
}

/** By upper-case CVE id. */
export type Intel = ReadonlyMap<string, CveIntel>;

export const NO_INTEL: Intel = new Map();
