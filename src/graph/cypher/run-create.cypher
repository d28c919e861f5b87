CYPHER 5
MATCH (p:TriageProject {user_id: $userId, project_id: $projectId})
CREATE (p)-[:HAS_TRIAGE_RUN]->(r:TriageRun {
  id: $runId,
  user_id: $userId,
  project_id: $projectId,
  status: 'running',
  phase: 'authorizing',
  progress: 2,
  trigger: $trigger,
  automatic: $automatic,
  model_version: $modelVersion,
  started_at: datetime(),
  heartbeat_at: datetime()
})
