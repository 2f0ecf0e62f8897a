"""Questions to an engine about forms of SQL, each a statement that it takes or refuses.

`scripts/catalog` runs them on every engine and writes down what it refuses; rules and resolver
ask the catalogue. A new question is a new entry.
"""

from __future__ import annotations

from typing import Final

from sqlobs.check.forms.sequences import SEQUENCES

SAMPLES: Final[dict[str, str]] = {
    "string_alias": "SELECT 1 AS 'a b'",
    "bare_string_alias": "SELECT 1 'a b'",
    "limit_with_comma": "SELECT x FROM probe LIMIT 1, 2",
    "derived_without_alias": "SELECT 1 FROM (SELECT 1 AS y)",
    "join_without_condition": "SELECT 1 FROM probe a JOIN probe b",
    "outer_join_without_condition": "SELECT 1 FROM probe a LEFT JOIN probe b",
    "select_without_list": "SELECT FROM probe",
    "in_without_brackets": "SELECT 1 FROM probe WHERE x IN probe",
    "equality_chain": "SELECT 1 FROM probe WHERE x = x = x",
    "comparison_chain": "SELECT 1 FROM probe WHERE x < x < x",
    "row_as_value": "SELECT (1, 2) FROM probe",
    "double_quoted_table": 'SELECT 1 FROM "probe"',
    "single_quoted_table": "SELECT 1 FROM 'probe'",
    "adjacent_strings": "SELECT 1 FROM probe WHERE 'a' IN ('a' 'b')",
    "adjacent_strings_on_lines": "SELECT 1 FROM probe WHERE 'a' IN ('a'\n'b')",
    "star_alias": "SELECT * a FROM probe",
    "star_without_from": "SELECT *",
    "limit_in_subquery": "SELECT 1 FROM probe WHERE x IN (SELECT x FROM probe LIMIT 1)",
    "distinct_with_space": "SELECT count (DISTINCT x) FROM probe",
    "order_before_set_operation": "SELECT 1 AS a ORDER BY a UNION SELECT 2",
    "repeated_output_of_derived": "SELECT 1 FROM (SELECT 1 AS y, 2 AS y) AS t",
    "having_without_group": "SELECT 1 FROM probe HAVING 1 = 1",
    "set_operand_in_brackets": "SELECT 1 UNION (SELECT 2)",
    "trailing_comma": "SELECT x, FROM probe",
    "empty_in": "SELECT 1 FROM probe WHERE x IN ()",
    "qualified_star_alias": "SELECT probe.* AS y FROM probe",
    "star_after_column": "SELECT x, * FROM probe",
    "table_column_aliases": "SELECT y FROM probe AS t(y)",
    "derived_column_aliases": "SELECT y FROM (SELECT 1) AS t(y)",
    "set_operand_first_in_brackets": "(SELECT 1) UNION SELECT 2",
    "offset_without_limit": "SELECT x FROM probe OFFSET 1",
    "group_by_all": "SELECT x FROM probe GROUP BY ALL",
    "query_as_limit": "SELECT x FROM probe LIMIT (SELECT 1)",
    "negative_limit": "SELECT x FROM probe LIMIT -1",
    "text_as_limit": "SELECT x FROM probe LIMIT 'a'",
    "quoted_number_as_limit": "SELECT x FROM probe LIMIT '1'",
    "call_without_arguments": "SELECT count() FROM probe",
    "distinct_star": "SELECT count(DISTINCT *) FROM probe",
    "repeated_output_of_cte": "WITH t AS (SELECT 1 AS y, 2 AS y) SELECT 1 FROM t",
    "text_in_order": "SELECT x FROM probe ORDER BY 'a'",
    "text_in_order_of_set": "SELECT x FROM probe UNION SELECT 2 ORDER BY 'a'",
    "wide_cte_names": "WITH a (y, z) AS (SELECT 1) SELECT y FROM a",
    "narrow_cte_names": "WITH a (y) AS (SELECT 1, 2) SELECT y FROM a",
    "order_by_name_of_last_operand": "SELECT 1 AS a UNION SELECT 2 AS b ORDER BY b",
    "on_sees_comma_items": "SELECT 1 FROM probe a, probe b JOIN probe c ON c.x = a.x",
    "alias_in_aggregate_of_having": "SELECT x AS y FROM probe GROUP BY x HAVING max(y) > 1",
    "alias_in_subquery_of_having": "SELECT x AS y FROM probe GROUP BY x"
    " HAVING EXISTS (SELECT 1 FROM probe p WHERE p.x = y)",
    "count_alias_in_aggregate_of_subquery": "SELECT x, count(*) AS y FROM probe GROUP BY x"
    " ORDER BY (SELECT max(y) FROM probe AS p)",
    "outer_namesake_column": "SELECT 1 FROM (SELECT 1 AS y) AS p"
    " WHERE EXISTS (SELECT 1 FROM probe AS p WHERE p.y = 1)",
    "outer_join_sees_later_items": "SELECT 1 FROM probe a LEFT JOIN probe b ON b.x = c.x"
    " LEFT JOIN probe c ON c.x = a.x",
    "aggregate_alias_in_order_expression": "SELECT count(*) AS n FROM probe ORDER BY n + 1",
    "row_equals_query": "SELECT 1 FROM probe WHERE (x, x) = (SELECT x, x FROM probe LIMIT 1)",
    "several_distinct_arguments": "SELECT count(DISTINCT x, x) FROM probe",
    "text_in_group": "SELECT 'a' FROM probe GROUP BY 'a'",
    "constant_in_group": "SELECT 1 FROM probe GROUP BY NULL",
    "constant_in_order": "SELECT x FROM probe ORDER BY NULL",
    "using_of_repeated_column": "SELECT 1 FROM probe a CROSS JOIN probe b JOIN probe c USING (x)",
    "aggregate_in_list_of_exists": "SELECT 1 FROM probe WHERE EXISTS (SELECT max(probe.x))",
    "row_in_correlated_query": "SELECT 1 FROM probe WHERE (x, x) IN"
    " (SELECT t.x, t.x FROM probe AS t WHERE t.x = probe.x)",
    "qualify_without_window": "SELECT x FROM probe QUALIFY x = 1",
    "row_in_group": "SELECT 1 FROM probe GROUP BY (x, x)",
    "order_behind_rollup": "SELECT x FROM probe GROUP BY x WITH ROLLUP ORDER BY x",
    "ungrouped_in_unread_window": "SELECT count(*) FROM probe WINDOW w AS (ORDER BY x)",
    "query_as_limit_of_set": "SELECT x FROM probe UNION SELECT 1 LIMIT (SELECT 1)",
    "ghost_in_unread_window": "SELECT x FROM probe WINDOW w AS (ORDER BY ghost)",
    "using_sees_comma_items": "SELECT 1 FROM probe a, (SELECT 1 AS y) b JOIN probe c USING (x)",
    "natural_without_common_column": "SELECT 1 FROM probe NATURAL JOIN (SELECT 1 AS y) AS t",
    "order_without_argument": "SELECT max(ORDER BY x) FROM probe",
    "window_alias_in_having": "SELECT rank() OVER (ORDER BY x) AS r FROM probe GROUP BY x"
    " HAVING r > 1",
    "expression_as_limit": "SELECT x FROM probe LIMIT 1 + 1",
    "null_as_limit": "SELECT x FROM probe LIMIT NULL",
    "row_in_call": "SELECT count(DISTINCT (x, x)) FROM probe",
    "expression_in_order_of_set": "SELECT 1 AS a UNION SELECT 2 ORDER BY a + 1",
    "selected_expression_in_order_of_set": "SELECT abs(x) FROM probe UNION SELECT 2"
    " ORDER BY abs(x)",
    "recursion_without_the_word": "WITH a AS (SELECT 1 AS y UNION ALL SELECT y + 1 FROM a"
    " WHERE y < 3) SELECT y FROM a",
    "aggregate_in_recursion": "WITH RECURSIVE a AS (SELECT 1 AS y UNION ALL SELECT max(y) FROM a)"
    " SELECT y FROM a",
    "ordinal_of_aggregate": "SELECT count(*) FROM probe GROUP BY 1",
    "alias_of_query_in_list": "SELECT (SELECT 1) AS y, y + 1 FROM probe",
    "list_behind_in": "SELECT 1 FROM probe WHERE 1 IN ARRAY[1]",
    "limit_in_recursion": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM a LIMIT 3)"
    " SELECT y FROM a",
    "order_in_recursion": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM a"
    " WHERE y < 3 ORDER BY 1) SELECT y FROM a",
    "order_of_distinct_arguments": "SELECT group_concat(DISTINCT x ORDER BY y)"
    " FROM (SELECT x, x AS y FROM probe) AS t",
    "order_by_part_of_distinct_arguments": "SELECT group_concat(DISTINCT x ORDER BY -x) FROM probe",
    "qualified_star_in_call": "SELECT count(probe.*) FROM probe",
    "field_of_brackets": "SELECT (probe).x FROM probe",
    "value_call_as_table": "SELECT 1 FROM upper('a') AS t",
    "outer_namesake_in_having": "SELECT 1 FROM (SELECT x, x AS y FROM probe) AS t WHERE EXISTS"
    " (SELECT max(t.x) FROM (SELECT x, x AS y FROM probe) AS t HAVING t.y = 1)",
    "reversed_frame": "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN CURRENT ROW AND 1 PRECEDING)"
    " FROM probe",
    "frame_from_following_to_preceding": "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1 FOLLOWING"
    " AND 1 PRECEDING) FROM probe",
    "column_in_frame": "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN x PRECEDING AND CURRENT ROW)"
    " FROM probe",
    "filter_of_window": "SELECT rank() FILTER (WHERE x = 1) OVER (ORDER BY x) FROM probe",
    "partition_of_named_window": "SELECT sum(x) OVER (w PARTITION BY x) FROM probe"
    " WINDOW w AS (ORDER BY x)",
    "order_of_ordered_window": "SELECT sum(x) OVER (w ORDER BY x) FROM probe"
    " WINDOW w AS (ORDER BY x)",
    "copy_of_framed_window": "SELECT sum(x) OVER (w ROWS 1 PRECEDING) FROM probe"
    " WINDOW w AS (ORDER BY x ROWS 1 PRECEDING)",
    "groups_without_order": "SELECT sum(x) OVER (GROUPS 1 PRECEDING) FROM probe",
    "recursion_without_union": "WITH RECURSIVE a (y) AS (SELECT 1 EXCEPT SELECT y FROM a)"
    " SELECT y FROM a",
    "recursion_in_first": "WITH RECURSIVE a (y) AS (SELECT y FROM a UNION ALL SELECT 1)"
    " SELECT y FROM a",
    "recursion_in_chain": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM a"
    " WHERE y < 3 UNION ALL SELECT y + 2 FROM a WHERE y < 3) SELECT y FROM a",
    "recursion_twice": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT a.y + 1 FROM a, a AS b"
    " WHERE a.y < 3) SELECT y FROM a",
    "recursion_in_subquery": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT x FROM probe"
    " WHERE x IN (SELECT y FROM a)) SELECT y FROM a",
    "recursion_in_derived": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT t.y + 1"
    " FROM (SELECT y FROM a WHERE y < 3) AS t) SELECT y FROM a",
    "recursion_in_outer_join": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT p.x"
    " FROM probe p LEFT JOIN a ON a.y = p.x) SELECT y FROM a",
    "lock_of_groups": "SELECT x FROM probe GROUP BY x FOR UPDATE",
    "qualified_target": "UPDATE probe AS p SET p.x = 1",
    "repeated_insert_column": "INSERT INTO probe (x, x) VALUES (1, 2)",
    "repeated_assignment": "UPDATE probe SET x = 1, x = 2",
    "empty_array": "SELECT ARRAY[]",
    "conflict_without_target": "INSERT INTO keyed (x) VALUES (1) ON CONFLICT DO UPDATE SET x = 1",
    "conflict_without_key": "INSERT INTO probe (x) VALUES (1) ON CONFLICT (x) DO NOTHING",
    "empty_insert_list": "INSERT INTO probe () VALUES ()",
    "alias_within_grouped_item": "SELECT x AS y, y + 1 AS z FROM probe GROUP BY y, z",
    "row_in_query_of_rows": "SELECT 1 FROM probe WHERE (x, x) IN (SELECT (x, x) FROM probe)",
    "limit_in_quantified": "SELECT 1 FROM probe WHERE x = ALL (SELECT x FROM probe LIMIT 1)",
    "offset_rows_without_limit": "SELECT x FROM probe OFFSET 1 ROWS",
    "fraction_as_limit": "SELECT x FROM probe LIMIT 1.5",
    "boolean_as_limit": "SELECT x FROM probe LIMIT TRUE",
    "brackets_as_limit": "SELECT x FROM probe LIMIT (1)",
    "variable_as_limit": "SELECT x FROM probe LIMIT @n",
    "row_in_list_of_values": "SELECT 1 FROM probe WHERE x IN ((1, 2), (3, 4))",
    "inner_join_condition_sees_outside": "SELECT 1 FROM probe a JOIN probe b JOIN probe c"
    " ON c.x = a.x ON b.x = a.x",
    "default_in_update": "UPDATE probe SET x = DEFAULT",
    "group_by_star": "SELECT x FROM probe GROUP BY *",
    "qualify_of_group_by_all": "SELECT x FROM probe GROUP BY ALL"
    " QUALIFY row_number() OVER (ORDER BY x) = 1",
    "returning_of_source": "UPDATE probe SET x = 1 FROM (SELECT 1 AS y) AS b WHERE b.y = 1"
    " RETURNING b.y",
    "condition_behind_arrow": "SELECT CAST('{}' AS json) -> 'a' IS NULL",
    "window_in_recursion": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT"
    " max(y) OVER () FROM a WHERE y < 3) SELECT y FROM a",
    "star_of_namesakes": "SELECT * FROM probe a JOIN probe a ON 1 = 1",
    "star_of_strangers": "SELECT * FROM (SELECT 1 AS y) AS a CROSS JOIN (SELECT 2 AS z) AS a",
    "aggregate_alias_in_subquery": "SELECT max(x) AS y FROM probe GROUP BY x HAVING max(x) >"
    " (SELECT count(*) FROM probe AS b WHERE b.x > y)",
    "aggregate_alias_in_subquery_of_list": "SELECT max(x) AS y, (SELECT y + 1) AS z FROM probe",
    "aggregate_alias_in_aggregate": "SELECT max(x) AS y FROM probe GROUP BY x HAVING max(y) > 1",
    "name_within_named_join": "SELECT a.x FROM (probe a JOIN probe b ON a.x = b.x) AS t",
    "alias_of_join": "SELECT 1 FROM (probe a JOIN probe b ON a.x = b.x) AS t",
    **{one.name: one.sample for one in SEQUENCES if one.sample is not None},
}
"""By name, over `probe (x)`."""

