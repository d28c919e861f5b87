CYPHER 5
// A finding that a person judged in another scope is judged in this one, too. The other scopes are locked before they are
// read, so that a verdict that is being written is waited for.
MATCH (o:CodeFinding {user_id: $userId, project_id: $projectId, repository: $repository})
WHERE o.fingerprint IN $fingerprints AND o.scope IS NOT NULL AND o.scope <> $scope
SET o._triage_lock = true
REMOVE o._triage_lock
WITH o
WHERE o.triage_source = 'human' AND o.triage_status IN ['confirmed', 'likely_noise'] AND NOT o:Muted
ORDER BY o.triage_verdict_at DESC
WITH o.fingerprint AS fingerprint, collect(o)[0] AS judged
MATCH (f:CodeFinding {
  user_id: $userId,
  project_id: $projectId,
  repository: $repository,
  fingerprint: fingerprint,
  scope: $scope
})
WHERE f.triage_status IS NULL
SET f.triage_status = judged.triage_status,
    f.triage_source = judged.triage_source,
    f.triage_confidence = judged.triage_confidence,
    f.triage_reason = judged.triage_reason,
    f.triage_verdict_by = judged.triage_verdict_by,
    f.triage_verdict_channel = judged.triage_verdict_channel,
    f.triage_verdict_at = judged.triage_verdict_at
