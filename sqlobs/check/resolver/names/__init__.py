"""What a name means: a column, an alias, a field, a star, a table."""
