CYPHER 5
// Locks row by row in the order given; what is read after the SET cannot change any more.
UNWIND $rows AS row
MATCH (n:FindingLabel {project_id: $projectId})
WHERE n.id = row.id AND n.user_id = $userId
SET n._triage_lock = true
REMOVE n._triage_lock
WITH row, n
// A node that was deleted while this waited for its lock has no labels; its other columns would be null.
WHERE $label IN labels(n) AND NOT n:Muted
RETURN row.index AS index,
       elementId(n) AS node,
       toStringOrNull(n.updated_at) AS updated_at,
       n.triage_status AS triage_status,
       n.triage_source AS triage_source,
       n.triage_ai_verdict AS triage_ai_verdict,
       n.triage_ai_corrections AS triage_ai_corrections,
       n.triage_ai_evidence_hash AS triage_ai_evidence_hash,
       n.triage_ai_channel AS triage_ai_channel,
       n.validation_status AS validation_status,
       n.verdict AS verdict,
       n.cve_ids AS cve_ids,
       EXISTS {
         MATCH (c:ChainFinding)-[:CONFIRMS]->(n)
         WHERE c.user_id = $userId AND c.project_id = $projectId AND c.finding_type IN $proofTypes
       } AS confirmed
