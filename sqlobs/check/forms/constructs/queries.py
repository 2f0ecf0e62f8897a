"""Clauses of queries, joins and set operations that some engines have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms.constructs.construct import Construct, has_part

if TYPE_CHECKING:
    from collections.abc import Callable


def _join(*, side: str = "", kind: str = "") -> Callable[[exp.Expr], bool]:
    return lambda node: node.text("side").upper() == side and node.text("kind").upper() == kind


QUERIES: Final[tuple[Construct, ...]] = (
    Construct(
        "QUALIFY",
        "SELECT x FROM probe QUALIFY row_number() OVER (ORDER BY x) = 1",
        exp.Qualify,
        ("QUALIFY",),
    ),
    Construct(
        "DISTINCT ON",
        "SELECT DISTINCT ON (x) x FROM probe",
        exp.Distinct,
        ("DISTINCT", "ON"),
        has_part("on"),
        is_disorder=True,
    ),
    Construct(
        "FULL JOIN",
        "SELECT 1 FROM probe a FULL JOIN probe b ON a.x = b.x",
        exp.Join,
        ("FULL",),
        lambda node: node.text("side").upper() == "FULL",
    ),
    Construct(
        "SEMI JOIN",
        "SELECT 1 FROM probe a SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("SEMI",),
        _join(kind="SEMI"),
    ),
    Construct(
        "ANTI JOIN",
        "SELECT 1 FROM probe a ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("ANTI",),
        _join(kind="ANTI"),
    ),
    Construct("LATERAL", "SELECT 1 FROM probe, LATERAL (SELECT 1) AS b", exp.Lateral, ("LATERAL",)),
    Construct(
        "LATERAL VIEW",
        "SELECT y FROM probe LATERAL VIEW explode(x) AS y",
        exp.Lateral,
        ("VIEW", "LATERAL"),
        has_part("view"),
    ),
    Construct(
        "ROLLUP",
        "SELECT x FROM probe GROUP BY ROLLUP (x)",
        exp.Rollup,
        ("ROLLUP",),
        lambda node: bool(node.expressions),
        is_call=True,
    ),
    Construct(
        "CUBE",
        "SELECT x FROM probe GROUP BY CUBE (x)",
        exp.Cube,
        ("CUBE",),
        lambda node: bool(node.expressions),
        is_call=True,
    ),
    Construct(
        "GROUPING SETS",
        "SELECT x FROM probe GROUP BY GROUPING SETS ((x))",
        exp.GroupingSets,
        ("GROUPING SETS",),
    ),
    Construct("FETCH FIRST", "SELECT x FROM probe FETCH FIRST 1 ROWS ONLY", exp.Fetch, ("FETCH",)),
    Construct(
        "TABLESAMPLE",
        "SELECT x FROM probe TABLESAMPLE SYSTEM (10)",
        exp.TableSample,
        ("TABLESAMPLE",),
    ),
    Construct(
        "TABLESAMPLE without a method",
        "SELECT x FROM probe TABLESAMPLE 10 PERCENT",
        exp.TableSample,
        ("TABLESAMPLE",),
        lambda node: node.args.get("method") is None,
    ),
    Construct(
        "PIVOT", "SELECT * FROM probe PIVOT (count(*) FOR x IN (1, 2))", exp.Pivot, ("PIVOT",)
    ),
    Construct(
        "EXCEPT ALL",
        "SELECT 1 EXCEPT ALL SELECT 2",
        exp.Except,
        ("EXCEPT", "ALL"),
        lambda node: node.args.get("distinct") is False,
    ),
    Construct(
        "INTERSECT ALL",
        "SELECT 1 INTERSECT ALL SELECT 2",
        exp.Intersect,
        ("INTERSECT", "ALL"),
        lambda node: node.args.get("distinct") is False,
    ),
    Construct(
        "UNION … BY NAME",
        "SELECT 1 AS x UNION ALL BY NAME SELECT 2 AS x",
        exp.Union,
        ("BY", "NAME"),
        has_part("by_name"),
    ),
    Construct(
        "* EXCLUDE",
        "SELECT * EXCLUDE (y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        exp.Star,
        ("EXCLUDE",),
        lambda node: bool(node.args.get("except_")),
    ),
    Construct(
        "* REPLACE",
        "SELECT * REPLACE (1 AS x) FROM probe",
        exp.Star,
        ("REPLACE",),
        lambda node: bool(node.args.get("replace")),
    ),
    Construct(
        "a table function in FROM without a name",
        "SELECT 1 FROM unnest(ARRAY[1])",
        exp.Unnest,
        ("UNNEST",),
    ),
    Construct(
        "LIMIT … BY",
        "SELECT x FROM probe LIMIT 1 BY x",
        exp.Limit,
        ("BY", "LIMIT"),
        lambda node: bool(node.expressions),
    ),
    Construct(
        "LIMIT … WITH TIES",
        "SELECT x FROM probe ORDER BY x LIMIT 1 WITH TIES",
        exp.LimitOptions,
        ("TIES", "LIMIT"),
        lambda node: bool(node.args.get("with_ties")) and isinstance(node.parent, exp.Limit),
    ),
    Construct(
        "FETCH … WITH TIES",
        "SELECT x FROM probe ORDER BY x FETCH FIRST 1 ROWS WITH TIES",
        exp.LimitOptions,
        ("TIES", "FETCH"),
        lambda node: bool(node.args.get("with_ties")) and isinstance(node.parent, exp.Fetch),
    ),
    Construct(
        "FETCH … WITH TIES without ORDER BY",
        "SELECT x FROM probe FETCH FIRST 1 ROWS WITH TIES",
        exp.Fetch,
        ("TIES", "FETCH"),
        lambda node: node.parent is not None and node.parent.args.get("order") is None,
    ),
    Construct(
        "LIMIT … ROWS",
        "SELECT x FROM probe LIMIT 1 ROWS",
        exp.LimitOptions,
        ("ROWS", "LIMIT"),
        lambda node: bool(node.args.get("rows")) and isinstance(node.parent, exp.Limit),
    ),
    Construct(
        "STRAIGHT_JOIN",
        "SELECT 1 FROM probe a STRAIGHT_JOIN probe b",
        exp.Join,
        ("STRAIGHT_JOIN",),
        lambda node: node.text("kind").upper().startswith("STRAIGHT"),
    ),
    Construct(
        "WITH ROLLUP",
        "SELECT x FROM probe GROUP BY x WITH ROLLUP",
        exp.Rollup,
        ("ROLLUP",),
        lambda node: not node.expressions,
    ),
    Construct(
        "OUTER JOIN without LEFT, RIGHT or FULL",
        "SELECT 1 FROM probe a OUTER JOIN probe b ON a.x = b.x",
        exp.Join,
        ("OUTER",),
        _join(kind="OUTER"),
    ),
    Construct(
        "WITH … AS MATERIALIZED",
        "WITH a AS MATERIALIZED (SELECT 1) SELECT 1 FROM a",
        exp.CTE,
        ("MATERIALIZED",),
        lambda node: node.args.get("materialized") is not None,
    ),
    *(
        Construct(
            "NULLS FIRST",
            "SELECT x FROM probe ORDER BY x NULLS FIRST",
            exp.Ordered,
            ("NULLS", place),  # `IGNORE NULLS` has the word, too
        )
        for place in ("FIRST", "LAST")
    ),
    Construct(
        "SELECT … INTO",
        "SELECT x INTO probe2 FROM probe",
        exp.Into,
        ("INTO",),
        lambda node: not isinstance(node.this.this, exp.Parameter),
    ),
    Construct(
        "SELECT … INTO @…",
        "SELECT x INTO @y FROM probe",
        exp.Into,
        ("INTO",),
        lambda node: isinstance(node.this.this, exp.Parameter),
    ),
    Construct("FOR UPDATE", "SELECT x FROM probe FOR UPDATE", exp.Lock, ("FOR",)),
    Construct("USING SAMPLE", "SELECT x FROM probe USING SAMPLE 10", exp.TableSample, ("SAMPLE",)),
    Construct("WITH (hint)", "SELECT x FROM probe WITH (NOLOCK)", exp.WithTableHint, ("WITH",)),
    Construct(
        "CROSS JOIN with ON",
        "SELECT 1 FROM probe a CROSS JOIN probe b ON a.x = b.x",
        exp.Join,
        ("CROSS", "ON"),
        lambda node: node.text("kind").upper() == "CROSS" and node.args.get("on") is not None,
    ),
    Construct(
        "NATURAL JOIN with a condition",
        "SELECT 1 FROM probe a NATURAL JOIN probe b ON a.x = b.x",
        exp.Join,
        ("NATURAL",),
        lambda node: (
            node.text("method").upper() == "NATURAL"
            and any(node.args.get(part) is not None for part in ("on", "using"))
        ),
    ),
    Construct("SORT BY", "SELECT x FROM probe SORT BY x", exp.Sort, ("SORT BY",)),
    Construct("CLUSTER BY", "SELECT x FROM probe CLUSTER BY x", exp.Cluster, ("CLUSTER BY",)),
    Construct(
        "DISTRIBUTE BY", "SELECT x FROM probe DISTRIBUTE BY x", exp.Distribute, ("DISTRIBUTE BY",)
    ),
    Construct(
        "ASOF JOIN",
        "SELECT 1 FROM probe a ASOF JOIN probe b ON a.x >= b.x",
        exp.Join,
        ("ASOF",),
        lambda node: node.text("method").upper() == "ASOF",
    ),
    Construct(
        "* EXCEPT",
        "SELECT * EXCEPT (y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        exp.Star,
        ("EXCEPT",),
        lambda node: bool(node.args.get("except_")),
    ),
    Construct(
        "WITH CUBE",
        "SELECT x FROM probe GROUP BY x WITH CUBE",
        exp.Cube,
        ("CUBE",),
        lambda node: not node.expressions,
    ),
    Construct(
        "WITH TOTALS",
        "SELECT x FROM probe GROUP BY x WITH TOTALS",
        exp.Group,
        ("TOTALS",),
        has_part("totals"),
    ),
    Construct(
        "a column of JSON_TABLE without a type",
        "SELECT 1 FROM json_table('[]', '$[*]' COLUMNS (a PATH '$')) AS t",
        exp.JSONColumnDef,
        ("JSON_TABLE",),
        lambda node: not any(map(node.args.get, ("kind", "ordinality", "nested_schema"))),
    ),
    Construct(
        "LEFT SEMI JOIN",
        "SELECT 1 FROM probe a LEFT SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("SEMI",),
        _join(side="LEFT", kind="SEMI"),
    ),
    Construct(
        "LEFT ANTI JOIN",
        "SELECT 1 FROM probe a LEFT ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("ANTI",),
        _join(side="LEFT", kind="ANTI"),
    ),
    Construct(
        "JSON_TABLE as a value",
        "SELECT json_table('[]', '$' COLUMNS (a int PATH '$'))",
        exp.JSONTable,
        ("JSON_TABLE",),
        lambda node: not isinstance(node.parent, (exp.Table, exp.Lateral)),
    ),
    Construct(
        "VALUES … AS",
        "INSERT INTO keyed (x) VALUES (1) AS y ON DUPLICATE KEY UPDATE x = y.x",
        exp.Values,
        ("DUPLICATE", "VALUES"),
        lambda node: isinstance(node.parent, exp.Insert) and bool(node.args.get("alias")),
    ),
    Construct("WITH", "WITH a AS (SELECT 1) SELECT 1 FROM a", exp.With, ("WITH",)),
    Construct("INTERSECT", "SELECT 1 INTERSECT SELECT 2", exp.Intersect, ("INTERSECT",)),
    Construct("EXCEPT", "SELECT 1 EXCEPT SELECT 2", exp.Except, ("EXCEPT",)),
    Construct(
        "JSON_TABLE",
        "SELECT 1 FROM json_table('[]', '$[*]' COLUMNS (a int PATH '$')) AS t",
        exp.JSONTable,
        ("JSON_TABLE",),
        is_call=True,
    ),
    Construct(
        "START WITH … CONNECT BY",
        "SELECT x FROM probe START WITH x = 1 CONNECT BY PRIOR x = x",
        exp.Connect,
        ("CONNECT BY",),
    ),
    Construct(
        "VALUES with ORDER BY",
        "VALUES (1) ORDER BY 1",
        exp.Values,
        ("VALUES", "ORDER BY"),
        has_part("order"),
    ),
    Construct(
        "VALUES with LIMIT",
        "VALUES (1) LIMIT 1",
        exp.Values,
        ("VALUES", "LIMIT"),
        has_part("limit"),
    ),
    Construct(
        "LIMIT within a call",
        "SELECT group_concat(x ORDER BY x LIMIT 1) FROM probe",
        exp.Limit,
        ("LIMIT", "ORDER BY"),
        lambda node: isinstance(node.args.get("this"), exp.Order),
        is_disorder=True,
    ),
    Construct(
        "RIGHT SEMI JOIN",
        "SELECT 1 FROM probe a RIGHT SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("SEMI", "RIGHT"),
        _join(side="RIGHT", kind="SEMI"),
    ),
    Construct(
        "RIGHT ANTI JOIN",
        "SELECT 1 FROM probe a RIGHT ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("ANTI", "RIGHT"),
        _join(side="RIGHT", kind="ANTI"),
    ),
)