CALLS: Final[dict[str, str]] = {
    "all": "SELECT 1 FROM probe WHERE 1 <> ALL (ARRAY[1])",
    "some": "SELECT 1 FROM probe WHERE 1 = SOME (ARRAY[1])",
    "array": "SELECT array(SELECT x FROM probe)",
    "binary": "SELECT binary('a')",
    "cast": "SELECT CAST(1 AS integer)",
    "convert": "SELECT convert('a' USING utf8)",
    "columns": "SELECT columns(*) FROM probe",
    "date": "SELECT date(CURRENT_TIMESTAMP)",
    "extract": "SELECT extract(YEAR FROM CURRENT_TIMESTAMP)",
    "grouping": "SELECT grouping(x) FROM probe GROUP BY x",
    "if": "SELECT if(1 = 1, 1, 2)",
    "likelihood": "SELECT likelihood(1, 0.5)",
    "match": "SELECT match(x) AGAINST ('a') FROM probe",
    "mode": "SELECT mode() WITHIN GROUP (ORDER BY x) FROM probe",
    "normalize": "SELECT normalize('a')",
    "overlay": "SELECT overlay('abc' PLACING 'x' FROM 1)",
    "percentile_cont": "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM probe",
    "percentile_disc": "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM probe",
    "position": "SELECT position('a' IN 'b')",
    "row": "SELECT row(1, 2)",
    "substring": "SELECT substring('abc', 1, 2)",
    "time": "SELECT time(CURRENT_TIMESTAMP)",
    "xmltable": "SELECT 1 FROM xmltable('/a' PASSING xml('<a/>') COLUMNS b int PATH 'b') AS t",
    "trim": "SELECT trim('a')",
}
"""Calls that the grammar of some engines knows although no list of functions has them, by name."""

