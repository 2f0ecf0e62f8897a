"""Forms of the FROM clause."""

from __future__ import annotations

from sqlglot import exp

from sqlobs.check.forms.form import Form, Tokens, foreign


class FromClause:
    """Forms of the FROM clause."""

    lateral = foreign("SELECT 1 FROM probe, LATERAL (SELECT 1) AS b", exp.Lateral, "LATERAL")
    lateral_view = foreign(
        "SELECT y FROM probe LATERAL VIEW explode(x) AS y",
        exp.Lateral,
        "VIEW & LATERAL",
        part="view",
    )
    tablesample = foreign(
        "SELECT x FROM probe TABLESAMPLE SYSTEM (10)", exp.TableSample, "TABLESAMPLE"
    )
    tablesample_without_method = foreign(
        "SELECT x FROM probe TABLESAMPLE 10 PERCENT",
        exp.TableSample,
        "TABLESAMPLE",
        title="`TABLESAMPLE` without a sampling method",
        where=lambda node: node.args.get("method") is None,
    )
    pivot = foreign("SELECT * FROM probe PIVOT (count(*) FOR x IN (1, 2))", exp.Pivot, "PIVOT")
    unnest_without_alias = foreign(
        "SELECT 1 FROM unnest(ARRAY[1])",
        exp.Unnest,
        "UNNEST",
        title="`UNNEST` in `FROM` without an alias",
    )
    using_sample = foreign("SELECT x FROM probe USING SAMPLE 10", exp.TableSample, "SAMPLE")
    table_hint = foreign(
        "SELECT x FROM probe WITH (NOLOCK)",
        exp.WithTableHint,
        "WITH",
        title="a table hint in `WITH (…)`",
    )
    json_table_untyped_column = foreign(
        "SELECT 1 FROM json_table('[]', '$[*]' COLUMNS (a PATH '$')) AS t",
        exp.JSONColumnDef,
        "JSON_TABLE",
        title="a `JSON_TABLE` column without a type",
        where=lambda node: not any(map(node.args.get, ("kind", "ordinality", "nested_schema"))),
    )
    json_table_as_value = foreign(
        "SELECT json_table('[]', '$' COLUMNS (a int PATH '$'))",
        exp.JSONTable,
        "JSON_TABLE",
        title="`JSON_TABLE` outside `FROM`",
        where=lambda node: not isinstance(node.parent, (exp.Table, exp.Lateral)),
    )
    json_table = foreign(
        "SELECT 1 FROM json_table('[]', '$[*]' COLUMNS (a int PATH '$')) AS t",
        exp.JSONTable,
        "JSON_TABLE",
        title="`JSON_TABLE`",
        is_call=True,
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
    expression_in_group_of_pivot = Form(
        "PIVOT probe ON x USING count(*) GROUP BY x + 1",
        "`GROUP BY` of `PIVOT` allows only column names.",
    )
    call_without_columns = Form(
        "SELECT 1 FROM json_to_record('{}') AS t",
        "The function requires a column definition list after its alias: `AS t (a int, b text)`.",
    )
