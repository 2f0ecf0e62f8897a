SELECT c.table_catalog, c.table_schema, c.table_name, t.table_type, c.column_name,
  c.ordinal_position, c.data_type, c.numeric_precision, c.numeric_scale, c.is_nullable,
  c.column_default, c.comment
FROM information_schema.columns AS c
JOIN information_schema.tables AS t
  ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema <> 'INFORMATION_SCHEMA'
ORDER BY c.table_schema, c.table_name, c.ordinal_position
