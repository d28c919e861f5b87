CYPHER 5
MATCH (p:TriageProject {user_id: $userId, project_id: $projectId})-[:HAS_TRIAGE_RUN]->(r:TriageRun)
WHERE r.status IN ['running', 'publishing']
RETURN r.id AS id,
       r.phase AS phase,
       toString(r.heartbeat_at) AS heartbeatAt,
       r.heartbeat_at IS NULL OR r.heartbeat_at < datetime() - duration({milliseconds: $ttlMs}) AS lost
ORDER BY id