UNORDERED_WINDOWS: Final[dict[str, str]] = {
    "cume_dist": "SELECT cume_dist() OVER () FROM probe",
    "dense_rank": "SELECT dense_rank() OVER () FROM probe",
    "first_value": "SELECT first_value(x) OVER () FROM probe",
    "lag": "SELECT lag(x) OVER () FROM probe",
    "last_value": "SELECT last_value(x) OVER () FROM probe",
    "lead": "SELECT lead(x) OVER () FROM probe",
    "nth_value": "SELECT nth_value(x, 2) OVER () FROM probe",
    "ntile": "SELECT ntile(2) OVER () FROM probe",
    "percent_rank": "SELECT percent_rank() OVER () FROM probe",
    "rank": "SELECT rank() OVER () FROM probe",
    "row_number": "SELECT row_number() OVER () FROM probe",
}
"""Window functions over rows without an order, by name."""

FRAMED_WINDOWS: Final[dict[str, str]] = {
    "cume_dist": "SELECT cume_dist() OVER (ORDER BY x ROWS CURRENT ROW) FROM probe",
    "dense_rank": "SELECT dense_rank() OVER (ORDER BY x ROWS CURRENT ROW) FROM probe",
    "lag": "SELECT lag(x) OVER (ORDER BY x ROWS CURRENT ROW) FROM probe",
    "lead": "SELECT lead(x) OVER (ORDER BY x ROWS CURRENT ROW) FROM probe",
    "ntile": "SELECT ntile(2) OVER (ORDER BY x ROWS CURRENT ROW) FROM probe",
    "percent_rank": "SELECT percent_rank() OVER (ORDER BY x ROWS CURRENT ROW) FROM probe",
    "rank": "SELECT rank() OVER (ORDER BY x ROWS CURRENT ROW) FROM probe",
    "row_number": "SELECT row_number() OVER (ORDER BY x ROWS CURRENT ROW) FROM probe",
}
"""Window functions that take no account of a frame, with one, by name."""

