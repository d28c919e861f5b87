CYPHER 5
MATCH (b:BaseURL {project_id: $projectId})
WHERE b.user_id = $userId
  AND EXISTS {
    MATCH (b)-[:HAS_ENDPOINT]->(e:Endpoint)-[:HAS_PARAMETER]->(p:Parameter)
    WHERE (e.category = 'authentication' OR e.is_form = true) AND p.is_injectable = true
  }
RETURN b.url AS host
