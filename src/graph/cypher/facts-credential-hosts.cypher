CYPHER 5
MATCH (f:Secret|MultiscannerFinding {project_id: $projectId})
WHERE f.user_id = $userId AND NOT f:Muted
RETURN DISTINCT coalesce(
  nullIf(f.base_url, ''),
  COLLECT { MATCH (b:BaseURL)-[:HAS_SECRET|HAS_FINDING]->(f) RETURN b.url ORDER BY b.url LIMIT 1 }[0],
  f.location
) AS host
