CYPHER 5
MATCH (p:Package {project_id: $projectId})
WHERE p.user_id = $userId
WITH coalesce(p.purl, p.name) AS package,
     CASE
       WHEN EXISTS { (:BaseURL)-[:DEPENDS_ON]->(p) } THEN 'served'
       WHEN EXISTS { (:GithubRepository)-[:DEPENDS_ON]->(p) } THEN 'repo'
       WHEN EXISTS { (:SbomDocument)-[:DEPENDS_ON]->(p) } THEN 'sbom'
     END AS exposure
WHERE exposure IS NOT NULL
RETURN package, exposure
