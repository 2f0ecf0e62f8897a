SELECT database_name AS table_catalog, schema_name AS table_schema, table_name, column_name,
  ordinal_position, data_type, is_nullable, column_default, remarks
FROM svv_redshift_columns
WHERE schema_name NOT IN ('pg_catalog', 'information_schema', 'pg_internal')
ORDER BY schema_name, table_name, ordinal_position
