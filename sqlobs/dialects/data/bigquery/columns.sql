-- Replace `my_dataset`; for all datasets of a region: `region-eu`.INFORMATION_SCHEMA.
-- One row for each column and each nested field, for their descriptions.
SELECT c.table_catalog, c.table_schema, c.table_name, t.table_type, c.column_name, f.field_path,
  c.ordinal_position, c.data_type, c.is_nullable, c.column_default, f.description
FROM my_dataset.INFORMATION_SCHEMA.COLUMNS AS c
JOIN my_dataset.INFORMATION_SCHEMA.TABLES AS t USING (table_catalog, table_schema, table_name)
LEFT JOIN my_dataset.INFORMATION_SCHEMA.COLUMN_FIELD_PATHS AS f
  ON f.table_schema = c.table_schema AND f.table_name = c.table_name
  AND f.column_name = c.column_name
ORDER BY c.table_schema, c.table_name, c.ordinal_position, f.field_path
