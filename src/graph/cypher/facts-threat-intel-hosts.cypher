CYPHER 5
MATCH (n:IP|Subdomain|Domain|BaseURL {project_id: $projectId})
WHERE n.user_id = $userId
  AND (EXISTS { (n)-[:APPEARS_IN_PULSE]->() }
    OR EXISTS { (n)-[:CONTACTS_MALICIOUS_HOST]->() }
    OR toIntegerOrNull(n.vt_malicious_count) >= 3
    OR n.criminalip_score_inbound = 'dangerous'
    OR n.criminalip_is_darkweb = true)
RETURN [n.name, n.address, n.url] AS hosts
