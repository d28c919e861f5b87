CYPHER 5
UNWIND $rows AS row
MATCH (m:Remediation)
WHERE elementId(m) = row.node AND m.user_id = $userId AND m.project_id = $projectId
SET m += row.properties, m.updated_at = datetime()
