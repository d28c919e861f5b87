CYPHER 5
// Kept: the newest ones, the newest that completed, the young, and the live.
MATCH (p:TriageProject {user_id: $userId, project_id: $projectId})-[:HAS_TRIAGE_RUN]->(r:TriageRun)
WITH r ORDER BY r.started_at DESC, r.id
WITH collect(r) AS runs
WITH runs[$keep..] AS old, [run IN runs WHERE run.status = 'completed'][0] AS lastCompleted
UNWIND old AS r
WITH r, lastCompleted
WHERE NOT r.status IN ['running', 'publishing']
  AND (lastCompleted IS NULL OR r.id <> lastCompleted.id)
  AND r.started_at < datetime() - duration({milliseconds: $keepYoungMs})
DETACH DELETE r
RETURN count(*) AS removed
