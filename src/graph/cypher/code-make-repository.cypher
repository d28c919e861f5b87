CYPHER 5
MERGE (r:GithubRepository {user_id: $userId, project_id: $projectId, name: $repository})
ON CREATE SET r.created_by = 'cypherfix', r.updated_at = datetime()
RETURN elementId(r) AS node
