CYPHER 5
MATCH (s:Subdomain {project_id: $projectId})
WHERE s.user_id = $userId AND s.is_cdn = true AND NOT EXISTS { (s)-[:HAS_ORIGIN]->(:IP {origin_confirmed: true}) }
RETURN s.name AS host
