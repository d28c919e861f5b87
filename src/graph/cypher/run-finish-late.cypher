CYPHER 5
// Somebody else ended the run: its status stays.
MATCH (r:TriageRun {id: $runId})
WHERE r.user_id = $userId AND r.project_id = $projectId
SET r.summary = $summary, r.finish_id = $finishId, r.finished_late_at = datetime()
