"""Forms of `INSERT`, `UPDATE`, `DELETE` and `MERGE`."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms.form import Form, Tokens, Word, both, foreign, reads, tree, unless, within


def _joins_target(node: exp.Expr) -> bool:
    return isinstance(node.this, exp.Expr) and bool(node.this.args.get("joins"))


def _joins_alone(node: exp.Expr) -> bool:
    """Return whether a DELETE has a join but does not name its target: `DELETE FROM a, b`."""
    return not node.args.get("tables") and not node.args.get("using") and _joins_target(node)


def _has_offset(node: exp.Expr) -> bool:
    limit = node.args.get("limit")
    return limit is not None and limit.args.get("offset") is not None


def _is_unconditional(node: exp.Expr) -> bool:
    """Return whether UPDATE or DELETE has no WHERE; in MERGE, the condition is that of WHEN."""
    return node.args.get("where") is None and not isinstance(node.parent, exp.When)


def names_target(delete: exp.Expr) -> bool:
    """Return whether the target of DELETE is also in its USING clause: `DELETE FROM a USING a`."""
    items = delete.args.get("using") or ()
    items = [*items, *(join.this for item in items for join in item.args.get("joins") or ())]
    return any(item.alias_or_name == delete.this.name for item in items)


def _follows_from(conflict: exp.Expr) -> bool:
    """Return whether ON CONFLICT directly follows FROM, where ON may start a join condition."""
    query = conflict.parent and conflict.parent.args.get("expression")
    if not isinstance(query, exp.Select) or query.args.get("from_") is None:
        return False
    return not any(map(query.args.get, ("where", "group", "having", "windows", "order", "limit")))


class Dml:
    """Forms of `INSERT`, `UPDATE`, `DELETE` and `MERGE`."""

    with_before_delete = foreign(
        "WITH a AS (SELECT 1) DELETE FROM probe",
        tree(exp.Delete, "DELETE & WITH", "with_"),
        "`WITH` before `DELETE`",
    )
    with_before_update = foreign(
        "WITH a AS (SELECT 1) UPDATE probe SET x = 1",
        tree(exp.Update, "UPDATE & WITH", "with_"),
        "`WITH` before `UPDATE`",
    )
    insert_or = foreign(
        "INSERT OR REPLACE INTO keyed (x) VALUES (1)",
        tree(exp.Insert, "INSERT & OR", "alternative"),
    )
    on_conflict = foreign(
        "INSERT INTO keyed (x) VALUES (1) ON CONFLICT DO NOTHING",
        tree(exp.OnConflict, "CONFLICT", unless("duplicate")),
    )
    on_conflict_after_from = foreign(
        "INSERT INTO keyed (x) SELECT x FROM probe ON CONFLICT (x) DO NOTHING",
        tree(exp.OnConflict, "CONFLICT & SELECT", _follows_from),
        "`ON CONFLICT` directly after `FROM`",
    )
    on_conflict_on_constraint = foreign(
        "INSERT INTO keyed (x) VALUES (1) ON CONFLICT ON CONSTRAINT keyed_pkey DO NOTHING",
        tree(exp.OnConflict, "CONSTRAINT & CONFLICT", "constraint"),
    )
    on_duplicate_key = foreign(
        "INSERT INTO keyed (x) VALUES (1) ON DUPLICATE KEY UPDATE x = 1",
        tree(exp.OnConflict, "DUPLICATE", "duplicate"),
    )
    update_from = foreign(
        "UPDATE probe SET x = 1 FROM (SELECT 1 AS y) AS b WHERE b.y = 1",
        tree(exp.Update, "UPDATE & FROM", "from_"),
    )
    update_join = foreign(
        "UPDATE probe AS a JOIN probe AS b ON a.x = b.x SET a.x = 1",
        tree(exp.Update, "UPDATE & JOIN", _joins_target),
    )
    delete_using = foreign(
        "DELETE FROM probe USING probe AS b WHERE probe.x = b.x",
        tree(exp.Delete, "DELETE & USING", both("using", unless(names_target))),
    )
    delete_using_target = foreign(
        "DELETE FROM probe USING probe WHERE x = 1",
        tree(exp.Delete, "DELETE & USING", both("using", names_target)),
        "`DELETE … USING` that repeats its target",
    )
    delete_target_limit = foreign(
        "DELETE a FROM probe AS a ORDER BY x LIMIT 1",
        tree(exp.Delete, "DELETE & LIMIT", both("tables", "limit")),
        "`DELETE t FROM … LIMIT`",
    )
    delete_target_returning = foreign(
        "DELETE a FROM probe AS a WHERE x = 1 RETURNING x",
        tree(exp.Delete, "DELETE & RETURNING", both("tables", "returning")),
        "`DELETE t FROM … RETURNING`",
    )
    with_before_insert = foreign(
        "WITH a AS (SELECT 1 AS y) INSERT INTO probe SELECT y FROM a",
        tree(exp.Insert, "INSERT & WITH", "with_"),
        "`WITH` before `INSERT`",
    )
    insert_by_name = foreign(
        "INSERT INTO probe BY NAME SELECT 1 AS x", tree(exp.Insert, "BY & NAME", "by_name")
    )
    insert_returning = foreign(
        "INSERT INTO probe (x) VALUES (1) RETURNING x",
        tree(exp.Insert, "INSERT & RETURNING", "returning"),
    )
    insert_default_values = foreign(
        "INSERT INTO probe DEFAULT VALUES", tree(exp.Insert, "INSERT & DEFAULT", "default")
    )
    update_column_row = foreign(
        "UPDATE probe SET (x) = (SELECT 1)",
        tree(
            exp.Update,
            "UPDATE & (",
            lambda node: any(
                isinstance(one.this, (exp.Paren, exp.Tuple)) for one in node.expressions
            ),
        ),
        "`UPDATE` with a column list in `SET`",
    )
    delete_target = foreign(
        "DELETE a FROM probe AS a JOIN probe AS b ON a.x = b.x",
        tree(exp.Delete, "DELETE", "tables"),
        "`DELETE t FROM …`",
    )
    delete_limit = foreign("DELETE FROM probe LIMIT 1", tree(exp.Delete, "DELETE & LIMIT", "limit"))
    update_limit = foreign(
        "UPDATE probe SET x = 1 LIMIT 1", tree(exp.Update, "UPDATE & LIMIT", "limit")
    )
    delete_limit_offset = foreign(
        "DELETE FROM probe LIMIT 1, 2",
        tree(exp.Delete, "DELETE & LIMIT & ,", _has_offset),
        "`DELETE` with an offset in `LIMIT`",
    )
    update_limit_offset = foreign(
        "UPDATE probe SET x = 1 LIMIT 1, 2",
        tree(exp.Update, "UPDATE & LIMIT & ,", _has_offset),
        "`UPDATE` with an offset in `LIMIT`",
    )
    delete_order = foreign(
        "DELETE FROM probe ORDER BY x LIMIT 1",
        tree(exp.Delete, "DELETE & ORDER BY", "order"),
        "`DELETE … ORDER BY`",
    )
    update_returning = foreign(
        "UPDATE probe SET x = 1 RETURNING x", tree(exp.Update, "UPDATE & RETURNING", "returning")
    )
    delete_returning = foreign(
        "DELETE FROM probe RETURNING x", tree(exp.Delete, "DELETE & RETURNING", "returning")
    )
    update_several_tables = foreign(
        "UPDATE probe AS a, keyed AS b SET a.x = b.x",
        tree(exp.Update, "UPDATE & ,", _joins_target),
        "`UPDATE` of several tables",
    )
    delete_join = foreign(
        "DELETE FROM probe JOIN keyed ON probe.x = keyed.x",
        tree(exp.Delete, "DELETE & JOIN", _joins_alone),
    )
    delete_several_tables = foreign(
        "DELETE FROM probe, keyed WHERE probe.x = keyed.x",
        tree(exp.Delete, "DELETE & ,", _joins_alone),
        "`DELETE FROM` several tables",
    )
    when_not_matched_by = foreign(
        "MERGE INTO probe USING probe AS b ON probe.x = b.x WHEN NOT MATCHED BY SOURCE THEN DELETE",
        tree(exp.When, "MATCHED & BY", lambda node: node.args.get("source") is not None),
    )
    merge_returning = foreign(
        "MERGE INTO probe USING probe AS b ON probe.x = b.x WHEN MATCHED THEN DELETE RETURNING *",
        tree(exp.Merge, "MERGE & RETURNING", "returning"),
    )
    merge = foreign(
        "MERGE INTO probe USING probe AS b ON probe.x = b.x WHEN MATCHED THEN UPDATE SET x = 1",
        tree(exp.Merge, "MERGE"),
    )
    values_alias = foreign(
        "INSERT INTO keyed (x) VALUES (1) AS y ON DUPLICATE KEY UPDATE x = y.x",
        tree(exp.Values, "DUPLICATE & VALUES", both("alias", within(exp.Insert))),
        "`VALUES … AS`",
    )
    default_as_value = foreign(
        "INSERT INTO probe (x) VALUES (DEFAULT)",
        tree(
            exp.Var,
            "DEFAULT & VALUES",
            lambda node: node.name.upper() == "DEFAULT" and isinstance(node.parent, exp.Tuple),
        ),
        "`DEFAULT` in `VALUES`",
    )
    replace_into = foreign("REPLACE INTO keyed (x) VALUES (1)", Word(TokenType.INSERT, "REPLACE"))
    update_without_where = Form(
        "UPDATE probe SET x = 1",
        "`UPDATE` requires `WHERE`.",
        tree(exp.Update, "UPDATE", _is_unconditional),
    )
    delete_without_where = Form(
        "DELETE FROM probe",
        "`DELETE` requires `WHERE`.",
        tree(exp.Delete, "DELETE", _is_unconditional),
    )
    update_bare_alias = Form(
        "UPDATE probe p SET x = 1",
        "The alias of an `UPDATE` target requires `AS`.",
        Tokens(r"\A UPDATE name name (?=SET)", rare="UPDATE"),
    )
    delete_bare_alias = Form(
        "DELETE FROM probe p WHERE p.x = 1",
        "The alias of a `DELETE` target requires `AS`.",
        Tokens(r"\A DELETE FROM name (?=name)", rare="DELETE"),
    )
    delete_alias = Form(
        "DELETE FROM probe AS p WHERE p.x = 1",
        "A `DELETE` target cannot have an alias.",
        Tokens(r"\A DELETE FROM name (?=ALIAS)", rare="DELETE"),
    )
    insert_set = Form(
        "INSERT INTO probe SET x = 1",
        "`INSERT … SET` is not supported. Use `VALUES`.",
        Tokens(r"\A INSERT INTO? joined+(?=SET)", rare="INSERT"),
    )
    insert_without_into = Form(
        "INSERT probe (x) VALUES (1)",
        "`INSERT` requires `INTO`.",
        Tokens(r"\A INSERT (?=name)", rare="INSERT"),
    )
    conflict_without_set = Form(
        "INSERT INTO keyed (x) VALUES (1) ON CONFLICT (x) DO UPDATE x = 1",
        "`DO UPDATE` requires `SET`.",
        Tokens(". UPDATE (?!SET)", rare="UPDATE (?!SET)", text=reads(r"do\s+update\b")),
    )
    duplicate_with_set = Form(
        "INSERT INTO keyed (x) VALUES (1) ON DUPLICATE KEY UPDATE SET x = 1",
        "`ON DUPLICATE KEY UPDATE` does not allow `SET`.",
        Tokens(". UPDATE (?=SET)", rare="UPDATE SET", text=reads(r"key\s+update\s+set\b")),
    )
    insert_value = Form(
        "INSERT INTO probe (x) VALUE (1)",
        "`INSERT … VALUE` is not supported. Use `VALUES`.",
        Tokens(
            r"\A INSERT INTO? joined+(?:list VAR)?(?=open)",
            rare="INSERT",
            text=reads(r"""insert\b[^'\"`]*?\bvalue\s*\("""),
        ),
    )
    qualified_target = Form(
        "UPDATE probe AS p SET p.x = 1", "A column in `SET` cannot have a qualifier."
    )
    repeated_insert_column = Form(
        "INSERT INTO probe (x, x) VALUES (1, 2)", "`INSERT` lists a column more than once."
    )
    repeated_assignment = Form(
        "UPDATE probe SET x = 1, x = 2", "`UPDATE` assigns a column more than once."
    )
    conflict_without_target = Form(
        "INSERT INTO keyed (x) VALUES (1) ON CONFLICT DO UPDATE SET x = 1",
        "`ON CONFLICT DO UPDATE` requires columns or a constraint.",
    )
    conflict_without_key = Form(
        "INSERT INTO probe (x) VALUES (1) ON CONFLICT (x) DO NOTHING",
        "`ON CONFLICT` requires a unique key on its columns.",
    )
    empty_insert_list = Form(
        "INSERT INTO probe () VALUES ()", "The column list of `INSERT` is empty."
    )
    default_in_update = Form("UPDATE probe SET x = DEFAULT", "`DEFAULT` is not allowed in `SET`.")
    returning_of_source = Form(
        "UPDATE probe SET x = 1 FROM (SELECT 1 AS y) AS b WHERE b.y = 1 RETURNING b.y",
        "`RETURNING` cannot refer to a table of the `FROM` clause.",
    )
    assignment_to_expression = Form(
        "UPDATE probe SET upper(x) = 1", "`SET` can assign only to a column, not to an expression."
    )
    conflict_without_action = Form(
        "INSERT INTO keyed (x) VALUES (1) ON CONFLICT (x)",
        "A conflict clause requires an action: `DO NOTHING` or assignments.",
    )
    insert_without_rows = Form("INSERT INTO probe (x)", "`INSERT` requires `VALUES` or a query.")
    update_without_assignment = Form(
        "UPDATE probe SET x", "`SET` requires assignments: a column, `=` and a value."
    )
