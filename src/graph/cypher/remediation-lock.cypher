CYPHER 5
MATCH (m:Remediation {user_id: $userId, project_id: $projectId})
WITH m ORDER BY m.group_key, elementId(m)
SET m._triage_lock = true
REMOVE m._triage_lock
WITH m
// A node that was deleted while this waited for its lock has no labels.
WHERE 'Remediation' IN labels(m)
RETURN elementId(m) AS node,
       m.group_key AS groupKey,
       m.status AS status,
       m.agent_session_id AS agentSessionId,
       m.fix_branch AS fixBranch,
       m.pr_url AS prUrl
