"""Forms of the SELECT list, and where its aliases may be used."""

from __future__ import annotations

from sqlglot import exp

from sqlobs.check.forms.form import Form, Tokens, foreign


class SelectList:
    """Forms of the SELECT list, and where its aliases may be used."""

    distinct_on = foreign(
        "SELECT DISTINCT ON (x) x FROM probe",
        exp.Distinct,
        "DISTINCT & ON",
        part="on",
        is_disorder=True,
    )
    star_exclude = foreign(
        "SELECT * EXCLUDE (y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        exp.Star,
        "EXCLUDE",
        title="`* EXCLUDE`",
        part="except_",
    )
    star_replace = foreign(
        "SELECT * REPLACE (1 AS x) FROM probe",
        exp.Star,
        "REPLACE",
        title="`* REPLACE`",
        part="replace",
    )
    select_into = foreign(
        "SELECT x INTO probe2 FROM probe",
        exp.Into,
        "INTO",
        where=lambda node: not isinstance(node.this.this, exp.Parameter),
    )
    select_into_variable = foreign(
        "SELECT x INTO @y FROM probe",
        exp.Into,
        "INTO",
        title="`SELECT … INTO @…`",
        where=lambda node: isinstance(node.this.this, exp.Parameter),
    )
    star_except = foreign(
        "SELECT * EXCEPT (y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        exp.Star,
        "EXCEPT",
        title="`* EXCEPT`",
        part="except_",
    )
    star_in_parentheses = Form(
        "SELECT (*) FROM probe",
        "`*` is not allowed inside parentheses.",
        Tokens("before_star open STAR (?=close)"),
    )
    string_alias = Form(
        "SELECT 1 AS 'a b'",
        "A string literal cannot be an alias.",
        Tokens("ALIAS literal", marks_last=True),
    )
    bare_string_alias = Form("SELECT 1 'a b'", "A string literal cannot be an alias.")
    select_without_list = Form("SELECT FROM probe", "`SELECT` requires a list.")
    row_as_value = Form(
        "SELECT (1, 2) FROM probe", "A row value is not allowed in the SELECT list."
    )
    star_alias = Form("SELECT * a FROM probe", "`*` cannot have an alias.")
    star_without_from = Form("SELECT *", "`*` requires `FROM`.")
    trailing_comma = Form("SELECT x, FROM probe", "A trailing comma is not allowed.")
    qualified_star_alias = Form("SELECT probe.* AS y FROM probe", "`*` cannot have an alias.")
    star_after_column = Form(
        "SELECT x, * FROM probe", "`*` must be the first item of the SELECT list."
    )
    alias_in_aggregate_of_having = Form(
        "SELECT x AS y FROM probe GROUP BY x HAVING max(y) > 1",
        "An aggregate in `HAVING` cannot refer to an alias of the SELECT list.",
    )
    alias_in_subquery_of_having = Form(
        "SELECT x AS y FROM probe GROUP BY x HAVING EXISTS (SELECT 1 FROM probe p WHERE p.x = y)",
        "A subquery in `HAVING` cannot refer to an alias of the SELECT list.",
    )
    count_alias_in_aggregate_of_subquery = Form(
        "SELECT x, count(*) AS y FROM probe GROUP BY x ORDER BY (SELECT max(y) FROM probe AS p)",
        "An aggregate in a subquery cannot refer to an alias of `count(*)`.",
    )
    aggregate_alias_in_order_expression = Form(
        "SELECT count(*) AS n FROM probe ORDER BY n + 1",
        "An expression in `ORDER BY` cannot refer to the alias of an aggregate.",
    )
    window_alias_in_having = Form(
        "SELECT rank() OVER (ORDER BY x) AS r FROM probe GROUP BY x HAVING r > 1",
        "`HAVING` cannot refer to the alias of a window function.",
    )
    alias_of_subquery_in_list = Form(
        "SELECT (SELECT 1) AS y, y + 1 FROM probe",
        "An item of the SELECT list cannot refer to the alias of a subquery.",
    )
    alias_within_grouped_item = Form(
        "SELECT x AS y, y + 1 AS z FROM probe GROUP BY y, z",
        "A grouped item cannot refer to another alias of the SELECT list.",
    )
    star_of_namesakes = Form(
        "SELECT * FROM probe a JOIN probe a ON 1 = 1",
        "`*` is ambiguous: two tables have the same name and the same columns.",
    )
    star_of_different_namesakes = Form(
        "SELECT * FROM (SELECT 1 AS y) AS a CROSS JOIN (SELECT 2 AS z) AS a",
        "`*` is ambiguous: two tables have the same name.",
    )
    aggregate_alias_in_subquery = Form(
        "SELECT max(x) AS y FROM probe GROUP BY x HAVING max(x) > (SELECT count(*) FROM"
        " probe AS b WHERE b.x > y)",
        "A subquery in `HAVING` cannot refer to the alias of an aggregate.",
    )
    aggregate_alias_in_subquery_of_list = Form(
        "SELECT max(x) AS y, (SELECT y + 1) AS z FROM probe",
        "A subquery in the SELECT list cannot refer to the alias of an aggregate.",
    )
    aggregate_alias_in_aggregate = Form(
        "SELECT max(x) AS y FROM probe GROUP BY x HAVING max(y) > 1",
        "An aggregate cannot refer to the alias of another aggregate.",
    )
    alias_in_parentheses = Form(
        "SELECT (x AS y) FROM probe", "An alias is not allowed inside parentheses."
    )
    several_aliases = Form(
        "SELECT count(x) (1) FROM probe", "A call cannot be followed by a list in parentheses."
    )
    star_with_two_qualifiers = Form(
        "SELECT main.probe.* FROM probe", "`*` allows only one qualifier."
    )
