CYPHER 5
// Not updated_at: the run that found it gone is the one that ranks it.
UNWIND $ids AS id
MATCH (f:CodeFinding {project_id: $projectId, id: id})
WHERE f.user_id = $userId AND f.scope = 'default' AND f.stale_since IS NULL
SET f.stale_since = datetime()
