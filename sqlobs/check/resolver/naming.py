"""How engines name an item of the SELECT list that has no alias."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.types.written import written

if TYPE_CHECKING:
    from sqlobs.check.resolver.state import Walk


def made_up_name(walk: Walk, item: exp.Expr) -> str:
    """Return the name that the engine gives an expression; empty: none that a query can use."""
    convention = walk.traits.names_outputs_by
    if convention == "call":
        return _figured(walk, item)[0] or "?column?"
    if (word := _WORDS.get(item.__class__)) is not None:
        return word
    return _text(item) if convention == "text" else ""


_WORDS: Final[dict[type[exp.Expr], str]] = {
    exp.CurrentDate: "CURRENT_DATE",
    exp.CurrentTime: "CURRENT_TIME",
    exp.CurrentTimestamp: "CURRENT_TIMESTAMP",
}
"""Values that a word stands for: outputs have its name in every engine."""


def _text(item: exp.Expr) -> str:
    """Return MySQL's name of a constant: its text, that of a string without the quotes."""
    if isinstance(item, exp.Literal):
        return str(item.this)
    if isinstance(item, exp.Boolean):
        return str(item.this).lower()
    return "null" if isinstance(item, exp.Null) else ""


def _figured(walk: Walk, item: exp.Expr | None) -> tuple[str, bool]:
    """Return PostgreSQL's name of an expression, and whether a cast around it keeps that.

    As `FigureColname` in its `parse_target.c`; empty where there is none.
    """
    if item.__class__ is exp.Anonymous:  # the most frequent one
        return item.name.lower(), True
    if isinstance(item, exp.Column):
        return walk.kept_name(item.this), True
    if isinstance(item, _WRAPPERS):
        return _figured(walk, item.this)
    if isinstance(item, exp.Dot):
        return _figured(walk, item.expression)
    if isinstance(item, exp.Identifier):
        return walk.kept_name(item), True
    if isinstance(item, exp.Cast):
        name, is_firm = _figured(walk, item.this)
        return (name, True) if is_firm else (_type_name(item), False)
    if isinstance(item, exp.Case):
        name, is_firm = _figured(walk, item.args.get("default"))
        return (name, True) if is_firm else ("case", False)
    if isinstance(item, exp.Subquery):
        return _of_query(walk, item)
    if isinstance(item, exp.Interval):
        return "interval", False
    name = _call_name(item) if item is not None else ""
    return name, bool(name)


_WRAPPERS: Final = (
    exp.Paren,
    exp.Window,
    exp.Filter,
    exp.WithinGroup,
    exp.IgnoreNulls,
    exp.RespectNulls,
    exp.Collate,
    exp.Bracket,
)


def _of_query(walk: Walk, query: exp.Expr) -> tuple[str, bool]:
    while isinstance(query, exp.Subquery):
        query = query.this
    items = query.expressions if isinstance(query, exp.Select) else []
    if not items:
        return "", False
    alias = items[0].args.get("alias") if isinstance(items[0], exp.Alias) else None
    return (walk.kept_name(alias), True) if alias is not None else _figured(walk, items[0])


def _call_name(item: exp.Expr) -> str:
    if isinstance(item, exp.Trim):
        return _TRIMS.get(item.text("position").upper(), "btrim")
    if (name := _NAMES.get(item.__class__)) is not None:
        return name
    if isinstance(item, exp.Func) and not isinstance(item, exp.Binary):
        return str(item.sql_name()).lower()
    return ""


_TRIMS: Final = {"LEADING": "ltrim", "TRAILING": "rtrim"}
_NAMES: Final[dict[type[exp.Expr], str]] = {
    exp.Array: "array",
    exp.Tuple: "row",
    exp.Exists: "exists",
    exp.AtTimeZone: "timezone",
    exp.StrPosition: "position",
    exp.GroupConcat: "string_agg",
    exp.JSONObject: "json_object",
}
"""Names of what sqlglot does not keep as a call."""


def _type_name(cast: exp.Cast) -> str:
    text = written(cast.args["to"], "postgres").lower()
    plain = text.partition("(")[0].partition("[")[0].strip()
    return _TYPES.get(plain, plain)


_TYPES: Final = {
    "int": "int4",
    "integer": "int4",
    "bigint": "int8",
    "smallint": "int2",
    "real": "float4",
    "double precision": "float8",
    "decimal": "numeric",
    "char": "bpchar",
    "boolean": "bool",
}
"""PostgreSQL's own names of types that the standard calls otherwise."""
