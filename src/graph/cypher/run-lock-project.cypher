CYPHER 5
// A bare MERGE of an existing node takes no lock; the SET does, and whoever comes second waits here.
MERGE (p:TriageProject {user_id: $userId, project_id: $projectId})
  ON CREATE SET p.created_at = datetime()
SET p.touched_at = datetime()
