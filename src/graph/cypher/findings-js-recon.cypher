CYPHER 5
MATCH (f:JsReconFinding {project_id: $projectId})
WHERE f.user_id = $userId AND NOT f:Muted AND f.id IS NOT NULL AND NOT coalesce(f.finding_type, '') = 'js_file'
RETURN f.id AS id,
       'JsReconFinding' AS label,
       'js_recon' AS source,
       coalesce(nullIf(f.title, ''), f.finding_type) AS name,
       coalesce(nullIf(f.severity, ''), 'low') AS severity,
       f.finding_type AS finding_type,
       f.confidence AS confidence,
       CASE WHEN $allTexts OR NOT f.detail IS :: STRING OR toUpper(f.detail) CONTAINS 'CVE-' THEN f.detail END AS description,
       CASE WHEN $allTexts OR NOT f.evidence IS :: STRING OR any(mark IN $credentialMarks WHERE f.evidence CONTAINS mark)
         THEN f.evidence END AS evidence,
       f.package_name AS package_name,
       f.detector_name AS detector_name,
       f.secret_type AS secret_type,
       toStringOrNull(f.stale_since) AS stale_since,
       f.triage_status AS triage_status,
       f.triage_source AS triage_source,
       f.triage_evidence_hash AS triage_evidence_hash,
       toStringOrNull(f.updated_at) AS seen_updated_at,
       coalesce(
         nullIf(f.base_url, ''),
         nullIf(f.source_url, ''),
         COLLECT {
           MATCH (b:BaseURL)-[:HAS_JS_FILE]->()-[:HAS_JS_FINDING]->(f)
           WHERE b.url <> ''
           RETURN b.url ORDER BY b.url LIMIT 1
         }[0]
       ) AS triage_host
