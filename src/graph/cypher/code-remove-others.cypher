CYPHER 5
// What a person judged stays until the pull request is closed: it may come back with the next push.
MATCH (f:CodeFinding {user_id: $userId, project_id: $projectId, repository: $repository})
WHERE f.scope = $scope AND f.fingerprint IS NOT NULL AND NOT f.fingerprint IN $keep
  AND coalesce(f.triage_source, '') <> 'human'
DETACH DELETE f
