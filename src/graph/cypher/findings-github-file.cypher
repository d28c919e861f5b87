CYPHER 5
MATCH (f:GithubSensitiveFile {project_id: $projectId})
WHERE f.user_id = $userId AND NOT f:Muted AND f.id IS NOT NULL
RETURN f.id AS id,
       'GithubSensitiveFile' AS label,
       'github_hunt' AS source,
       coalesce(nullIf(f.name, ''), f.path) AS name,
       coalesce(nullIf(f.severity, ''), 'medium') AS severity,
       f.path AS path,
       f.secret_type AS secret_type,
       f.repository AS repository,
       f.repository_public AS repository_public,
       toStringOrNull(f.stale_since) AS stale_since,
       f.triage_status AS triage_status,
       f.triage_source AS triage_source,
       f.triage_evidence_hash AS triage_evidence_hash,
       toStringOrNull(f.updated_at) AS seen_updated_at,
       f.repository AS triage_host
