CYPHER 5
// Hosts of which nothing answers any more.
MATCH (h:Subdomain|IP {project_id: $projectId})
WHERE h.user_id = $userId
  AND NOT coalesce(h.is_live, false) = true
  AND NOT EXISTS { (h)-[:RESOLVES_TO]-() }
  AND NOT EXISTS {
    MATCH (h)-[:HAS_PORT]->(p:Port)
    WHERE toLower(coalesce(p.state, 'open')) = 'open'
  }
  AND NOT EXISTS {
    MATCH (h)-[:HAS_BASE_URL|HAS_BASEURL]-(:BaseURL)-[:HAS_ENDPOINT]->(e:Endpoint)
    WHERE e.is_live = true OR e.status_code IS NOT NULL
  }
RETURN coalesce(h.name, h.address) AS host
