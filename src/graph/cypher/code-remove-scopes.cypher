CYPHER 5
MATCH (f:CodeFinding {user_id: $userId, project_id: $projectId, repository: $repository})
WHERE f.scope IN $scopes AND f.fingerprint IS NOT NULL
DETACH DELETE f
