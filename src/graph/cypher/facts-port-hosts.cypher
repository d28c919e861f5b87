CYPHER 5
MATCH (i:IP {project_id: $projectId})-[:HAS_PORT]->(p:Port)
WHERE i.user_id = $userId AND toLower(coalesce(p.state, 'open')) = 'open'
RETURN i.address AS host,
       CASE WHEN toLower(coalesce(p.source, 'nmap')) IN $passiveSources THEN 'passive' ELSE 'active' END AS sight,
       collect(DISTINCT toIntegerOrNull(p.number)) AS ports
