"""The columns that a query gives: their names, those of `*`, `t.*` and DuckDB's `COLUMNS(…)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Ctes, FromClause, SelectList
from sqlobs.check.resolver.model.scope import MOST_OWNERS, Relation, Scope
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import is_bare_column, parts_of_path
from sqlobs.check.resolver.names.columns import fields_of_star, resolve_qualifier
from sqlobs.check.types.system import written


def output_name(state: State, item: exp.Expr) -> str:
    """Return the name of an item of the SELECT list; empty where the engine makes one up."""
    if isinstance(item, exp.Alias):
        alias = item.args.get("alias")  # DuckDB's `:p` has none
        return state.kept_name(alias) if alias is not None else ""
    if isinstance(item, exp.Paren) and isinstance(item.this, exp.Column):
        item = item.this
    elif state.traits.casting_calls:
        item = _cast_column(state, item) or item
    if isinstance(item, exp.Column):
        return state.kept_name(item.this)
    return _made_up_name(state, item)


def _cast_column(state: State, item: exp.Expr) -> exp.Expr | None:
    """Return the column, but no field of one, that an item casts: `CAST(a AS INT)`, `int(a)`."""
    item = item.unnest() if isinstance(item, exp.Paren) else item
    if item.__class__ is exp.Anonymous:
        is_cast = item.name.lower() in state.traits.casting_calls and len(item.expressions) == 1
        value = item.expressions[0] if is_cast else None
    else:
        value = item.this if isinstance(item, exp.Cast) else None
    value = value.unnest() if isinstance(value, exp.Paren) else value
    use = next(reversed(state.resolution.columns), None)
    is_column = use is not None and use.node is value and not use.path
    return value if is_column else None


def path_of(state: State, item: exp.Expr) -> str:
    """Return the path to a column or field, without a qualifier that it does not need.

    It needs one where the name alone means a column of an earlier relation.
    """
    parts = [*map(state.kept_name, parts_of_path(item))]
    use = next(reversed(state.resolution.columns), None)
    if use is None or use.node is not item:
        return parts[-1]
    own = 1 + use.path.count(".") + use.column.name.count(".")
    needs_qualifier = _needs_qualifier(use.level, state.output_key(use.column.name), use.relation)
    return ".".join(parts if needs_qualifier else parts[-own:])


def _needs_qualifier(scope: Scope, key: str, owner: Relation) -> bool:
    """Return whether a name alone does not mean a relation's column.

    In a single join it means that of the left side, in several no column that there is twice.
    """
    relations = scope.relations
    if len(relations) == _OF_ONE_JOIN:
        return relations.showing(key)[:1] not in ([owner], [])
    return len(relations.showing(key)) > 1 or relations.merge(key)


_OF_ONE_JOIN: Final = 2
"""Relations of a FROM clause with a single join."""


def _named_by_path(
    state: State, item: exp.Expr, scope: Scope, relations: Iterable[Relation]
) -> list[PreparedColumn]:
    """Return the columns that a star gives of relations, named as `path_of` describes."""
    if not state.traits.outputs_keep_paths or len(scope.relations) == 1:
        return shown_columns(state, relations)
    aliases = {id(relation): alias for alias, relation in scope.relations.items()}
    named = []
    for relation in relations:
        alias = aliases[id(relation)].partition("\0")[0]
        for column in shown_columns(state, [relation]):
            key = state.output_key(column.name)
            is_merged = item.__class__ is exp.Star and scope.relations.merge(key)
            needs_qualifier = alias and not is_merged and _needs_qualifier(scope, key, relation)
            name = f"{alias}.{column.name}"
            named.append(replace(column, name=name) if needs_qualifier else column)
    return named


def items_by_name(state: State, items: Iterable[exp.Expr]) -> dict[str, list[exp.Expr]]:
    """Return the items of a SELECT list by their folded names."""
    named: dict[str, list[exp.Expr]] = {}
    for item in items:
        if item.__class__ is exp.Column and state.traits.outputs_keep_paths:
            continue
        if name := output_name(state, item):
            named.setdefault(state.output_key(name), []).append(item)
    return named


def _made_up_name(state: State, item: exp.Expr) -> str:
    """Return the name that the engine gives an expression; empty: none that a query can use."""
    convention = state.traits.names_outputs_by
    if convention == "field":
        field = item.expression if isinstance(item, exp.Dot) else None
        return state.kept_name(field) if isinstance(field, exp.Identifier) else ""
    if convention == "call":
        return _figured(state, item)[0] or "?column?"
    if (word := _WORDS.get(item.__class__)) is not None:
        return word
    return _constant_name(item) if convention == "text" else ""


_WORDS: Final[dict[type[exp.Expr], str]] = {
    exp.CurrentDate: "CURRENT_DATE",
    exp.CurrentTime: "CURRENT_TIME",
    exp.CurrentTimestamp: "CURRENT_TIMESTAMP",
}
"""Values written as one word, which names the output in every engine."""


def _constant_name(item: exp.Expr) -> str:
    """Return MySQL's name of a constant: its text, of a string without the quotes."""
    if isinstance(item, exp.Literal):
        return str(item.this)
    if isinstance(item, exp.Boolean):
        return str(item.this).lower()
    return "null" if isinstance(item, exp.Null) else ""


