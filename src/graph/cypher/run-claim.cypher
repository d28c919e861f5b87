CYPHER 5
MATCH (r:TriageRun {id: $runId})
WHERE r.user_id = $userId AND r.project_id = $projectId
SET r.status = 'publishing', r.phase = 'publishing', r.claimed_at = datetime(), r.heartbeat_at = datetime()
