CYPHER 5
// Locked before it is looked at again: its heartbeat may be on the way.
UNWIND $ids AS id
MATCH (r:TriageRun {id: id})
WHERE r.user_id = $userId AND r.project_id = $projectId
SET r._triage_lock = true
REMOVE r._triage_lock
WITH r
WHERE r.status IN ['running', 'publishing']
  AND (r.heartbeat_at IS NULL OR r.heartbeat_at < datetime() - duration({milliseconds: $ttlMs}))
SET r.status = 'failed', r.error_class = 'agent_lost', r.finished_at = datetime()
RETURN r.id AS id
