CYPHER 5
// Fingerprints of the repository that begin as a person wrote; more than one says that more letters are needed.
MATCH (n:CodeFinding {project_id: $projectId})
WHERE n.user_id = $userId AND n.repository = $repository AND n.fingerprint STARTS WITH $prefix AND NOT n:Muted
RETURN DISTINCT n.fingerprint AS fingerprint ORDER BY fingerprint LIMIT 2
