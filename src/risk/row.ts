/**
 * One finding as the graph gives it: columns by their stored names, values of any type (several programs write them).
 * A column that a query does not select is absent.
 */
export type FindingRow = { readonly [column in Column]?: unknown };

type Column =
  | 'id'
  | 'label'
  | 'source'
  | 'name'
  | 'title'
  | 'severity'
  | 'description'
  | 'detail'
  | 'evidence'
  | 'category'
  | 'type'
  // Place
  | 'triage_host'
  | 'host'
  | 'path'
  | 'location'
  | 'matched_at'
  | 'target_port'
  // Grades and advisories
  | 'cvss_vector'
  | 'cvss_metrics'
  | 'cve_cvss_vector'
  | 'cvss_score'
  | 'cve_cvss'
  | 'cve_ids'
  | 'cisa_kev'
  | 'has_exploit'
  | 'advisory_id'
  | 'cwe_ids'
  // State
  | 'remediated'
  | 'stale_since'
  | 'validation_status'
  | 'validated_at'
  | 'confirmed_exploits'
  | 'is_proven'
  // What single sources write
  | 'matcher_status'
  | 'matcher_name'
  | 'fuzzing_parameter'
  | 'extracted_results'
  | 'is_dast_finding'
  | 'template_id'
  | 'tags'
  | 'raw_request'
  | 'raw_response'
  | 'qod'
  | 'qod_type'
  | 'solution_type'
  | 'oid'
  | 'nvt_oid'
  | 'state'
  | 'verdict'
  | 'confidence_tier'
  | 'takeover_method'
  | 'provider'
  | 'cache_impact'
  | 'technique'
  | 'vector'
  | 'confidence_score'
  | 'confidence'
  | 'ai_asr'
  | 'ai_oracle_kind'
  | 'ai_owasp_llm_id'
  | 'payload_class'
  | 'introspection_enabled'
  | 'graphql_get_mutations'
  | 'vulnerability_type'
  | 'missing_header'
  | 'soft_error'
  | 'source_tool'
  | 'finding_type'
  // Secrets
  | 'detector_name'
  | 'secret_type'
  | 'key_type'
  | 'matched_text'
  | 'raw_secret'
  | 'secret_value'
  | 'sample'
  | 'repository_public'
  // Packages
  | 'package_purl'
  | 'package_name'
  | 'package_version'
  | 'ecosystem'
  | 'fixed_version'
  // Findings in this repository's code
  | 'rule_id'
  | 'tools'
  | 'path_kind'
  | 'repository';

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
