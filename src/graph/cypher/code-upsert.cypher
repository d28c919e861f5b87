CYPHER 5
UNWIND $rows AS row
MATCH (r:GithubRepository)
WHERE elementId(r) = $repositoryNode AND r.user_id = $userId AND r.project_id = $projectId
MERGE (f:CodeFinding {
  user_id: $userId,
  project_id: $projectId,
  repository: $repository,
  fingerprint: row.fingerprint,
  scope: $scope
})
ON CREATE SET f.first_seen_at = datetime()
SET f.id = row.id,
    f += row.properties,
    f.last_seen_at = datetime(),
    f.updated_at = datetime(),
    f.stale_since = null
MERGE (r)-[:HAS_CODE_FINDING]->(f)
