CYPHER 5
// Those of the default branch; what a pull request brings is not the project's yet.
MATCH (f:CodeFinding {project_id: $projectId})
WHERE f.user_id = $userId AND f.scope = 'default' AND NOT f:Muted AND f.id IS NOT NULL
RETURN f.id AS id,
       'CodeFinding' AS label,
       f.fingerprint AS fingerprint,
       f.source AS source,
       f.name AS name,
       f.severity AS severity,
       CASE WHEN $allTexts THEN f.description END AS description,
       f.confidence AS confidence,
       f.cwe_ids AS cwe_ids,
       f.rule_id AS rule_id,
       f.tools AS tools,
       f.path AS path,
       f.path_kind AS path_kind,
       f.repository AS repository,
       f.repository_public AS repository_public,
       toStringOrNull(f.last_seen_at) AS last_seen_at,
       toStringOrNull(f.stale_since) AS stale_since,
       f.triage_status AS triage_status,
       f.triage_source AS triage_source,
       f.triage_evidence_hash AS triage_evidence_hash,
       toStringOrNull(f.updated_at) AS seen_updated_at,
       COLLECT {
         MATCH (f)<-[:HAS_CODE_FINDING]-(:GithubRepository)-[:DEPLOYED_TO]->(h)
         WITH coalesce(nullIf(h.url, ''), nullIf(h.name, ''), nullIf(h.address, '')) AS host
         WHERE host IS NOT NULL
         RETURN host ORDER BY host LIMIT 1
       }[0] AS triage_host
