"""Forms of `WITH`, set operations, `ORDER BY` and `LIMIT`."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms.form import (
    Form,
    Tokens,
    Word,
    both,
    foreign,
    of,
    reads,
    tree,
    unless,
    within,
)


def _repeats_column(cte: exp.Expr) -> bool:
    """Return whether the column list repeats a name: `WITH a (y, y) AS (SELECT 1, 2)`."""
    alias = cte.args["alias"]
    names = [column.name.lower() for column in alias.args.get("columns") or ()]
    return len(set(names)) < len(names)


def _is_ordered(options: exp.Expr) -> bool:
    """Return whether the query of `LIMIT 1 WITH TIES` has ORDER BY."""
    query = options.parent.parent if options.parent is not None else None
    return query is None or query.args.get("order") is not None


class Ctes:
    """Forms of `WITH`: common table expressions and recursion."""

    insert_in_cte = foreign(
        "WITH a AS (INSERT INTO probe (x) VALUES (1) RETURNING x) SELECT 1 FROM a",
        tree(exp.CTE, "INSERT & WITH", of(exp.Insert)),
        "`INSERT` in a CTE",
    )
    update_in_cte = foreign(
        "WITH a AS (UPDATE probe SET x = 1 RETURNING x) SELECT 1 FROM a",
        tree(exp.CTE, "UPDATE & WITH", of(exp.Update)),
        "`UPDATE` in a CTE",
    )
    delete_in_cte = foreign(
        "WITH a AS (DELETE FROM probe RETURNING x) SELECT 1 FROM a",
        tree(exp.CTE, "DELETE & WITH", of(exp.Delete)),
        "`DELETE` in a CTE",
    )
    materialized_cte = foreign(
        "WITH a AS MATERIALIZED (SELECT 1) SELECT 1 FROM a",
        tree(exp.CTE, "MATERIALIZED", lambda node: node.args.get("materialized") is not None),
        "`WITH … AS MATERIALIZED`",
    )
    with_clause = foreign("WITH a AS (SELECT 1) SELECT 1 FROM a", tree(exp.With, "WITH"), "`WITH`")
    connect_by = foreign(
        "SELECT x FROM probe START WITH x = 1 CONNECT BY PRIOR x = x",
        tree(exp.Connect, "CONNECT BY"),
        "`START WITH … CONNECT BY`",
    )
    repeated_with = Form(
        "WITH a AS (SELECT 1), WITH b AS (SELECT 1) SELECT 1 FROM a",
        "`WITH` is allowed only once, before all CTEs.",
        Tokens(r"\A WITH [^INSERT]* with_again (?=name ALIAS open)", rare="with_again"),
    )
    repeated_cte_column = Form(
        "WITH a (y, y) AS (SELECT 1, 2) SELECT 1 FROM a",
        "The column list of the CTE names a column twice.",
        tree(exp.CTE, "WITH", _repeats_column),
    )
    repeated_output_of_cte = Form(
        "WITH t AS (SELECT 1 AS y, 2 AS y) SELECT 1 FROM t",
        "Two columns of the CTE have the same name.",
    )
    cte_of_value = Form("WITH a AS (1) SELECT 1", "A query is missing in the parentheses of a CTE.")
    cte_column_list = Form(
        "WITH a (y) AS (SELECT 1) SELECT y FROM a",
        "A CTE cannot have a list of column names. Name the columns in its query.",
        tree(exp.CTE, "WITH", lambda node: node.args["alias"].args.get("columns")),
    )
    cte_without_as = Form(
        "WITH a (SELECT 1 AS y) SELECT y FROM a", "AS is missing before the query of a CTE."
    )
    long_cte_column_list = Form(
        "WITH a (y, z) AS (SELECT 1) SELECT y FROM a",
        "The column list of the CTE has more names than its query has columns.",
    )
    short_cte_column_list = Form(
        "WITH a (y) AS (SELECT 1, 2) SELECT y FROM a",
        "The column list of the CTE has fewer names than its query has columns.",
    )
    recursion_without_recursive = Form(
        "WITH a AS (SELECT 1 AS y UNION ALL SELECT y + 1 FROM a WHERE y < 3) SELECT y FROM a",
        "A recursive CTE requires `WITH RECURSIVE`.",
    )
    aggregate_in_recursion = Form(
        "WITH RECURSIVE a AS (SELECT 1 AS y UNION ALL SELECT max(y) FROM a) SELECT y FROM a",
        "A recursive query cannot use an aggregate.",
    )
    limit_in_recursion = Form(
        "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM a LIMIT 3) SELECT y FROM a",
        "A recursive query cannot use `LIMIT` or `OFFSET`.",
    )
    order_in_recursion = Form(
        "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM a WHERE y < 3"
        " ORDER BY 1) SELECT y FROM a",
        "A recursive query cannot use `ORDER BY`.",
    )
    recursion_without_union = Form(
        "WITH RECURSIVE a (y) AS (SELECT 1 EXCEPT SELECT y FROM a) SELECT y FROM a",
        "A recursive CTE requires `UNION`.",
    )
    recursion_in_first = Form(
        "WITH RECURSIVE a (y) AS (SELECT y FROM a UNION ALL SELECT 1) SELECT y FROM a",
        "The first query of a recursive CTE cannot refer to the CTE.",
    )
    recursion_in_chain = Form(
        "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM a WHERE y < 3"
        " UNION ALL SELECT y + 2 FROM a WHERE y < 3) SELECT y FROM a",
        "Only the last query of a recursive CTE can refer to the CTE.",
    )
    recursion_twice = Form(
        "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT a.y + 1 FROM a, a AS b WHERE"
        " a.y < 3) SELECT y FROM a",
        "A recursive query can refer to its CTE only once.",
    )
    recursion_in_subquery = Form(
        "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT x FROM probe WHERE x IN"
        " (SELECT y FROM a)) SELECT y FROM a",
        "A recursive query cannot refer to its CTE in a subquery.",
    )
    recursion_in_derived = Form(
        "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT t.y + 1 FROM (SELECT y FROM"
        " a WHERE y < 3) AS t) SELECT y FROM a",
        "A recursive query cannot refer to its CTE in a subquery.",
    )
    recursion_in_outer_join = Form(
        "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT p.x FROM probe p LEFT JOIN a"
        " ON a.y = p.x) SELECT y FROM a",
        "A recursive query cannot refer to its CTE on the optional side of an outer join.",
    )
    window_in_recursion = Form(
        "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT max(y) OVER () FROM a WHERE"
        " y < 3) SELECT y FROM a",
        "A recursive query cannot use a window function.",
    )
    with_recursive = Form(
        "WITH RECURSIVE a AS (SELECT 1 AS y) SELECT y FROM a", "`WITH RECURSIVE` is not supported."
    )
    dml_cte_without_returning = Form(
        "WITH a AS (DELETE FROM probe) SELECT 1 FROM a",
        "A CTE that changes rows returns no columns without `RETURNING`.",
    )
    repeated_cte = Form(
        "WITH a AS (SELECT 1), a AS (SELECT 2) SELECT 1 FROM a", "Two CTEs have the same name."
    )
    circular_cte = Form(
        "WITH a AS (SELECT x FROM a) SELECT x FROM a",
        "The CTE refers to itself.",
        code="schema.unknown_table",
    )


class SetOperations:
    """Forms of `UNION`, `EXCEPT` and `INTERSECT`."""

    except_all = foreign(
        "SELECT 1 EXCEPT ALL SELECT 2",
        tree(exp.Except, "EXCEPT & ALL", lambda node: node.args.get("distinct") is False),
    )
    intersect_all = foreign(
        "SELECT 1 INTERSECT ALL SELECT 2",
        tree(exp.Intersect, "INTERSECT & ALL", lambda node: node.args.get("distinct") is False),
    )
    union_by_name = foreign(
        "SELECT 1 AS x UNION ALL BY NAME SELECT 2 AS x", tree(exp.Union, "BY & NAME", "by_name")
    )
    intersect = foreign("SELECT 1 INTERSECT SELECT 2", tree(exp.Intersect, "INTERSECT"))
    except_clause = foreign("SELECT 1 EXCEPT SELECT 2", tree(exp.Except, "EXCEPT"), "`EXCEPT`")
    set_operation_distinct = Form(
        "SELECT 1 UNION DISTINCT SELECT 2",
        "`DISTINCT` after a set operator is not supported; without `ALL`, duplicates are"
        " removed anyway.",
        Tokens("(?:UNION|EXCEPT|INTERSECT) (?=DISTINCT)", rare="(?:UNION|EXCEPT|INTERSECT)"),
    )
    order_before_set_operation = Form(
        "SELECT 1 AS a ORDER BY a UNION SELECT 2",
        "`ORDER BY` must follow the last operand of a set operation.",
    )
    set_operand_in_parentheses = Form(
        "SELECT 1 UNION (SELECT 2)", "An operand of a set operation cannot be in parentheses."
    )
    first_set_operand_in_parentheses = Form(
        "(SELECT 1) UNION SELECT 2", "An operand of a set operation cannot be in parentheses."
    )
    order_by_name_of_last_operand = Form(
        "SELECT 1 AS a UNION SELECT 2 AS b ORDER BY b",
        "`ORDER BY` of a set operation resolves only the column names of the first operand.",
    )
    expression_in_order_of_set = Form(
        "SELECT 1 AS a UNION SELECT 2 ORDER BY a + 1",
        "`ORDER BY` of a set operation allows only output columns.",
    )
    selected_expression_in_order_of_set = Form(
        "SELECT abs(x) FROM probe UNION SELECT 2 ORDER BY abs(x)",
        "`ORDER BY` of a set operation does not allow an expression, even if the SELECT"
        " list contains it.",
    )


class Statements:
    """Forms of whole statements. Engines that are asked by EXPLAIN or PREPARE cannot tell."""

    explain = Form("EXPLAIN SELECT x FROM probe", "`EXPLAIN` is not supported.")
    empty_statement = Form(
        "SELECT x FROM probe;;", "A semicolon must follow a statement, not another semicolon."
    )
    nameless_column_of_table = Form(
        "CREATE TABLE made AS SELECT count(*) FROM probe",
        "Every column of a created table requires a name.",
    )
    nameless_column_of_view = Form(
        "CREATE VIEW made AS SELECT count(*) FROM probe",
        "Every column of a view requires a name.",
    )


class Ordering:
    """Forms of `ORDER BY` and its relatives."""

    expression_of_distinct = Form(
        "SELECT DISTINCT abs(x) FROM probe ORDER BY abs(x)",
        "`ORDER BY` of `SELECT DISTINCT` allows selected columns and aliases,"
        " not the text of a selected expression.",
    )

    order_in_subquery = Form(
        "SELECT x FROM (SELECT x FROM probe ORDER BY x) AS t",
        "`ORDER BY` in a subquery or a CTE requires `TOP`, `OFFSET` or `FOR XML`.",
    )
    nulls_first = foreign(
        "SELECT x FROM probe ORDER BY x NULLS FIRST", tree(exp.Ordered, "NULLS & FIRST")
    )
    nulls_last = foreign(
        "SELECT x FROM probe ORDER BY x NULLS LAST", tree(exp.Ordered, "NULLS & LAST")
    )
    sort_by = foreign("SELECT x FROM probe SORT BY x", tree(exp.Sort, "SORT BY"))
    cluster_by = foreign("SELECT x FROM probe CLUSTER BY x", tree(exp.Cluster, "CLUSTER BY"))
    distribute_by = foreign(
        "SELECT x FROM probe DISTRIBUTE BY x", tree(exp.Distribute, "DISTRIBUTE BY")
    )
    values_order = foreign(
        "VALUES (1) ORDER BY 1",
        tree(exp.Values, "VALUES & ORDER BY", "order"),
        "`VALUES` with `ORDER BY`",
    )
    repeated_direction = Form(
        "SELECT x FROM probe ORDER BY x ASC DESC",
        "A term of `ORDER BY` allows only one of `ASC` and `DESC`.",
        Tokens("direction (?=direction)"),
    )
    fill_of_all = Form(
        "SELECT x FROM probe ORDER BY ALL WITH FILL", "`ORDER BY ALL` does not support `WITH FILL`."
    )
    staleness_with_from = Form(
        "SELECT x FROM probe ORDER BY x WITH FILL FROM 1 STALENESS 3",
        "`STALENESS` of `WITH FILL` cannot be combined with `FROM`.",
        Tokens(
            "WITH VAR (?=FROM)",
            words=("STALENESS",),
            text=reads(r"with\s+fill\s+from\s[^,()]*\sstaleness\b"),
        ),
    )
    number_as_collation = Form(
        "SELECT x FROM probe ORDER BY x COLLATE 1",
        "A collation is a name or a text.",
        tree(
            exp.Collate,
            "COLLATE",
            lambda node: node.expression.is_number or isinstance(node.expression, exp.Boolean),
        ),
    )
    string_in_order = Form(
        "SELECT x FROM probe ORDER BY 'a'", "`ORDER BY` does not allow a string literal."
    )
    string_in_order_of_set = Form(
        "SELECT x FROM probe UNION SELECT 2 ORDER BY 'a'",
        "`ORDER BY` does not allow a string literal.",
    )
    constant_in_order = Form(
        "SELECT x FROM probe ORDER BY NULL", "`ORDER BY` allows no constant other than a position."
    )


class Limits:
    """Forms of `LIMIT`, `OFFSET`, `FETCH`, `TOP` and row locks."""

    unknown_setting = Form(
        "SELECT x FROM probe SETTINGS ghost = 1",
        "The engine has no setting of this name.",
        code="syntax.dialect_mismatch",
    )
    expression_as_setting = Form(
        "SELECT x FROM probe SETTINGS max_threads = 1 + 1",
        "`SETTINGS` requires `name = literal`.",
    )
    settings_without_list = Form(
        "SELECT x FROM probe SETTINGS",
        "`SETTINGS` requires a list.",
        Tokens(r"SETTINGS (?=\Z|close)", rare=r"SETTINGS"),
    )
    rejected_setting = Form(
        "SELECT x FROM probe SETTINGS enable_analyzer = 0",
        "The setting does not support this value.",
        code="syntax.dialect_mismatch",
    )
    clause_after_settings = Form(
        "SELECT x FROM probe SETTINGS max_threads = 1 LIMIT 1",
        "`SETTINGS` must follow all clauses but `FORMAT`.",
        Tokens(
            "SETTINGS name EQ [^open close SELECT UNION INTERSECT EXCEPT]*"
            " (?=[WHERE GROUP_BY HAVING WINDOW QUALIFY ORDER_BY LIMIT OFFSET FETCH] (?!EQ))",
            rare="SETTINGS name EQ",
            marks_last=True,
        ),
    )
    clause_in_settings = Form(
        "SELECT x FROM probe SETTINGS max_threads ORDER BY x",
        "`SETTINGS` must follow all clauses but `FORMAT`.",
        Tokens(
            "SETTINGS name? (?=[WHERE GROUP_BY HAVING WINDOW QUALIFY ORDER_BY LIMIT] (?!EQ))",
            rare="SETTINGS",
        ),
    )
    clause_after_format = Form(
        "SELECT x FROM probe FORMAT Null LIMIT 1",
        "`FORMAT` must follow all clauses but `SETTINGS`.",
        Tokens(
            "FORMAT [VAR NULL]"
            " (?=WHERE|GROUP_BY|HAVING|WINDOW|QUALIFY|ORDER_BY|LIMIT|OFFSET|FETCH|UNION)",
            rare="FORMAT [VAR NULL]",
        ),
    )
    limit_with_top = Form(
        "SELECT TOP 2 x FROM probe LIMIT 1",
        "`TOP` and `LIMIT` cannot be combined.",
        Tokens(
            # the parser of an engine that reads TOP is given no such token
            "SELECT (?:[^open close SELECT LIMIT UNION]|open [^open close]* close)* LIMIT NUMBER"
            " (?!(?:[OFFSET COMMA] NUMBER)? VAR)",
            rare="LIMIT NUMBER",
            words=("TOP",),
            text=reads(r"select\s+(?:distinct\s+)?top\b"),
        ),
    )
    fetch_first = foreign("SELECT x FROM probe FETCH FIRST 1 ROWS ONLY", tree(exp.Fetch, "FETCH"))
    limit_by = foreign(
        "SELECT x FROM probe LIMIT 1 BY x", tree(exp.Limit, "BY & LIMIT", "expressions")
    )
    limit_with_ties = foreign(
        "SELECT x FROM probe ORDER BY x LIMIT 1 WITH TIES",
        tree(exp.LimitOptions, "TIES & LIMIT", both("with_ties", within(exp.Limit))),
    )
    limit_with_ties_without_order = Form(
        "SELECT x FROM probe LIMIT 1 WITH TIES",
        "`WITH TIES` requires `ORDER BY`.",
        tree(
            exp.LimitOptions,
            "TIES & LIMIT",
            both("with_ties", both(within(exp.Limit), unless(_is_ordered))),
        ),
    )
    fetch_with_ties = foreign(
        "SELECT x FROM probe ORDER BY x FETCH FIRST 1 ROWS WITH TIES",
        tree(exp.LimitOptions, "TIES & FETCH", both("with_ties", within(exp.Fetch))),
    )
    fetch_with_ties_without_order = foreign(
        "SELECT x FROM probe FETCH FIRST 1 ROWS WITH TIES",
        tree(
            exp.Fetch,
            "TIES & FETCH",
            lambda node: node.parent is not None and node.parent.args.get("order") is None,
        ),
        "`FETCH … WITH TIES` without `ORDER BY`",
    )
    limit_rows = foreign(
        "SELECT x FROM probe LIMIT 1 ROWS",
        tree(exp.LimitOptions, "ROWS & LIMIT", both("rows", within(exp.Limit))),
    )
    for_update = foreign("SELECT x FROM probe FOR UPDATE", tree(exp.Lock, "FOR"))
    values_limit = foreign(
        "VALUES (1) LIMIT 1", tree(exp.Values, "VALUES & LIMIT", "limit"), "`VALUES` with `LIMIT`"
    )
    top = foreign("SELECT TOP 1 x FROM probe", Word(TokenType.TOP, "TOP"))
    limit_percent = Form(
        "SELECT x FROM probe LIMIT 5 PERCENT",
        "`LIMIT` does not support percentages.",
        Tokens("LIMIT NUMBER percent (?!NUMBER|name)", rare="NUMBER percent"),
    )
    limit_all = Form(
        "SELECT x FROM probe LIMIT ALL", "`LIMIT ALL` is not supported.", Tokens("LIMIT (?=ALL)")
    )
    offset_before_limit = Form(
        "SELECT x FROM probe OFFSET 1 LIMIT 1",
        "`OFFSET` must follow `LIMIT`.",
        Tokens("OFFSET NUMBER (?=LIMIT)", rare="OFFSET", unless=("SAMPLE",)),
    )
    offset_rows = Form(
        "SELECT x FROM probe LIMIT 1 OFFSET 1 ROWS",
        "`OFFSET` after `LIMIT` does not allow `ROWS`.",
        Tokens("LIMIT NUMBER OFFSET NUMBER (?=rows)", rare="OFFSET"),
    )
    fetch_without_rows = Form(
        "SELECT x FROM probe FETCH FIRST 1 ONLY",
        "`FETCH` requires `ROWS`.",
        Tokens("FETCH . NUMBER (?!rows|percent)", rare="FETCH"),
    )
    for_share = Form(
        "SELECT x FROM probe FOR SHARE",
        "`FOR SHARE` is not supported.",
        Tokens("FOR (?=VAR)", rare="FOR", text=reads(r"for\s+share\b")),
    )
    for_update_of = Form(
        "SELECT x FROM probe FOR UPDATE OF probe",
        "`FOR UPDATE OF` is not supported.",
        Tokens("FOR UPDATE (?=VAR)", rare="FOR", text=reads(r"for\s+update\s+of\b")),
    )
    limit_with_comma = Form(
        "SELECT x FROM probe LIMIT 1, 2",
        "`LIMIT` with a comma is not supported. Use `LIMIT … OFFSET …`.",
        Tokens("(?<!ALIAS) LIMIT [^open close SELECT FOR]* COMMA", marks_last=True),
    )
    limit_in_subquery = Form(
        "SELECT 1 FROM probe WHERE x IN (SELECT x FROM probe LIMIT 1)",
        "`LIMIT` is not allowed in a subquery of `IN`.",
    )
    offset_without_limit = Form("SELECT x FROM probe OFFSET 1", "`OFFSET` requires `LIMIT`.")
    query_as_limit = Form(
        "SELECT x FROM probe LIMIT (SELECT 1)", "`LIMIT` does not allow a subquery."
    )
    negative_limit = Form("SELECT x FROM probe LIMIT -1", "`LIMIT` cannot be negative.")
    string_as_limit = Form(
        "SELECT x FROM probe LIMIT 'a'", "`LIMIT` does not allow a string literal."
    )
    quoted_number_as_limit = Form(
        "SELECT x FROM probe LIMIT '1'", "`LIMIT` does not allow a string literal."
    )
    query_as_limit_of_set = Form(
        "SELECT x FROM probe UNION SELECT 1 LIMIT (SELECT 1)",
        "`LIMIT` of a set operation does not allow a subquery.",
    )
    expression_as_limit = Form("SELECT x FROM probe LIMIT 1 + 1", "`LIMIT` allows only a number.")
    null_as_limit = Form("SELECT x FROM probe LIMIT NULL", "`LIMIT` cannot be `NULL`.")
    lock_of_groups = Form(
        "SELECT x FROM probe GROUP BY x FOR UPDATE",
        "`FOR UPDATE` is not allowed in a grouped query.",
    )
    limit_in_quantified = Form(
        "SELECT 1 FROM probe WHERE x = ALL (SELECT x FROM probe LIMIT 1)",
        "`LIMIT` is not allowed in a subquery of `ANY`, `SOME` or `ALL`.",
    )
    offset_rows_without_limit = Form(
        "SELECT x FROM probe OFFSET 1 ROWS", "`OFFSET` requires `LIMIT`."
    )
    fraction_as_limit = Form("SELECT x FROM probe LIMIT 1.5", "`LIMIT` requires an integer.")
    boolean_as_limit = Form("SELECT x FROM probe LIMIT TRUE", "`LIMIT` allows only a number.")
    parentheses_as_limit = Form(
        "SELECT x FROM probe LIMIT (1)", "`LIMIT` does not allow parentheses."
    )
    variable_as_limit = Form("SELECT x FROM probe LIMIT @n", "`LIMIT` does not allow a variable.")
    limit_clause = Form("SELECT x FROM probe LIMIT 1", "`LIMIT` is not supported.")
    fetch_clause = Form(
        "SELECT x FROM probe OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY", "`FETCH` is not supported."
    )
    fetch_without_order = Form(
        "SELECT x FROM probe WHERE x > 0 OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY",
        "`FETCH` requires `ORDER BY`.",
        tree(
            exp.Fetch,
            "FETCH",
            lambda node: node.parent is not None and node.parent.args.get("order") is None,
        ),
    )
    fetch_without_offset = Form(
        "SELECT x FROM probe ORDER BY x FETCH FIRST 1 ROWS ONLY", "`FETCH` requires `OFFSET`."
    )
    offset_without_order = Form(
        "SELECT x FROM probe LIMIT 1 OFFSET 1", "`OFFSET` requires `ORDER BY`."
    )
    limit_before_offset = Form(
        "SELECT x FROM probe ORDER BY x LIMIT 1 OFFSET 1", "`OFFSET` must precede `LIMIT`."
    )
    top_clause = Form("SELECT TOP 2 x FROM probe", "`TOP` is not supported.")
