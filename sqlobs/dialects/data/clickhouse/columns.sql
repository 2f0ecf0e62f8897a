SELECT c.database AS table_schema, c.table AS table_name,
  if(t.engine LIKE '%View', 'VIEW', 'TABLE') AS table_type, c.name AS column_name,
  c.position AS ordinal_position, c.type AS data_type, c.comment AS comment
FROM system.columns AS c
JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
WHERE c.database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')
ORDER BY c.database, c.table, c.position
