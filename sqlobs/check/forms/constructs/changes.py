"""Forms of INSERT, UPDATE, DELETE and MERGE that some engines have."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.forms.constructs.construct import Construct, has_part


def _joins_target(node: exp.Expr) -> bool:
    return isinstance(node.this, exp.Expr) and bool(node.this.args.get("joins"))


def _joins_alone(node: exp.Expr) -> bool:
    """Say whether a DELETE joins what it reads without naming what it changes."""
    return not node.args.get("tables") and not node.args.get("using") and _joins_target(node)


def _has_offset(node: exp.Expr) -> bool:
    limit = node.args.get("limit")
    return limit is not None and limit.args.get("offset") is not None


def names_target(delete: exp.Expr) -> bool:
    """Say whether DELETE FROM names what its USING clause calls a relation."""
    items = delete.args.get("using") or ()
    items = [*items, *(join.this for item in items for join in item.args.get("joins") or ())]
    return any(item.alias_or_name == delete.this.name for item in items)


def _follows_from(conflict: exp.Expr) -> bool:
    """Say whether ON CONFLICT stands right behind FROM, whose join condition it may begin."""
    query = conflict.parent and conflict.parent.args.get("expression")
    if not isinstance(query, exp.Select) or query.args.get("from_") is None:
        return False
    return not any(map(query.args.get, ("where", "group", "having", "windows", "order", "limit")))


CHANGES: Final[tuple[Construct, ...]] = (
    Construct(
        "WITH before DELETE",
        "WITH a AS (SELECT 1) DELETE FROM probe",
        exp.Delete,
        ("DELETE", "WITH"),
        has_part("with_"),
    ),
    Construct(
        "WITH before UPDATE",
        "WITH a AS (SELECT 1) UPDATE probe SET x = 1",
        exp.Update,
        ("UPDATE", "WITH"),
        has_part("with_"),
    ),
    Construct(
        "INSERT OR …",
        "INSERT OR REPLACE INTO keyed (x) VALUES (1)",
        exp.Insert,
        ("INSERT", "OR"),
        has_part("alternative"),
    ),
    Construct(
        "ON CONFLICT",
        "INSERT INTO keyed (x) VALUES (1) ON CONFLICT DO NOTHING",
        exp.OnConflict,
        ("CONFLICT",),
        lambda node: not node.args.get("duplicate"),
    ),
    Construct(
        "ON CONFLICT behind FROM",
        "INSERT INTO keyed (x) SELECT x FROM probe ON CONFLICT (x) DO NOTHING",
        exp.OnConflict,
        ("CONFLICT", "SELECT"),
        _follows_from,
    ),
    Construct(
        "ON CONFLICT ON CONSTRAINT",
        "INSERT INTO keyed (x) VALUES (1) ON CONFLICT ON CONSTRAINT keyed_pkey DO NOTHING",
        exp.OnConflict,
        ("CONSTRAINT", "CONFLICT"),
        has_part("constraint"),
    ),
    Construct(
        "ON DUPLICATE KEY",
        "INSERT INTO keyed (x) VALUES (1) ON DUPLICATE KEY UPDATE x = 1",
        exp.OnConflict,
        ("DUPLICATE",),
        has_part("duplicate"),
    ),
    Construct(
        "UPDATE … FROM",
        "UPDATE probe SET x = 1 FROM (SELECT 1 AS y) AS b WHERE b.y = 1",
        exp.Update,
        ("UPDATE", "FROM"),
        has_part("from_"),
    ),
    Construct(
        "UPDATE … JOIN",
        "UPDATE probe AS a JOIN probe AS b ON a.x = b.x SET a.x = 1",
        exp.Update,
        ("UPDATE", "JOIN"),
        _joins_target,
    ),
    Construct(
        "DELETE … USING",
        "DELETE FROM probe USING probe AS b WHERE probe.x = b.x",
        exp.Delete,
        ("DELETE", "USING"),
        lambda node: bool(node.args.get("using")) and not names_target(node),
    ),
    Construct(
        "DELETE … USING with its target",
        "DELETE FROM probe USING probe WHERE x = 1",
        exp.Delete,
        ("DELETE", "USING"),
        lambda node: bool(node.args.get("using")) and names_target(node),
    ),
    Construct(
        "DELETE t FROM … LIMIT",
        "DELETE a FROM probe AS a ORDER BY x LIMIT 1",
        exp.Delete,
        ("DELETE", "LIMIT"),
        lambda node: bool(node.args.get("tables") and node.args.get("limit")),
    ),
    Construct(
        "DELETE t FROM … RETURNING",
        "DELETE a FROM probe AS a WHERE x = 1 RETURNING x",
        exp.Delete,
        ("DELETE", "RETURNING"),
        lambda node: bool(node.args.get("tables") and node.args.get("returning")),
    ),
    Construct(
        "WITH before INSERT",
        "WITH a AS (SELECT 1 AS y) INSERT INTO probe SELECT y FROM a",
        exp.Insert,
        ("INSERT", "WITH"),
        has_part("with_"),
    ),
    Construct(
        "INSERT … BY NAME",
        "INSERT INTO probe BY NAME SELECT 1 AS x",
        exp.Insert,
        ("BY", "NAME"),
        has_part("by_name"),
    ),
    Construct(
        "INSERT with RETURNING",
        "INSERT INTO probe (x) VALUES (1) RETURNING x",
        exp.Insert,
        ("INSERT", "RETURNING"),
        has_part("returning"),
    ),
    Construct(
        "INSERT … DEFAULT VALUES",
        "INSERT INTO probe DEFAULT VALUES",
        exp.Insert,
        ("INSERT", "DEFAULT"),
        has_part("default"),
    ),
    Construct(
        "UPDATE with a row of columns",
        "UPDATE probe SET (x) = (SELECT 1)",
        exp.Update,
        ("UPDATE", "("),
        lambda node: any(isinstance(one.this, (exp.Paren, exp.Tuple)) for one in node.expressions),
    ),
    Construct(
        "DELETE t FROM …",
        "DELETE a FROM probe AS a JOIN probe AS b ON a.x = b.x",
        exp.Delete,
        ("DELETE",),
        has_part("tables"),
    ),
    Construct(
        "DELETE with LIMIT",
        "DELETE FROM probe LIMIT 1",
        exp.Delete,
        ("DELETE", "LIMIT"),
        has_part("limit"),
    ),
    Construct(
        "UPDATE with LIMIT",
        "UPDATE probe SET x = 1 LIMIT 1",
        exp.Update,
        ("UPDATE", "LIMIT"),
        has_part("limit"),
    ),
    Construct(
        "DELETE with an offset of LIMIT",
        "DELETE FROM probe LIMIT 1, 2",
        exp.Delete,
        ("DELETE", "LIMIT", ","),
        _has_offset,
    ),
    Construct(
        "UPDATE with an offset of LIMIT",
        "UPDATE probe SET x = 1 LIMIT 1, 2",
        exp.Update,
        ("UPDATE", "LIMIT", ","),
        _has_offset,
    ),
    Construct(
        "DELETE with ORDER BY",
        "DELETE FROM probe ORDER BY x LIMIT 1",
        exp.Delete,
        ("DELETE", "ORDER BY"),
        has_part("order"),
    ),
    Construct(
        "UPDATE with RETURNING",
        "UPDATE probe SET x = 1 RETURNING x",
        exp.Update,
        ("UPDATE", "RETURNING"),
        has_part("returning"),
    ),
    Construct(
        "DELETE with RETURNING",
        "DELETE FROM probe RETURNING x",
        exp.Delete,
        ("DELETE", "RETURNING"),
        has_part("returning"),
    ),
    Construct(
        "UPDATE of several tables",
        "UPDATE probe AS a, keyed AS b SET a.x = b.x",
        exp.Update,
        ("UPDATE", ","),
        _joins_target,
    ),
    Construct(
        "DELETE … JOIN",
        "DELETE FROM probe JOIN keyed ON probe.x = keyed.x",
        exp.Delete,
        ("DELETE", "JOIN"),
        _joins_alone,
    ),
    Construct(
        "DELETE FROM several tables",
        "DELETE FROM probe, keyed WHERE probe.x = keyed.x",
        exp.Delete,
        ("DELETE", ","),
        _joins_alone,
    ),
    Construct(
        "INSERT in WITH",
        "WITH a AS (INSERT INTO probe (x) VALUES (1) RETURNING x) SELECT 1 FROM a",
        exp.CTE,
        ("INSERT", "WITH"),
        lambda node: isinstance(node.this, exp.Insert),
    ),
    Construct(
        "UPDATE in WITH",
        "WITH a AS (UPDATE probe SET x = 1 RETURNING x) SELECT 1 FROM a",
        exp.CTE,
        ("UPDATE", "WITH"),
        lambda node: isinstance(node.this, exp.Update),
    ),
    Construct(
        "DELETE in WITH",
        "WITH a AS (DELETE FROM probe RETURNING x) SELECT 1 FROM a",
        exp.CTE,
        ("DELETE", "WITH"),
        lambda node: isinstance(node.this, exp.Delete),
    ),
    Construct(
        "WHEN NOT MATCHED BY",
        "MERGE INTO probe USING probe AS b ON probe.x = b.x WHEN NOT MATCHED BY SOURCE THEN DELETE",
        exp.When,
        ("MATCHED", "BY"),
        lambda node: node.args.get("source") is not None,
    ),
    Construct(
        "MERGE with RETURNING",
        "MERGE INTO probe USING probe AS b ON probe.x = b.x WHEN MATCHED THEN DELETE RETURNING *",
        exp.Merge,
        ("MERGE", "RETURNING"),
        has_part("returning"),
    ),
    Construct(
        "MERGE",
        "MERGE INTO probe USING probe AS b ON probe.x = b.x WHEN MATCHED THEN UPDATE SET x = 1",
        exp.Merge,
        ("MERGE",),
    ),
)
