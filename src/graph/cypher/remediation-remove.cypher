CYPHER 5
UNWIND $nodes AS node
MATCH (m:Remediation)
WHERE elementId(m) = node AND m.user_id = $userId AND m.project_id = $projectId
DETACH DELETE m
