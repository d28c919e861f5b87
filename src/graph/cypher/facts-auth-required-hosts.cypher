CYPHER 5
// Every endpoint that answered asked for a login.
MATCH (b:BaseURL {project_id: $projectId})
WHERE b.user_id = $userId
  AND EXISTS {
    MATCH (b)-[:HAS_ENDPOINT]->(e:Endpoint)
    WHERE toIntegerOrNull(e.status_code) IN [401, 403]
  }
  AND NOT EXISTS {
    MATCH (b)-[:HAS_ENDPOINT]->(e:Endpoint)
    WHERE e.status_code IS NOT NULL AND NOT coalesce(toIntegerOrNull(e.status_code) IN [401, 403], false)
  }
RETURN b.url AS host
