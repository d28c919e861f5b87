CYPHER 5
MATCH (f:Secret {project_id: $projectId})
WHERE f.user_id = $userId AND NOT f:Muted AND f.id IS NOT NULL
RETURN f.id AS id,
       'Secret' AS label,
       coalesce(nullIf(f.source, ''), 'js_recon') AS source,
       coalesce(nullIf(f.key_type, ''), nullIf(f.secret_type, ''), 'secret') AS name,
       coalesce(nullIf(f.severity, ''), 'medium') AS severity,
       f.secret_type AS secret_type,
       f.key_type AS key_type,
       f.key_type AS detector_name,
       f.path AS path,
       f.location AS location,
       f.matched_text AS matched_text,
       f.raw_secret AS raw_secret,
       f.secret_value AS secret_value,
       f.sample AS sample,
       f.validation_status AS validation_status,
       toStringOrNull(f.validated_at) AS validated_at,
       f.confidence AS confidence,
       toStringOrNull(f.stale_since) AS stale_since,
       f.triage_status AS triage_status,
       f.triage_source AS triage_source,
       f.triage_evidence_hash AS triage_evidence_hash,
       toStringOrNull(f.updated_at) AS seen_updated_at,
       coalesce(
         nullIf(f.base_url, ''),
         COLLECT { MATCH (b:BaseURL)-[:HAS_SECRET]->(f) WHERE b.url <> '' RETURN b.url ORDER BY b.url LIMIT 1 }[0]
       ) AS triage_host
