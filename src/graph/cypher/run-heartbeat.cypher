CYPHER 5
MATCH (r:TriageRun {id: $runId})
WHERE r.user_id = $userId AND r.project_id = $projectId
SET r._triage_lock = true
REMOVE r._triage_lock
WITH r
WHERE r.status IN ['running', 'publishing']
SET r.heartbeat_at = datetime(), r.phase = $phase, r.progress = $progress
RETURN r.status AS status