DISTINCT_CALLS: Final[dict[str, str]] = {
    name: f"SELECT {name}(DISTINCT x) FROM probe"  # noqa: S608 - words from here
    for name in "bit_and bit_or bit_xor coalesce std stddev stddev_pop stddev_samp upper var_pop"
    " var_samp variance".split()
}
"""Calls with DISTINCT before their arguments, by name; `upper` stands for all that are scalar."""

UNIT_CALLS: Final[dict[str, str]] = {
    "timestampdiff": "SELECT timestampdiff(YEAR, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
    "timestampadd": "SELECT timestampadd(YEAR, 1, CURRENT_TIMESTAMP)",
    "datepart": "SELECT datepart(year, CURRENT_TIMESTAMP)",
    "date_part": "SELECT date_part(year, CURRENT_TIMESTAMP)",
    "date_trunc": "SELECT date_trunc(year, CURRENT_TIMESTAMP)",
    "date_diff": "SELECT date_diff(year, CURRENT_DATE, CURRENT_DATE)",
    "datediff": "SELECT datediff(year, CURRENT_DATE, CURRENT_DATE)",
    "date_add": "SELECT date_add(CURRENT_DATE, year)",
    "date_sub": "SELECT date_sub(year, CURRENT_DATE, CURRENT_DATE)",
    "last_day": "SELECT last_day(CURRENT_DATE, year)",
}
"""Calls that may take a unit of time as a bare word, by name."""
