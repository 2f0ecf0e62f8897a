"""Forms of `ORDER BY` and its relatives."""

from __future__ import annotations

from sqlglot import exp

from sqlobs.check.forms.form import Form, Tokens, foreign


class Ordering:
    """Forms of `ORDER BY` and its relatives."""

    nulls_first = foreign(
        "SELECT x FROM probe ORDER BY x NULLS FIRST", exp.Ordered, "NULLS & FIRST"
    )
    nulls_last = foreign("SELECT x FROM probe ORDER BY x NULLS LAST", exp.Ordered, "NULLS & LAST")
    sort_by = foreign("SELECT x FROM probe SORT BY x", exp.Sort, "SORT BY")
    cluster_by = foreign("SELECT x FROM probe CLUSTER BY x", exp.Cluster, "CLUSTER BY")
    distribute_by = foreign("SELECT x FROM probe DISTRIBUTE BY x", exp.Distribute, "DISTRIBUTE BY")
    values_order = foreign(
        "VALUES (1) ORDER BY 1",
        exp.Values,
        "VALUES & ORDER BY",
        title="`VALUES` with `ORDER BY`",
        part="order",
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