def _figured(state: State, item: exp.Expr | None) -> tuple[str, bool]:
    """Return PostgreSQL's name of an expression, and whether a cast around it keeps that.

    As `FigureColname` in its `parse_target.c`; empty where there is none.
    """
    if item.__class__ is exp.Anonymous:  # the most frequent one
        return item.name.lower(), True
    if isinstance(item, exp.Column):
        return state.kept_name(item.this), True
    if isinstance(item, _WRAPPERS):
        return _figured(state, item.this)
    if isinstance(item, exp.Dot):
        return _figured(state, item.expression)
    if isinstance(item, exp.Identifier):
        return state.kept_name(item), True
    if isinstance(item, exp.Cast):
        name, is_firm = _figured(state, item.this)
        text = written(item.args["to"], "postgres").lower()
        plain = text.partition("(")[0].partition("[")[0].strip()
        return (name, True) if is_firm else (_TYPE_NAMES.get(plain, plain), False)
    if isinstance(item, exp.Case):
        name, is_firm = _figured(state, item.args.get("default"))
        return (name, True) if is_firm else ("case", False)
    if isinstance(item, exp.Subquery):
        return _of_query(state, item)
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


def _of_query(state: State, query: exp.Expr) -> tuple[str, bool]:
    while isinstance(query, exp.Subquery):
        query = query.this
    items = query.expressions if isinstance(query, exp.Select) else []
    if not items:
        return "", False
    alias = items[0].args.get("alias") if isinstance(items[0], exp.Alias) else None
    return (state.kept_name(alias), True) if alias is not None else _figured(state, items[0])


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


