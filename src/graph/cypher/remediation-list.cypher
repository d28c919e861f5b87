CYPHER 5
MATCH (m:Remediation {user_id: $userId, project_id: $projectId})
WHERE m.group_key IS NOT NULL
RETURN m AS remediation
ORDER BY m.priority, m.group_key
