CYPHER 5
MATCH (p:TriageProject {user_id: $userId, project_id: $projectId})-[:HAS_TRIAGE_RUN]->(r:TriageRun)
WHERE r.automatic = true
WITH datetime().epochMillis AS now,
     r.started_at AS started,
     coalesce(r.finished_at, r.heartbeat_at, r.started_at) AS ended
RETURN now - started.epochMillis AS sinceStartMs, now - ended.epochMillis AS sinceEndMs
