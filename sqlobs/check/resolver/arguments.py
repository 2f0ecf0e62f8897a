"""Walks the arguments of a call and has the call judged by their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms.probes import UNIT_CALLS
from sqlobs.check.resolver.tree import children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk
    from sqlobs.check.types.system import Type


def resolve_arguments(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk the arguments of a call and let the type system judge them."""
    from sqlobs.check.resolver.expressions import resolve_expression

    named = walk.types.rewritten(node) if walk.types is not None else None
    if walk.types is None or (named is None and not isinstance(node, exp.Anonymous)):
        return _resolve_parts(walk, node, scope)
    if named is None:
        name, arguments = node.name, _arguments(node)
    else:
        name = named[0] if named[0] != "extract" else _extract_name(walk)
        arguments = [found for key in named[1] for found in _argument(node, key)]
    receiver = _receiver(walk, node)
    types: list[Type] = [None for _ in receiver]
    for argument in arguments:
        if _takes_unit(walk, node, argument):
            types.append(None)
        elif argument.__class__ is exp.Lambda:
            from sqlobs.check.resolver.lambdas import resolve_lambda

            items = walk.types.parameters(name, types)
            types.append(resolve_lambda(walk, argument, scope, items))
        else:
            types.append(resolve_expression(walk, argument, scope))
    if name in _ROW:
        walk.rows[id(node)] = tuple(types)
    if arguments and node.expressions and node.expressions[0].__class__ is exp.Distinct:
        walk.compare("=", types[0], types[0], (arguments[0], arguments[0]))
    return walk.judge(node, walk.types.call(name, types, [*receiver, *arguments]))


def _receiver(walk: Walk, node: exp.Expr) -> list[exp.Expr]:
    """Return the first argument of `a.substr(1, 2)`, which is `substr(a, 1, 2)`."""
    dot = node.parent
    if not walk.traits.fields_by_dot or not isinstance(dot, exp.Dot) or dot.this is node:
        return []
    return [dot.this]


