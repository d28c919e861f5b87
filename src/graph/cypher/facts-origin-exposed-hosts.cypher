CYPHER 5
MATCH (s:Subdomain {project_id: $projectId})
WHERE s.user_id = $userId
  AND (EXISTS { (s)-[:HAS_ORIGIN]->(:IP {origin_confirmed: true}) } OR EXISTS { (s)-[:WAF_BYPASS_VIA]->() })
RETURN s.name AS host
