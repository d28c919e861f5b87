CYPHER 5
MATCH (f:MalPackageFinding {project_id: $projectId})
WHERE f.user_id = $userId AND NOT f:Muted AND coalesce(f.finding_id, f.id) IS NOT NULL
  AND EXISTS { (:Package)-[:FLAGGED_AS]->(f) }
WITH f, COLLECT {
  MATCH (p:Package)-[:FLAGGED_AS]->(f)
  RETURN {purl: coalesce(p.purl, p.name), name: p.name, version: p.version, ecosystem: p.ecosystem} AS package
  ORDER BY package.purl LIMIT 1
}[0] AS package
RETURN coalesce(f.finding_id, f.id) AS id,
       'MalPackageFinding' AS label,
       coalesce(nullIf(f.source_tool, ''), 'osv') AS source,
       f.source_tool AS source_tool,
       coalesce(nullIf(f.title, ''), f.advisory_id) AS name,
       coalesce(nullIf(f.severity, ''), 'high') AS severity,
       f.verdict AS verdict,
       f.advisory_id AS advisory_id,
       CASE WHEN $allTexts OR NOT f.detail IS :: STRING OR toUpper(f.detail) CONTAINS 'CVE-' THEN f.detail END AS description,
       f.soft_error AS soft_error,
       package.purl AS package_purl,
       package.name AS package_name,
       package.version AS package_version,
       package.ecosystem AS ecosystem,
       toStringOrNull(f.stale_since) AS stale_since,
       f.triage_status AS triage_status,
       f.triage_source AS triage_source,
       f.triage_evidence_hash AS triage_evidence_hash,
       toStringOrNull(f.updated_at) AS seen_updated_at,
       COLLECT {
         MATCH (a)-[:DEPENDS_ON]->(:Package)-[:FLAGGED_AS]->(f)
         WITH a:BaseURL AS isSite, coalesce(nullIf(a.url, ''), nullIf(a.name, '')) AS host
         WHERE host IS NOT NULL
         RETURN host ORDER BY isSite DESC, host LIMIT 1
       }[0] AS triage_host
