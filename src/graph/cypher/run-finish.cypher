CYPHER 5
MATCH (r:TriageRun {id: $runId})
WHERE r.user_id = $userId AND r.project_id = $projectId
SET r.status = $status,
    r.error_class = $errorClass,
    r.summary = $summary,
    r.finish_id = $finishId,
    r.progress = CASE WHEN $status IN ['completed', 'completed_partial'] THEN 100 ELSE r.progress END,
    r.finished_at = datetime()