_TYPE_NAMES: Final = {
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
MOST_READ: Final = 100_000
"""Limit of the columns that all stars of a statement give: each CTE can double those of the one
before. Columns of NATURAL joins count too, as each is looked up in all earlier relations."""


def columns_of_star(
    state: State, item: exp.Expr, scope: Scope
) -> tuple[list[PreparedColumn], bool] | None:
    """Return the columns that `*` or `t.*` gives and whether they are all; None: no star."""
    if item.__class__ is exp.Star:
        return _of_all(state, item, scope)
    if item.__class__ is exp.Column and item.this.__class__ is exp.Star:
        qualifier = item.args.get("table")
        if item.args.get("db") is not None and state.traits.unnest_column is not None:
            state.add_form(item, SelectList.star_with_two_qualifiers)
        found = resolve_qualifier(state, qualifier, scope) if qualifier is not None else None
        if found is None and (fields := fields_of_star(state, item, scope)) is not None:
            return _of_fields(state, item.this, fields, scope)
        if found is None or _hold_too_many(state, found[:1]):
            return [], False
        if qualifier is not None and found[1].repeated:
            _check_namesakes(state, qualifier, found[1], state.alias_key(qualifier))
        _check_parts(state, item.this, found[:1], scope)
        columns, is_whole = _kept(
            state, item.this, _named_by_path(state, item, found[1], found[:1])
        )
        return columns, is_whole and found[0].complete
    if item.__class__ is exp.Dot:
        return _of_value(state, item, scope)
    return None


def _of_value(
    state: State, item: exp.Expr, scope: Scope
) -> tuple[list[PreparedColumn], bool] | None:
    """Return the fields that BigQuery's `f(a).*` gives."""
    found = state.expression(item.this, scope)
    fields = state.types.fields(found)
    if fields is None:
        return [], False
    if not fields:
        state.add_type_fault(item, f"{found} has no fields.")
        return [], False
    columns = [PreparedColumn(name, kind) for name, kind in fields.items()]
    return _of_fields(state, item.expression, columns, scope)


def _of_fields(
    state: State, star: exp.Expr, fields: list[PreparedColumn], scope: Scope
) -> tuple[list[PreparedColumn], bool]:
    """Return what the star of a structure gives, after its EXCEPT."""
    columns = {state.output_key(field.name): field for field in fields}
    _check_parts(state, star, [Relation("", columns)], scope)
    return _kept(state, star, fields)


def _kept(
    state: State, star: exp.Expr, columns: list[PreparedColumn]
) -> tuple[list[PreparedColumn], bool]:
    """Return what EXCEPT, REPLACE and RENAME leave of the columns of a star, and whether it is all.

    A name with a qualifier and a pattern of names are not applied.
    """
    parts = {name: value for name, value in star.args.items() if value}
    if not parts:
        return columns, True
    named = [one.this if is_bare_column(one) else one for one in parts.get("except_", ())]
    renamed = [(one.this, one.args["alias"]) for one in parts.get("rename", ())]
    are_plain = all(isinstance(one, exp.Identifier) for one in named)
    are_plain = are_plain and all(is_bare_column(one) for one, _ in renamed)
    are_plain = are_plain and all(isinstance(one, exp.Alias) for one in parts.get("replace", ()))
    if not are_plain or not parts.keys() <= _PARTS:
        return columns, False
    left_out = {state.column_key(one) for one in named}
    replaced = {state.column_key(one.args["alias"]) for one in parts.get("replace", ())}
    called = {state.column_key(one.this): state.kept_name(alias) for one, alias in renamed}
    kept = []
    for column in columns:
        key = state.output_key(column.name)
        if key in replaced or key in called:
            kind = None if key in replaced else column.type
            kept.append(PreparedColumn(called.get(key, column.name), kind))
        elif key not in left_out:
            kept.append(column)
    return kept, True


_PARTS: Final = frozenset({"except_", "replace", "rename"})


def _of_all(state: State, item: exp.Expr, scope: Scope) -> tuple[list[PreparedColumn], bool]:
    if not scope.relations:
        state.add_form(item, SelectList.star_without_from)
        if not state.rejects(SelectList.star_without_from):
            return [], False  # columns of a table of the engine's
    relations = list(scope.relations.values())
    if _hold_too_many(state, relations):
        return [], False
    if scope.repeated:
        _check_namesakes(state, item, scope)
    _check_parts(state, item, relations, scope)
    columns, is_whole = _kept(state, item, _named_by_path(state, item, scope, relations))
    return columns, is_whole and all(relation.complete for relation in relations)


def shown_columns(state: State, relations: Iterable[Relation]) -> list[PreparedColumn]:
    """Return the columns of relations, of merged ones the first."""
    return [
        column
        for relation in relations
        for column in relation.outputs
        if state.output_key(column.name) not in relation.hidden
    ]


def _check_namesakes(state: State, star: exp.Expr, scope: Scope, name: str | None = None) -> None:
    """Record a star over relations with one alias (`name`; None: any); some engines reject it."""
    if scope.namesakes is None:
        scope.namesakes = dict(_namesakes(state, scope))
    for alias in scope.namesakes if name is None else scope.namesakes.keys() & {name}:
        state.add_column_fault(star, None, "ambiguous", scope, tuple(scope.namesakes[alias]))


def _namesakes(state: State, scope: Scope) -> Iterator[tuple[str, list[Relation]]]:
    """Yield each alias that several relations share and `*` then excludes, with some of them."""
    if not state.rejects(SelectList.star_of_namesakes):
        return
    named: dict[str, list[Relation]] = {alias: [] for alias in scope.repeated}
    for key, relation in scope.relations.items():
        if (alias := key.partition("\0")[0]) in named:
            named[alias].append(relation)
    for alias, relations in named.items():
        names = [state.output_key(column.name) for column in shown_columns(state, relations)]
        if len(set(names)) < len(names) or state.rejects(SelectList.star_of_different_namesakes):
            yield alias, relations[:MOST_OWNERS]


def _check_parts(state: State, star: exp.Expr, relations: Sequence[Relation], scope: Scope) -> None:
    """Resolve EXCLUDE, REPLACE and RENAME after a star."""
    is_free = state.traits.excludes_any_name and not _STRICT.search(state.sql)
    excluded = star.args.get("except_") or ()
    if is_free and any(isinstance(one, exp.Alias) for one in excluded):
        state.add_form(star, SelectList.star_alias)  # `* EXCEPT a AS b`
    excluded = () if is_free else excluded
    for left_out in excluded:
        name = left_out.this if isinstance(left_out, exp.Column) else left_out
        if not isinstance(left_out.args.get("table"), exp.Expr):
            _check_changed(state, name, relations, scope)
    for alias in star.args.get("replace") or ():
        state.expression(alias.unalias(), scope)
        if not is_free:
            _check_changed(state, alias.args.get("alias"), relations, scope)
    for alias in star.args.get("rename") or ():  # later clauses see the new name
        if not state.follows_defaults:
            state.expression(alias.this, scope)
        column = PreparedColumn(state.kept_name(alias.args["alias"]))
        scope.aliases.setdefault(state.output_key(column.name), column)


_STRICT: Final = re.compile(r"\b(?:EXCEPT|REPLACE)\s+STRICT\b", re.IGNORECASE)


def _check_changed(
    state: State, name: exp.Expr | None, relations: Sequence[Relation], scope: Scope
) -> None:
    """Record a column that a star leaves out or replaces and that no relation has."""
    if not isinstance(name, exp.Identifier) or not all(one.complete for one in relations):
        return
    key = state.column_key(name)
    if not any(key in relation.columns for relation in relations):
        state.add_column_fault(name, None, "unknown", scope)


def are_too_many(state: State, columns: int) -> bool:
    """Count columns that stars read; return whether they exceed the limit."""
    state.columns_of_stars += columns
    if state.columns_of_stars <= MOST_READ:
        return False
    state.resolution.undecided.append("stars")
    return True


def _hold_too_many(state: State, relations: Iterable[Relation]) -> bool:
    return are_too_many(state, sum(len(relation.outputs) for relation in relations))


def chooses_columns(call: exp.Expr) -> bool:
    """Return whether a call is DuckDB's `COLUMNS(…)`, which selects columns by pattern or name."""
    return call.name.upper() == "COLUMNS"


def check_columns(state: State, call: exp.Expr, scope: Scope) -> None:
    """Record what COLUMNS selects and no relation of FROM has."""
    if len(call.expressions) != 1 or not scope.relations.are_complete():
        return
    for text in _missing(state, call.expressions[0], scope):
        name = exp.to_identifier(text, quoted=True)
        name.meta.update(call.meta)
        state.add_column_fault(name, None, "unknown", scope)


def check_pattern(state: State, item: exp.Expr, scope: Scope) -> None:
    """Record a SELECT list of ClickHouse's `COLUMNS('^a')` alone that no column matches."""
    call = item.expression if isinstance(item, exp.Dot) else item
    sought: exp.Expr | None = None
    if isinstance(call, exp.Columns):
        sought = call.this
    elif chooses_columns(call) and len(call.expressions) == 1:
        sought = call.expressions[0]
    if sought is not None and sought.is_string and not _is_regular(sought.name):
        state.add_form(item, SelectList.pattern_of_columns)
        return
    is_pattern = sought is not None and sought.is_string and scope.relations.are_complete()
    if is_pattern and sought is not None and any(_missing(state, sought, scope)):
        state.add_form(item.parent or item, SelectList.no_columns)


def _missing(state: State, sought: exp.Expr, scope: Scope) -> Iterator[str]:
    if isinstance(sought, exp.Array):
        for item in sought.expressions:
            if item.is_string and not scope.relations.have(state.output_key(item.name)):
                yield item.name
    elif sought.is_string and _SIMPLE.fullmatch(sought.name):
        pattern = re.compile(sought.name)
        columns = (one for relation in scope.relations.values() for one in relation.outputs)
        if not any(pattern.search(column.name) for column in columns):
            yield sought.name


def _is_regular(pattern: str) -> bool:
    """Return whether a text is a regular expression of RE2, which lacks what looks around."""
    if _BEYOND_RE2.search(pattern):
        return False
    if _OF_RE2.search(pattern):
        return True
    try:
        re.compile(pattern)
    except (re.error, OverflowError):
        return False
    return True


_BEYOND_RE2: Final = re.compile(r"\(\?(?:[=!]|<[=!])|(?<!\\)\\[1-9]|[*+?]\+")
_OF_RE2: Final = re.compile(r"\\[pPQCKz]|\[\[|\(\?[a-zA-Z-]+[:)]|\(\?P?<")
"""What RE2 reads in another way than Python."""


_SIMPLE: Final = re.compile(r"\^?\w*(?:\.\*\w*){0,2}\$?")
"""Patterns that are read alike everywhere, in a time that their length bounds."""


def check_width(state: State, node: exp.Expr, relation: Relation, expected: int) -> None:
    """Record a query whose number of columns does not fit its place."""
    if relation.complete and (width := width_of(node, relation)) != expected:
        state.add_width_fault(node, width, expected)


def width_of(node: exp.Expr, relation: Relation) -> int:
    """Return how many columns a query has; `SELECT AS STRUCT a, b` is one value."""
    return 1 if node.unnest().args.get("kind") is not None else len(relation.outputs)


def check_names(state: State, relation: Relation, alias: exp.Expr, *, is_cte: bool) -> None:
    """Record a column list longer than the relation; for some engines, a CTE's shorter one."""
    names = alias.args.get("columns") or ()
    if not names or not relation.complete:
        return
    width = len(relation.outputs)
    is_wide = len(names) > width and (not is_cte or state.rejects(Ctes.long_cte_column_list))
    form = Ctes.short_cte_column_list if is_cte else FromClause.short_column_list
    is_narrow = len(names) < width and state.rejects(form)
    if is_wide or is_narrow:
        state.add_width_fault(alias, width, len(names))


def check_rows_of(state: State, values: exp.Expr) -> set[int]:
    """Record a VALUES list with rows of different widths; return the widths."""
    rows = [row for row in values.expressions if isinstance(row, exp.Tuple)]
    widths = {len(row.expressions) for row in rows}
    if len(widths) > 1:
        state.add_width_fault(rows[-1], max(widths), min(widths))
    return widths
