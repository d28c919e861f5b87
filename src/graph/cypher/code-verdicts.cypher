CYPHER 5
MATCH (f:CodeFinding {user_id: $userId, project_id: $projectId, repository: $repository})
WHERE f.fingerprint IN $fingerprints AND f.scope IS NOT NULL AND NOT f:Muted
  AND f.triage_source = 'human' AND f.triage_status IN ['confirmed', 'likely_noise']
RETURN f.fingerprint AS fingerprint, f.triage_status AS status, f.triage_verdict_by AS by
ORDER BY f.triage_verdict_at