def _resolve_parts(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk the arguments of a call whose types are not judged by its name."""
    from sqlobs.check.resolver.expressions import resolve_expression

    if isinstance(node, exp.WithinGroup) and walk.types is not None:
        return _resolve_ordered(walk, node, scope)
    for child in _parts(node):
        if not _takes_unit(walk, node, child):
            resolve_expression(walk, child, scope)
    return None


def _resolve_ordered(walk: Walk, node: exp.WithinGroup, scope: Scope) -> Type:
    """Walk `f(x) WITHIN GROUP (ORDER BY y)`: both are arguments."""
    from sqlobs.check.resolver.expressions import resolve_expression

    arguments = list(_parts(node))
    if (order := node.args.get("expression")) is not None:
        arguments[-1:] = order.expressions
    types = [resolve_expression(walk, argument, scope) for argument in arguments]
    if walk.types is None or not isinstance(node.this, exp.Anonymous):
        return None
    return walk.judge(node, walk.types.ordered(node.this.name, types, arguments))


_ROW: Final = frozenset({"ROW", "row", "Row"})


def _extract_name(walk: Walk) -> str:
    """Return the call that a statement's Extract nodes were made of; empty: it has both.

    sqlglot makes one of PostgreSQL's `date_part('year', x)` too, whose value has another type.
    """
    text = walk.sql.lower()
    names = [name for name in ("date_part", "extract") if name in text]
    return names[0] if len(names) == 1 else ""


def _argument(node: exp.Expr, key: str) -> list[exp.Expr]:
    value = node.args.get(key)
    if isinstance(value, exp.Distinct):
        return [one for one in value.expressions if one is not None]  # `f(DISTINCT )`
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, exp.Expr) else []


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for argument in node.expressions:
        if isinstance(argument, exp.Distinct):
            found.extend(argument.expressions)
        elif not isinstance(argument, exp.Star):
            found.append(argument)
    return found


def argument_count(node: exp.Expr) -> int:
    """Return how many arguments a call has; `f(*)` has none, `f(DISTINCT a, b)` two."""
    arguments = node.expressions
    if len(arguments) == 1:
        only = arguments[0]
        if isinstance(only, exp.Star):
            return 0
        if isinstance(only, exp.Distinct):
            return len(only.expressions)
        if isinstance(only, exp.Order) and only.args.get("this") is None:
            return 0  # `rank(ORDER BY x)`
    return len(arguments)


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what an aggregate takes: of `f(x) WITHIN GROUP (…)` both x and the order."""
    if isinstance(node, exp.WithinGroup):
        yield from children(node.this)
        if node.args.get("expression") is not None:  # `f(x) WITHIN GROUP ()`
            yield node.expression
    else:
        yield from children(node)


def _takes_unit(walk: Walk, node: exp.Expr, argument: exp.Expr) -> bool:
    """Say whether an argument is a unit of time: `timestampdiff(YEAR, a, b)` reads no column."""
    return (
        isinstance(argument, exp.Column)
        and argument.args.get("table") is None
        and not argument.this.args.get("quoted")
        and (
            _names_sequence(walk, node, argument)
            or argument.name.upper() in _WORDS_OF_CALLS.get(node.name.upper(), ())
            or (
                node.name.upper() in _UNIT_CALLS
                and _is_unit(walk, node, argument)
                and not _wants_value(walk, node.name.lower())
            )
        )
    )


def _names_sequence(walk: Walk, node: exp.Expr, argument: exp.Expr) -> bool:
    """Say whether an argument is the name of a sequence: `nextval(order_numbers)`."""
    calls = walk.traits.sequence_calls
    return bool(calls) and node.name.lower() in calls and argument is node.expressions[0]


def _is_unit(walk: Walk, node: exp.Expr, argument: exp.Expr) -> bool:
    """Say whether a word is a unit, or the letter of one before all other arguments."""
    word = argument.name.upper()
    if word in _UNITS:
        return True
    return walk.catalogue is None and word in _LETTERS and argument is node.expressions[0]


def _wants_value(walk: Walk, name: str) -> bool:
    """Say whether a word without quotes means a column to a call in this engine."""
    if walk.catalogue is None or name not in walk.catalogue.functions:
        return walk.traits.arguments_first
    return walk.refuses(UNIT_CALLS.get(name, ""))


_UNIT_CALLS: Final = frozenset(
    "TIMESTAMPDIFF TIMESTAMPADD DATEDIFF DATEADD DATEPART DATENAME DATE_DIFF DATE_PART DATE_ADD"
    " DATE_SUB DATE_TRUNC DATETRUNC DATETIME_DIFF DATETIME_TRUNC DATETIME_ADD DATETIME_SUB LAST_DAY"
    " TIMESTAMP_DIFF TIMESTAMP_TRUNC TIMESTAMP_ADD TIMESTAMP_SUB TIME_DIFF TRUNC WEEK"
    " DATE_BUCKET DATEDIFF_BIG".split()
)
_WORDS_OF_CALLS: Final = {"GET_FORMAT": frozenset({"DATE", "TIME", "DATETIME", "TIMESTAMP"})}
"""Other words that are no columns in the calls that take them."""
_LETTERS: Final = frozenset("YQMDWHNS")
"""Units of SQL Server, Redshift and Snowflake (`DATEDIFF(d, a, b)`)."""
_UNITS: Final = frozenset(
    "MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK ISOWEEK MONTH QUARTER YEAR ISOYEAR"
    " DAYOFYEAR DAYOFWEEK WEEKDAY DECADE CENTURY DD DW DY HH MI MM MS NS QQ SS WK WW YY YYYY"
    " SQL_TSI_SECOND SQL_TSI_MINUTE SQL_TSI_HOUR SQL_TSI_DAY SQL_TSI_WEEK SQL_TSI_MONTH"
    " SQL_TSI_QUARTER SQL_TSI_YEAR"
    " MCS ISOWK ISOWW ISO_WEEK NANOSECOND"
    " MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY".split()
)
