CYPHER 5
// Every scope of the finding: the default branch and the open pull requests.
MATCH (n:CodeFinding {project_id: $projectId, fingerprint: $fingerprint})
WHERE n.id IS NOT NULL AND n.user_id = $userId AND n.repository = $repository
WITH n ORDER BY n.id
SET n._triage_lock = true
REMOVE n._triage_lock
WITH n
// A node that was deleted while this waited for its lock has no labels.
WHERE 'CodeFinding' IN labels(n) AND NOT n:Muted
RETURN elementId(n) AS node, n AS finding,
       EXISTS {
         MATCH (c:ChainFinding)-[:CONFIRMS]->(n)
         WHERE c.user_id = $userId AND c.project_id = $projectId AND c.finding_type IN $proofTypes
       } AS confirmed
