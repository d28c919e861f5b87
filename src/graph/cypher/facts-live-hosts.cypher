CYPHER 5
MATCH (b:BaseURL {project_id: $projectId})
WHERE b.user_id = $userId
  AND EXISTS {
    MATCH (b)-[:HAS_ENDPOINT]->(e:Endpoint)
    WHERE e.is_live = true OR toIntegerOrNull(e.status_code) < 500
  }
RETURN b.url AS host,
       COLLECT { MATCH (b)-[:HAS_BASE_URL|HAS_BASEURL]-(s:Subdomain) RETURN DISTINCT s.name } AS names
