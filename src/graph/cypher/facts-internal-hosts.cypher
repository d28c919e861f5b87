CYPHER 5
MATCH (s:Subdomain {project_id: $projectId})
WHERE s.user_id = $userId AND s.internal_pattern_match IS NOT NULL
  AND NOT s.internal_pattern_match IN [false, '', 'false']
RETURN s.name AS host
