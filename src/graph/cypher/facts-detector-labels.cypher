CYPHER 5
// What people said of each detector's findings, in all of the user's projects; muted findings teach as well. One code
// finding may stand in several scopes, to which its verdict is copied.
MATCH (f:Vulnerability|ExploitGvm|Secret|JsReconFinding|MultiscannerFinding|GithubSecret|GithubSensitiveFile|MalPackageFinding|CodeFinding)
WHERE f.user_id = $userId
  AND f.triage_source = 'human'
  AND f.triage_status IN ['confirmed', 'likely_noise']
  AND f.triage_detector IS NOT NULL
  AND coalesce(f.triage_verdict_channel, 'app') = 'app'
WITH DISTINCT f.triage_detector AS detector,
     f.triage_status AS status,
     CASE WHEN f:CodeFinding THEN [f.project_id, f.repository, f.fingerprint] ELSE [elementId(f)] END AS finding
RETURN detector,
       sum(CASE status WHEN 'confirmed' THEN 1 ELSE 0 END) AS real,
       sum(CASE status WHEN 'likely_noise' THEN 1 ELSE 0 END) AS fp
