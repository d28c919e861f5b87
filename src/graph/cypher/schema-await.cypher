CYPHER 5
CALL db.awaitIndexes($seconds)
