CYPHER 5
// Muted ones, too: they go with their pull request.
MATCH (f:CodeFinding {user_id: $userId, project_id: $projectId, repository: $repository})
WHERE f.scope STARTS WITH 'pr/' AND f.fingerprint IS NOT NULL
RETURN DISTINCT f.scope AS scope
