CYPHER 5
MATCH (r:TriageRun {id: $runId})
WHERE r.user_id = $userId AND r.project_id = $projectId
SET r._triage_lock = true
REMOVE r._triage_lock
WITH r
RETURN r.status AS status,
       r.error_class AS errorClass,
       r.finish_id AS finishId,
       r.heartbeat_at IS NULL OR r.heartbeat_at < datetime() - duration({milliseconds: $ttlMs}) AS lost
