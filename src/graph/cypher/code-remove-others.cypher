CYPHER 5
MATCH (f:CodeFinding {user_id: $userId, project_id: $projectId, repository: $repository})
WHERE f.scope = $scope AND f.fingerprint IS NOT NULL AND NOT f.fingerprint IN $keep
DETACH DELETE f
