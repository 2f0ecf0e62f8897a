"""Forms of the FROM clause and of joins."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqlobs.check.forms.form import (
    FOREIGN,
    Form,
    Tokens,
    foreign,
    reads,
    says,
    tree,
    unless,
    within,
)


def is_asof(join: exp.Expr) -> bool:
    """Return whether a join is an ASOF join, wherever the word stands."""
    return "ASOF" in {join.args.get("method"), join.args.get("kind")}


def _has_condition(join: exp.Expr) -> bool:
    return any(join.args.get(part) is not None for part in ("on", "using"))


class FromClause:
    """Forms of the FROM clause."""

    lateral = foreign("SELECT 1 FROM probe, LATERAL (SELECT 1) AS b", tree(exp.Lateral, "LATERAL"))
    modifier_of_query = Form(
        "SELECT y FROM (SELECT 1 AS y) AS t FINAL",
        "`FINAL`, `SAMPLE` and `PREWHERE` require a stored table.",
        code=FOREIGN,
    )
    modifier_of_storage = Form(
        "SELECT x FROM probe FINAL",
        "The table does not support `FINAL`, `SAMPLE` or `PREWHERE`: its storage engine lacks them,"
        " or its DDL has no `SAMPLE BY`.",
        code=FOREIGN,
    )
    bare_string_as_table_alias = Form(
        "SELECT 1 FROM probe 'a'",
        "A string literal cannot be an alias.",
        Tokens("[FROM JOIN] name (?:DOT name)? (?=STRING)", rare="name STRING"),
    )
    unfolded_without_as = Form(
        "SELECT y FROM probe ARRAY JOIN x y", "An alias in `ARRAY JOIN` requires AS."
    )
    lateral_view = foreign(
        "SELECT y FROM probe LATERAL VIEW explode(x) AS y",
        tree(exp.Lateral, "VIEW & LATERAL", "view"),
    )
    tablesample = foreign(
        "SELECT x FROM probe TABLESAMPLE SYSTEM (10)", tree(exp.TableSample, "TABLESAMPLE")
    )
    tablesample_without_method = foreign(
        "SELECT x FROM probe TABLESAMPLE 10 PERCENT",
        tree(exp.TableSample, "TABLESAMPLE", unless("method")),
        "`TABLESAMPLE` without a sampling method",
    )
    pivot = foreign(
        "SELECT * FROM probe PIVOT (count(*) FOR x IN (1, 2))", tree(exp.Pivot, "PIVOT")
    )
    unnest_without_alias = foreign(
        "SELECT 1 FROM unnest(ARRAY[1])",
        tree(exp.Unnest, "UNNEST", unless(within(exp.In))),
        "`UNNEST` in `FROM` without an alias",
    )
    version_as_of = Form(
        "SELECT x FROM probe VERSION AS OF 1",
        recognizer=Tokens(
            "[VAR TIMESTAMPTZ TIMESTAMPNTZ TIMESTAMP] ALIAS VAR (?=literal)",
            rare="ALIAS VAR literal",
            words=("OF",),
            text=reads(r"(?:version|timestamp)\s+as\s+of\b"),
        ),
        code=FOREIGN,
        title="`VERSION AS OF`",
    )
    using_sample = foreign("SELECT x FROM probe USING SAMPLE 10", tree(exp.TableSample, "SAMPLE"))
    table_hint = foreign(
        "SELECT x FROM probe WITH (NOLOCK)",
        tree(exp.WithTableHint, "WITH"),
        "a table hint in `WITH (…)`",
    )
    json_table_untyped_column = foreign(
        "SELECT 1 FROM json_table('[]', '$[*]' COLUMNS (a PATH '$')) AS t",
        tree(
            exp.JSONColumnDef,
            "JSON_TABLE",
            lambda node: not any(map(node.args.get, ("kind", "ordinality", "nested_schema"))),
        ),
        "a `JSON_TABLE` column without a type",
    )
    json_table_as_value = foreign(
        "SELECT json_table('[]', '$' COLUMNS (a int PATH '$'))",
        tree(exp.JSONTable, "JSON_TABLE", unless(within(exp.Table, exp.Lateral))),
        "`JSON_TABLE` outside `FROM`",
    )
    json_table = foreign(
        "SELECT 1 FROM json_table('[]', '$[*]' COLUMNS (a int PATH '$')) AS t",
        tree(exp.JSONTable, "JSON_TABLE", is_call=True),
        "`JSON_TABLE`",
    )
    from_first = Form(
        "FROM probe",
        "A query cannot start with `FROM`.",
        Tokens(r"\A FROM|(?<=before_query) open FROM", rare=r"\A FROM|open FROM"),
    )
    table_statement = Form(
        "TABLE probe",
        "A query cannot start with `TABLE`.",
        Tokens(r"(?:\A|open) TABLE (?=name)", rare="TABLE"),
    )
    row_of_values = Form(
        "VALUES ROW(1)",
        "`VALUES` does not allow `ROW` before its rows.",
        Tokens("VALUES (?=[ROW STRUCT] open)", rare="VALUES"),
    )
    unnest_with_offset = Form(
        "SELECT 1 FROM unnest(ARRAY[1]) WITH OFFSET AS y",
        "`WITH OFFSET` is not supported.",
        Tokens("WITH (?=OFFSET)", rare="OFFSET"),
    )
    derived_without_alias = Form(
        "SELECT 1 FROM (SELECT 1 AS y)", "A subquery in `FROM` requires an alias."
    )
    double_quoted_table = Form('SELECT 1 FROM "probe"', "A string literal cannot name a table.")
    single_quoted_table = Form("SELECT 1 FROM 'probe'", "A string literal cannot name a table.")
    repeated_output_of_derived = Form(
        "SELECT 1 FROM (SELECT 1 AS y, 2 AS y) AS t",
        "Two columns of the subquery have the same name.",
    )
    table_column_aliases = Form(
        "SELECT y FROM probe AS t(y)", "A table cannot have column aliases."
    )
    short_column_list = Form(
        "SELECT y FROM (SELECT 1 AS a, 2 AS b) AS t(y)", "The list does not name all columns."
    )
    lateral_table = Form(
        "SELECT 1 FROM probe CROSS JOIN LATERAL keyed",
        "`LATERAL` requires a subquery or a function.",
        Tokens("LATERAL VAR (?!open|DOT)", rare="LATERAL"),
    )
    natural_semi_join = Form(
        "SELECT 1 FROM probe NATURAL LEFT SEMI JOIN keyed",
        "`NATURAL` is not supported for `SEMI JOIN` and `ANTI JOIN`.",
        Tokens("NATURAL LEFT?+ [SEMI ANTI] JOIN", rare="NATURAL LEFT?+ [SEMI ANTI]"),
    )
    derived_column_aliases = Form(
        "SELECT y FROM (SELECT 1) AS t(y)", "A subquery in `FROM` cannot have column aliases."
    )
    outer_namesake_column = Form(
        "SELECT 1 FROM (SELECT 1 AS y) AS p WHERE EXISTS (SELECT 1 FROM probe AS p WHERE p.y = 1)",
        "A qualifier resolves only to the innermost table of its name.",
    )
    value_call_as_table = Form(
        "SELECT 1 FROM upper('a') AS t", "The function returns a value, not a table."
    )
    table_alias_with_as = Form("SELECT p.x FROM probe AS p", "A table alias does not allow `AS`.")
    column_in_values_of_pivot = Form(
        "SELECT * FROM probe PIVOT (count(*) FOR x IN (x + 1))",
        "A value of `PIVOT` cannot be a column.",
    )
    name_in_values_of_pivot = Form(
        "SELECT * FROM probe PIVOT (count(*) FOR x IN (x))",
        "A value of `PIVOT` must be a constant.",
    )
    call_before_in_of_pivot = Form(
        "SELECT * FROM probe PIVOT (count(*) FOR abs(x) IN (1))",
        "`FOR` of `PIVOT` allows only columns.",
    )
    aggregate_before_in_of_pivot = Form(
        "SELECT * FROM probe PIVOT (count(*) FOR max(x) IN (1))",
        "`FOR` of `PIVOT` allows no aggregates and no window functions.",
        code="schema.grouping",
    )
    scalar_in_pivot = Form(
        "SELECT * FROM (SELECT x, x AS y FROM probe) AS t PIVOT (abs(y) FOR x IN (1))",
        "`PIVOT` requires aggregates.",
        code="schema.grouping",
    )
    expression_in_pivot = Form(
        "SELECT * FROM (SELECT x, x AS y FROM probe) AS t PIVOT (abs(max(y)) FOR x IN (1))",
        "`PIVOT` requires an aggregate, not an expression with one.",
        code="schema.grouping",
    )
    window_in_pivot = Form(
        "SELECT * FROM (SELECT x, x AS y FROM probe) AS t PIVOT (max(y) OVER () FOR x IN (1))",
        "`PIVOT` allows no window functions.",
        code="schema.grouping",
    )
    nameless_aggregates_of_pivot = Form(
        "SELECT * FROM (SELECT x, x AS y FROM probe) AS t PIVOT (max(y), min(y) FOR x IN (1))",
        "Each of several aggregates of `PIVOT` requires an alias.",
    )
    expression_in_group_of_pivot = Form(
        "PIVOT probe ON x USING count(*) GROUP BY x + 1",
        "`GROUP BY` of `PIVOT` allows only column names.",
    )
    call_without_columns = Form(
        "SELECT 1 FROM json_to_record('{}') AS t",
        "The function requires a column definition list after its alias: `AS t (a int, b text)`.",
    )


def _join(*, side: str = "", kind: str = "") -> Callable[[exp.Expr], bool]:
    return lambda node: node.text("side").upper() == side and node.text("kind").upper() == kind


class Joins:
    """Forms of joins."""

    full_join = foreign(
        "SELECT 1 FROM probe a FULL JOIN probe b ON a.x = b.x",
        tree(exp.Join, "FULL", says("side", "FULL")),
    )
    semi_join = foreign(
        "SELECT 1 FROM probe a SEMI JOIN probe b ON a.x = b.x",
        tree(exp.Join, "SEMI", _join(kind="SEMI")),
    )
    anti_join = foreign(
        "SELECT 1 FROM probe a ANTI JOIN probe b ON a.x = b.x",
        tree(exp.Join, "ANTI", _join(kind="ANTI")),
    )
    straight_join = foreign(
        "SELECT 1 FROM probe a STRAIGHT_JOIN probe b",
        tree(
            exp.Join, "STRAIGHT_JOIN", lambda node: node.text("kind").upper().startswith("STRAIGHT")
        ),
        "`STRAIGHT_JOIN`",
    )
    outer_join_without_side = foreign(
        "SELECT 1 FROM probe a OUTER JOIN probe b ON a.x = b.x",
        tree(exp.Join, "OUTER", _join(kind="OUTER")),
        "`OUTER JOIN` without `LEFT`, `RIGHT` or `FULL`",
    )
    cross_join_on = foreign(
        "SELECT 1 FROM probe a CROSS JOIN probe b ON a.x = b.x",
        tree(
            exp.Join,
            "CROSS & ON",
            lambda node: node.text("kind").upper() == "CROSS" and node.args.get("on") is not None,
        ),
        "`CROSS JOIN` with `ON`",
    )
    natural_join_on = foreign(
        "SELECT 1 FROM probe a NATURAL JOIN probe b ON a.x = b.x",
        tree(
            exp.Join,
            "NATURAL",
            lambda node: node.text("method").upper() == "NATURAL" and _has_condition(node),
        ),
        "`NATURAL JOIN` with a condition",
    )
    asof_join = foreign(
        "SELECT 1 FROM probe a ASOF JOIN probe b ON a.x >= b.x",
        tree(exp.Join, "ASOF", says("method", "ASOF")),
    )
    left_semi_join = foreign(
        "SELECT 1 FROM probe a LEFT SEMI JOIN probe b ON a.x = b.x",
        tree(exp.Join, "SEMI", _join(side="LEFT", kind="SEMI")),
    )
    left_anti_join = foreign(
        "SELECT 1 FROM probe a LEFT ANTI JOIN probe b ON a.x = b.x",
        tree(exp.Join, "ANTI", _join(side="LEFT", kind="ANTI")),
    )
    right_semi_join = foreign(
        "SELECT 1 FROM probe a RIGHT SEMI JOIN probe b ON a.x = b.x",
        tree(exp.Join, "SEMI & RIGHT", _join(side="RIGHT", kind="SEMI")),
    )
    right_anti_join = foreign(
        "SELECT 1 FROM probe a RIGHT ANTI JOIN probe b ON a.x = b.x",
        tree(exp.Join, "ANTI & RIGHT", _join(side="RIGHT", kind="ANTI")),
    )
    apply = foreign(
        "SELECT 1 FROM probe a CROSS APPLY (SELECT 1) b",
        tree(exp.Lateral, "APPLY", lambda node: node.args.get("cross_apply") is not None),
    )
    sided_inner_join = Form(
        "SELECT 1 FROM probe a LEFT INNER JOIN probe b ON a.x = b.x",
        "`LEFT` and `RIGHT` cannot be combined with `INNER` or `CROSS`.",
        Tokens("(?<!ALIAS) [LEFT RIGHT] (?=[INNER CROSS])"),
    )
    inner_sided_join = Form(
        "SELECT 1 FROM probe a INNER LEFT JOIN probe b ON a.x = b.x",
        "`INNER` and `CROSS` cannot be combined with `LEFT`, `RIGHT` or `FULL`.",
        Tokens("[INNER CROSS] (?=[LEFT RIGHT FULL])"),
    )
    cross_join_using = foreign(
        "SELECT 1 FROM probe a CROSS JOIN probe b USING (x)",
        tree(
            exp.Join,
            "CROSS & USING",
            lambda node: node.text("kind").upper() == "CROSS" and node.args.get("using"),
        ),
        "`CROSS JOIN` with `USING`",
    )
    asof_using_one_column = Form(
        "SELECT 1 FROM probe AS a ASOF JOIN probe AS b USING (x)",
        "`USING` of `ASOF JOIN` requires two columns: the last one is compared with `>=`.",
    )
    asof_right_join = foreign(
        "SELECT 1 FROM probe AS a ASOF RIGHT JOIN probe AS b ON a.x = b.x AND a.x >= b.x",
        tree(
            exp.Join,
            "ASOF",
            lambda node: is_asof(node) and node.text("side").upper() in {"RIGHT", "FULL"},
        ),
    )
    bare_column_in_on = Form(
        "SELECT 1 FROM probe AS a JOIN (SELECT 1 = 1 AS y) AS b ON b.y",
        "`ON` requires an expression, not only a column.",
        tree(exp.Join, "ON", lambda node: isinstance(node.args.get("on"), exp.Column)),
    )
    using_without_list = Form(
        "SELECT 1 FROM probe AS a JOIN probe AS b USING ()",
        "`USING` requires a list.",
        Tokens("USING open (?=close)"),
    )
    cross_cross_join = Form(
        "SELECT 1 FROM probe AS a CROSS CROSS JOIN probe AS b",
        "`CROSS` stands before `JOIN`.",
        Tokens("CROSS (?=CROSS)"),
    )
    prewhere_of_several_items = Form(
        "SELECT a.x FROM probe AS a JOIN probe AS b ON a.x = b.x PREWHERE a.x = b.x",
        "`PREWHERE` can read only one table.",
    )
    paste_join_with_condition = foreign(
        "SELECT 1 FROM probe AS a PASTE JOIN probe AS b ON a.x = b.x",
        tree(
            exp.Join,
            "PASTE",
            lambda node: node.text("kind").upper() == "PASTE" and _has_condition(node),
        ),
        "`PASTE JOIN` with a condition",
    )
    kind_in_array_join = Form(
        "SELECT 1 FROM probe ARRAY LEFT JOIN keyed ON 1 = 1",
        "`ARRAY JOIN` is preceded by `LEFT` or `INNER`, or by nothing.",
        Tokens(
            "ARRAY [ASOF ANY ALL SEMI ANTI LEFT RIGHT FULL INNER CROSS PASTE] (?=JOIN)"
            "|[RIGHT FULL CROSS ANY ALL SEMI ANTI ASOF] ARRAY (?=JOIN)",
            rare="ARRAY . JOIN|. ARRAY JOIN",
        ),
    )
    any_full_join = foreign(
        "SELECT 1 FROM probe AS a ANY FULL JOIN keyed AS b ON a.x = b.x",
        tree(
            exp.Join,
            "FULL & ANY",
            lambda node: (
                node.text("side").upper() == "FULL"
                and "ANY" in {node.text("kind").upper(), node.text("method").upper()}
            ),
        ),
        "`ANY FULL JOIN`",
    )
    nameless_query_in_join = Form(
        "SELECT 1 FROM probe AS a CROSS JOIN (SELECT 1 AS y)",
        "A subquery or function that is joined requires an alias.",
    )
    using_without_parentheses = Form(
        "SELECT 1 FROM probe a JOIN probe b USING x",
        "`USING` requires parentheses.",
        Tokens("JOIN joined+ USING (?=name)", rare="USING"),
    )
    join_without_condition = Form(
        "SELECT 1 FROM probe a JOIN probe b", "`JOIN` requires a join condition."
    )
    outer_join_without_equality = Form(
        "SELECT 1 FROM probe AS a LEFT JOIN keyed AS b ON a.x > b.x",
        "The condition of an `OUTER` or `ASOF` join must compare both sides with `=`.",
    )
    outer_join_without_condition = Form(
        "SELECT 1 FROM probe a LEFT JOIN probe b", "`OUTER JOIN` requires a join condition."
    )
    on_sees_comma_items = Form(
        "SELECT 1 FROM probe a, probe b JOIN probe c ON c.x = a.x",
        "`ON` cannot refer to a table before the comma in `FROM`.",
    )
    outer_join_sees_later_items = Form(
        "SELECT 1 FROM probe a LEFT JOIN probe b ON b.x = c.x LEFT JOIN probe c ON c.x = a.x",
        "`ON` of an outer join cannot refer to a table joined later.",
    )
    using_of_repeated_column = Form(
        "SELECT 1 FROM probe a CROSS JOIN probe b JOIN probe c USING (x)",
        "`USING` requires that only one table on the left side has the column.",
    )
    using_sees_comma_items = Form(
        "SELECT 1 FROM probe a, (SELECT 1 AS y) b JOIN probe c USING (x)",
        "`USING` cannot refer to a table before the comma in `FROM`.",
    )
    natural_without_common_column = Form(
        "SELECT 1 FROM probe NATURAL JOIN (SELECT 1 AS y) AS t",
        "`NATURAL JOIN` requires a column that both sides have.",
    )
    inner_join_condition_sees_outside = Form(
        "SELECT 1 FROM probe a JOIN probe b JOIN probe c ON c.x = a.x ON b.x = a.x",
        "`ON` of a nested join cannot refer to a table outside the nested join.",
    )
    name_within_named_join = Form(
        "SELECT a.x FROM (probe a JOIN probe b ON a.x = b.x) AS t",
        "A table inside a join in parentheses is hidden by the alias of the join.",
    )
    alias_of_join = Form(
        "SELECT 1 FROM (probe a JOIN probe b ON a.x = b.x) AS t",
        "A join in parentheses cannot have an alias.",
    )
    join_using = Form("SELECT 1 FROM probe a JOIN probe b USING (x)", "`USING` is not supported.")
    natural_join = Form(
        "SELECT 1 FROM probe a NATURAL JOIN probe b", "`NATURAL JOIN` is not supported."
    )
    asof_without_inequality = Form(
        "SELECT 1 FROM probe a ASOF JOIN probe b ON a.x = b.x",
        "`ASOF JOIN` requires one inequality (`<`, `<=`, `>` or `>=`) between both sides.",
    )
    asof_with_inequalities = Form(
        "SELECT 1 FROM probe a ASOF JOIN probe b ON a.x >= b.x AND a.x < b.x",
        "`ASOF JOIN` allows exactly one inequality; the other conditions must be equalities.",
    )
    join_without_from = Form("SELECT 1 JOIN probe ON 1 = 1", "`JOIN` requires `FROM`.")
