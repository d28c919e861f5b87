CYPHER 5
SHOW INDEXES YIELD labelsOrTypes, properties, owningConstraint, state, type, entityType
WHERE type = 'RANGE' AND entityType = 'NODE'
RETURN labelsOrTypes[0] AS label, properties, owningConstraint IS NOT NULL AS unique, state
