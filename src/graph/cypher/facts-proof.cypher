CYPHER 5
MATCH (c:ChainFinding {project_id: $projectId})
WHERE c.user_id = $userId AND c.finding_type IN $proofTypes
RETURN c.chain_id AS chain_id,
       c.finding_type AS finding_type,
       COLLECT { MATCH (c)-[:FINDING_RELATES_CVE]->(v:CVE) RETURN v.id } AS cve_ids,
       COLLECT { MATCH (c)-[:CONFIRMS]->(f) RETURN coalesce(f.id, f.finding_id) } AS finding_ids,
       COLLECT { MATCH (c)-[:FOUND_ON]->(t) UNWIND [t.name, t.address, t.url] AS host RETURN host }
         + [c.target_host, c.target_url] AS hosts
