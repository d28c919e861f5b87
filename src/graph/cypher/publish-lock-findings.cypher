CYPHER 5
// Locks row by row in the order given; what is read after the SET cannot change any more. Most findings have neither
// review nor decision, and every look for an absent property costs as much as one for the last of its node.
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
       CASE WHEN n.triage_source = 'human' THEN n {.triage_source, .triage_status} END AS decision,
       CASE WHEN n.triage_ai_verdict IS NOT NULL THEN n {
         .triage_ai_verdict,
         .triage_ai_corrections,
         .triage_ai_evidence_hash,
         .triage_ai_channel
       } END AS review,
       n.validation_status AS validation_status,
       n.verdict AS verdict,
       EXISTS {
         MATCH (c:ChainFinding)-[:CONFIRMS]->(n)
         WHERE c.user_id = $userId AND c.project_id = $projectId AND c.finding_type IN $proofTypes
       } OR EXISTS {
         UNWIND [] + coalesce(n.cve_ids, []) AS cve
         MATCH (:CVE {id: cve})<-[:EXPLOITED_CVE]-(x:ExploitGvm {project_id: $projectId})
         WHERE x.user_id = $userId
       } AS confirmed
