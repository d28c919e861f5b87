CYPHER 5
// GithubRepository has no constraint of ours: whoever makes one holds the project meanwhile.
MERGE (p:TriageProject {user_id: $userId, project_id: $projectId})
SET p._triage_lock = true
REMOVE p._triage_lock
