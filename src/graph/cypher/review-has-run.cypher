CYPHER 5
// Whether the project was ever triaged: one that a policy misspells never was.
MATCH (p:TriageProject {user_id: $userId, project_id: $projectId})
WHERE EXISTS { (p)-[:HAS_TRIAGE_RUN]->(:TriageRun) }
RETURN p.project_id AS project
