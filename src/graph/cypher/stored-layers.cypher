CYPHER 5
MATCH (f:FindingLabel {project_id: $projectId})
WHERE f.user_id = $userId AND NOT f:Muted AND f.id IS NOT NULL
  // What a pull request brings is not ranked with the project.
  AND (NOT f:CodeFinding OR f.scope = 'default')
  AND (f.triage_run_id IS NOT NULL OR f.triage_status IS NOT NULL OR f.triage_ai_verdict IS NOT NULL)
RETURN coalesce(f.finding_id, f.id) AS id,
       f.triage_status AS triage_status,
       f.triage_source AS triage_source,
       f.triage_reason AS triage_reason,
       f.triage_verdict_by AS triage_verdict_by,
       f.triage_verdict_channel AS triage_verdict_channel,
       toStringOrNull(f.triage_verdict_at) AS triage_verdict_at,
       f.triage_ai_verdict AS triage_ai_verdict,
       f.triage_ai_corrections AS triage_ai_corrections,
       f.triage_ai_quote AS triage_ai_quote,
       f.triage_ai_why AS triage_ai_why,
       f.triage_ai_model AS triage_ai_model,
       toStringOrNull(f.triage_ai_at) AS triage_ai_at,
       f.triage_ai_channel AS triage_ai_channel,
       f.triage_ai_by AS triage_ai_by,
       f.triage_ai_evidence_hash AS triage_ai_evidence_hash,
       f.triage_ai_prompt_version AS triage_ai_prompt_version,
       f.triage_fix_lever AS triage_fix_lever,
       f.triage_evidence_hash AS triage_evidence_hash,
       f.triage_run_id AS triage_run_id,
       f.triage_tier AS triage_tier,
       f.triage_priority_score AS triage_priority_score,
       f.triage_state AS triage_state
