CYPHER 5
// The nodes were found and locked earlier in the same transaction, so their element ids hold.
UNWIND $rows AS row
MATCH (n)
WHERE elementId(n) = row.node AND n.user_id = $userId AND n.project_id = $projectId AND NOT n:Muted
SET n += row.properties,
    n.triaged_at = datetime(),
    n.triage_rescored_at = datetime(),
    n.triage_ai_at = CASE WHEN row.reviewedAt IS NULL THEN n.triage_ai_at ELSE datetime(row.reviewedAt) END
