CYPHER 5
// Sites that ask who one is, and tool servers that should: sensitive, all of them.
MATCH (b:BaseURL {project_id: $projectId})
WHERE b.user_id = $userId
  AND EXISTS {
    MATCH (b)-[:HAS_ENDPOINT]->(e:Endpoint)
    WHERE e.is_form = true
      OR e.category = 'authentication'
      OR (e.ai_mcp_auth_required = false AND toIntegerOrNull(e.ai_mcp_tool_count) > 0)
  }
RETURN b.url AS host
