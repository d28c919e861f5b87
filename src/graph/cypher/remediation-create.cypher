CYPHER 5
UNWIND $rows AS row
CREATE (m:Remediation {user_id: $userId, project_id: $projectId, group_key: row.groupKey})
SET m += row.properties, m.status = 'pending', m.still_detected = false, m.created_at = datetime(), m.updated_at = datetime()
