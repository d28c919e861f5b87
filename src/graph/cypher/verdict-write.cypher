CYPHER 5
UNWIND $rows AS row
MATCH (n:CodeFinding)
WHERE elementId(n) = row.node AND n.user_id = $userId AND n.project_id = $projectId AND NOT n:Muted
SET n += row.properties,
    n.triage_verdict_at = CASE WHEN $decided THEN datetime() END,
    n.triage_rescored_at = CASE WHEN row.rescored THEN datetime() ELSE n.triage_rescored_at END
