CYPHER 5
// First in every transaction of a publish: a run that was given up meanwhile must write no more.
MATCH (r:TriageRun {id: $runId})
WHERE r.user_id = $userId AND r.project_id = $projectId
SET r._triage_lock = true
REMOVE r._triage_lock
WITH r
WHERE r.status = 'publishing'
SET r.heartbeat_at = datetime()
RETURN r.id AS id
