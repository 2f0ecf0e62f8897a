"""Forms of `ORDER BY`, `LIMIT`, `OFFSET`, `FETCH`, `TOP` and row locks."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms.form import Form, Tokens, Word, both, foreign, reads, tree, within


class Ordering:
    """Forms of `ORDER BY` and its relatives."""

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

    fetch_first = foreign("SELECT x FROM probe FETCH FIRST 1 ROWS ONLY", tree(exp.Fetch, "FETCH"))
    limit_by = foreign(
        "SELECT x FROM probe LIMIT 1 BY x", tree(exp.Limit, "BY & LIMIT", "expressions")
    )
    limit_with_ties = foreign(
        "SELECT x FROM probe ORDER BY x LIMIT 1 WITH TIES",
        tree(exp.LimitOptions, "TIES & LIMIT", both("with_ties", within(exp.Limit))),
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
        Tokens("OFFSET NUMBER (?=LIMIT)", rare="OFFSET"),
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
