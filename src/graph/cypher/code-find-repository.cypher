CYPHER 5
MATCH (r:GithubRepository {project_id: $projectId})
WHERE r.user_id = $userId AND toLower($repository) IN [toLower(r.full_name), toLower(r.name)]
RETURN elementId(r) AS node,
       COLLECT {
         MATCH (r)-[:DEPLOYED_TO]->(h)
         WITH coalesce(nullIf(h.url, ''), nullIf(h.name, ''), nullIf(h.address, '')) AS host
         WHERE host IS NOT NULL
         RETURN host ORDER BY host LIMIT 1
       }[0] AS host
ORDER BY node LIMIT 1
