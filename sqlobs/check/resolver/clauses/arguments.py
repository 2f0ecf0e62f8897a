"""Resolves the arguments of a call, lambdas among them, and infers the type of the call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Calls, Operators
from sqlobs.check.resolver.model.scope import Relation, Scope
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import (
    CALLS,
    children,
    is_computed,
    settled_truth,
    truth_of,
    within_modifiers,
)
from sqlobs.check.resolver.names.columns import resolve_column
from sqlobs.check.types.system import NULL_TEST, Type


def resolve_arguments(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve the arguments of a call and infer the type of the call."""
    named = state.types.rewritten(node)
    if not state.types.is_known or (named is None and not isinstance(node, CALLS)):
        return _resolve_parts(state, node, scope)
    name, arguments = _name_and_arguments(state, node, named)
    if state.traits.skips_dead_branches and name.lower() in _CHOOSING:
        if (chosen := _chosen(arguments)) is not None:
            return _of_chosen(state, node, chosen, arguments, scope)
        if _may_be_dead(arguments):
            return None
        return _resolve_choice(state, node, name, arguments, scope)
    return _resolve_call(state, node, name, arguments, scope)


def _resolve_choice(
    state: State, node: exp.Expr, name: str, arguments: Sequence[exp.Expr], scope: Scope
) -> Type:
    """Resolve `if(a IS NULL, b, c)` and `multiIf`; b is skipped where a is never null."""
    types: list[Type] = []
    truth: bool | None = None
    for place, argument in enumerate(arguments):
        is_last = place == len(arguments) - 1
        is_condition = place % 2 == 0 and not is_last
        is_dead = truth is True and (is_condition or is_last)
        if is_dead or (truth is False and not is_condition and not is_last):
            types.append(None)
            continue
        types.append(state.expression(argument, scope))
        if is_condition:
            truth = settled_truth(argument)
    return state.judge(node, state.types.call(name, types, arguments), name)


def _resolve_call(
    state: State, node: exp.Expr, name: str, arguments: Sequence[exp.Expr], scope: Scope
) -> Type:
    receiver = _receiver(state, node)
    types: list[Type] = [None for _ in receiver]
    for argument in arguments:
        if isinstance(argument, exp.Column) and (
            _takes_unit(state, node, argument) or _names_object(state, node, argument)
        ):
            types.append(None)
        elif argument.__class__ is not exp.Lambda:
            types.append(state.expression(argument, scope))
        elif argument is arguments[0]:
            types.append(None)  # it is resolved once the types of the others are known
        else:
            items = state.types.parameters(name, types)
            types.append(resolve_lambda(state, argument, scope, items))
    if arguments and arguments[0].__class__ is exp.Lambda:
        items = state.types.parameters(name, types[1:])
        types[0] = resolve_lambda(state, arguments[0], scope, items)
    if name in _ROW:
        state.rows[id(node)] = tuple(types)
    elif state.traits.generators:
        _keep_columns(state, node, types, arguments)
    _check_distinct(state, node, types, arguments)
    if types and state.types.is_never_null(types[0]) and name.lower() in _NULL_TESTS:
        node.meta[NULL_TEST] = _NULL_TESTS[name.lower()]
    return state.judge(node, state.types.call(name, types, [*receiver, *arguments]), name)


def _name_and_arguments(
    state: State, node: exp.Expr, named: tuple[str, tuple[str, ...]] | None
) -> tuple[str, list[exp.Expr]]:
    """Return the name of a call, and its arguments in order; `named`: how sqlglot keeps them."""
    if named is None:
        return node.name, _arguments(node)
    name = named[0] if named[0] != "extract" else _extract_name(state)
    return name, [found for key in named[1] for found in _argument(node, key)]


def _chosen(arguments: Sequence[exp.Expr]) -> exp.Expr | None:
    """Return the only value that `if(1, a, b)` or `multiIf(0, a, 1, b, c)` can give, if known."""
    for condition, value in zip(arguments[:-1:2], arguments[1::2], strict=False):
        truth = truth_of(condition)
        if truth is not False and condition.__class__ is not exp.Null:
            return value if truth else None
    return arguments[-1] if len(arguments) % 2 else None


def _may_be_dead(arguments: Sequence[exp.Expr]) -> bool:
    """Return whether the engine computes which values it skips: these may name anything."""
    return any(map(is_computed, arguments[:-1:2]))


def _of_chosen(
    state: State, call: exp.Expr, chosen: exp.Expr, arguments: Sequence[exp.Expr], scope: Scope
) -> Type:
    """Return the type of a call with a chosen value: a NULL among the others counts, too."""
    found = state.expression(chosen, scope)
    null = next((one for one in arguments if one.__class__ is exp.Null), None)
    return found if null is None else state.common(call, [found, None], [chosen, null], what="CASE")


_CHOOSING: Final = frozenset({"if", "multiif"})
_NULL_TESTS: Final = {"isnull": False, "isnotnull": True}
"""Calls whose value is a constant where their argument is never null."""


def _check_distinct(
    state: State, call: exp.Expr, types: Sequence[Type], arguments: Sequence[exp.Expr]
) -> None:
    """Check the first argument of `f(DISTINCT x)`, whose values are compared."""
    if arguments and call.expressions and call.expressions[0].__class__ is exp.Distinct:
        state.judge(arguments[0], state.types.grouped(types[0], arguments[0]))


def _keep_columns(
    state: State, call: exp.Expr, types: Sequence[Type], arguments: Sequence[exp.Expr]
) -> None:
    """Keep the columns of the rows that a call gives."""
    if call.name.lower() in state.traits.generators:
        columns = state.types.generated(call.name, types, arguments)
        if columns:
            state.generated[id(call)] = columns


def _receiver(state: State, node: exp.Expr) -> list[exp.Expr]:
    """Return the first argument of `a.substr(1, 2)`, which is `substr(a, 1, 2)`."""
    dot = node.parent
    if not state.traits.chains_calls or not isinstance(dot, exp.Dot) or dot.this is node:
        return []
    if "." in node.name:  # `HLL_COUNT.INIT(x)`
        return []
    return [dot.this]


def _resolve_parts(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve the arguments of a call whose types are not checked by its name."""
    if isinstance(node, exp.WithinGroup) and state.types.is_known:
        return _resolve_ordered(state, node, scope)
    for child in _parts(node):
        if not (isinstance(child, exp.Column) and _takes_unit(state, node, child)):
            state.expression(child, scope)
    return None


def _resolve_ordered(state: State, node: exp.WithinGroup, scope: Scope) -> Type:
    """Resolve `f(x) WITHIN GROUP (ORDER BY y)`: both are arguments."""
    arguments = list(_parts(node))
    if (order := node.args.get("expression")) is not None:
        arguments[-1:] = order.expressions
    types = [state.expression(argument, scope) for argument in arguments]
    if not isinstance(node.this, exp.Anonymous):
        return None
    name = node.this.name
    return state.judge(node, state.types.ordered(name, types, arguments), name)


_ROW: Final = frozenset({"ROW", "row", "Row"})


def _extract_name(state: State) -> str:
    """Return the call that all Extract nodes of a statement come from; empty: both occur.

    sqlglot also makes one of PostgreSQL's `date_part('year', x)`, which has another type.
    """
    text = state.sql.lower()
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
        elif isinstance(argument, exp.Expr) and not isinstance(argument, exp.Star):
            found.append(argument)  # `extract(x)` has an argument that is None
    return found


def argument_count(node: exp.Expr) -> int:
    """Return how many arguments a call has; `f(*)` has none, `f(DISTINCT a, b)` two."""
    arguments = node.expressions
    if len(arguments) == 1:
        only = within_modifiers(arguments[0])
        if isinstance(only, exp.Order) and only.args.get("this") is not None:
            only = within_modifiers(only.this)
        if isinstance(only, exp.Star):
            return 0
        if isinstance(only, exp.Distinct):
            return len(only.expressions)
        if isinstance(only, exp.Order) and only.args.get("this") is None:
            return 0  # `rank(ORDER BY x)`
    return len(arguments) - arguments.count(None)


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the arguments; of `f(x) WITHIN GROUP (…)` both x and the order."""
    if isinstance(node, exp.WithinGroup):
        yield from children(node.this)
        if node.args.get("expression") is not None:  # `f(x) WITHIN GROUP ()`
            yield node.expression
    else:
        yield from children(node)


def _takes_unit(state: State, node: exp.Expr, argument: exp.Column) -> bool:
    """Return whether an argument is not a column but a unit: `timestampdiff(YEAR, a, b)`."""
    if argument.args.get("table") is not None or argument.this.args.get("quoted"):
        return False
    name = node.name.upper()
    if name in _WORDS_OF_CALLS:
        return argument.name.upper() in _WORDS_OF_CALLS[name]
    if name in _UNIT_CALLS and _is_unit(state, node, argument):
        return not _wants_value(state, name.lower(), len(node.expressions))
    sequences = state.traits.sequence_calls
    return bool(sequences) and name.lower() in sequences and argument is node.expressions[0]


def _names_object(state: State, node: exp.Expr, argument: exp.Column) -> bool:
    """Return whether an argument is the name of a table: `joinGet(prices, 'price', id)`."""
    return (
        state.traits.object_calls is not None
        and argument is next(iter(node.expressions), None)
        and takes_object(state, node)
        and state.table_key(argument.this) in state.context.plain_tables
    )


def takes_object(state: State, call: exp.Expr) -> bool:
    """Return whether the first argument of a call names a table or a dictionary."""
    pattern = state.traits.object_calls
    return pattern is not None and re.fullmatch(pattern, call.name) is not None


def _is_unit(state: State, node: exp.Expr, argument: exp.Expr) -> bool:
    """Return whether a word is a unit, or as first argument the letter of one."""
    word = argument.name.upper()
    if word in _UNITS:
        return True
    if argument is not next(iter(node.expressions), None):  # `extract(WEEK FROM d)` has none
        return False
    listed = state.knowledge.units.get("called")
    if listed is not None:
        return word.lower() in listed
    return word in _LETTERS and not state.follows_defaults


def _wants_value(state: State, name: str, count: int) -> bool:
    """Return whether the call reads a bare word as a column."""
    known = state.knowledge.signatures(name)
    if not known:
        return state.traits.arguments_first
    with_unit = [one for one in known if "UNIT" in (one.arguments or ())]
    if with_unit and not any(one.takes(count) for one in with_unit):
        return True  # `date_add(MONTH, 1)` in Spark
    return state.rejects(Calls.with_unit.get(name))


_UNIT_CALLS: Final = frozenset(
    "TIMESTAMPDIFF TIMESTAMPADD DATEDIFF DATEADD DATEPART DATENAME DATE_DIFF DATE_PART DATE_ADD"
    " DATE_SUB DATE_TRUNC DATETRUNC DATETIME_DIFF DATETIME_TRUNC DATETIME_ADD DATETIME_SUB LAST_DAY"
    " TIMESTAMP_DIFF TIMESTAMP_TRUNC TIMESTAMP_ADD TIMESTAMP_SUB TIME_DIFF TIME_TRUNC TRUNC WEEK"
    " DATE_BUCKET DATEDIFF_BIG DATESUB TIMEADD TIMEDIFF TIMESTAMPSUB".split()
)
_WORDS_OF_CALLS: Final = {"GET_FORMAT": frozenset({"DATE", "TIME", "DATETIME", "TIMESTAMP"})}
"""Other words that are not columns in these calls."""
_LETTERS: Final = frozenset("YQMDWHNS")
"""Units of dialects like SQL Server (`DATEDIFF(d, a, b)`)."""
_UNITS: Final = frozenset(
    "MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK ISOWEEK MONTH QUARTER YEAR ISOYEAR"
    " DAYOFYEAR DAYOFWEEK WEEKDAY DECADE CENTURY DD DW DY HH MI MM MS NS QQ SS WK WW YY YYYY"
    " SQL_TSI_SECOND SQL_TSI_MINUTE SQL_TSI_HOUR SQL_TSI_DAY SQL_TSI_WEEK SQL_TSI_MONTH"
    " SQL_TSI_QUARTER SQL_TSI_YEAR"
    " MCS ISOWK ISOWW ISO_WEEK NANOSECOND"
    " MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY".split()
)


def resolve_lambda(state: State, node: exp.Expr, scope: Scope, items: Sequence[Type] = ()) -> Type:
    """Resolve `lambda x: …`, or `f(payload -> 'a')`, which sqlglot parses as a lambda.

    Its body has bare identifiers for its parameters, whose known types are `items`.
    """
    is_lambda = state.traits.lambda_arrows or not state.rejects(Operators.lambda_function)
    if is_lambda or _has_keyword(state, node):
        outer = state.lambda_parameters
        names = [parameter.name.lower() for parameter in node.expressions]
        known = [*items, *[None] * len(names)]
        state.lambda_parameters = {**outer, **dict(zip(names, known, strict=False))}
        found = state.expression(node.this, scope)
        state.lambda_parameters = outer
        return found
    return _arrow(state, node, scope)


def _arrow(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `payload -> 'a' ->> 'b'`; sqlglot nests the other arrows in the first one."""
    found: Type = None
    for parameter in node.expressions:
        column = resolve_column(state, exp.Column(this=parameter.copy()), scope)
        found = state.given(column) if column is not None else None
    arrows: list[exp.Expr] = []
    key = node.this
    while isinstance(key, (exp.JSONExtract, exp.JSONExtractScalar)):
        arrows.append(key)
        key = key.this
    if not state.types.is_known or len(node.expressions) != 1 or not isinstance(key, exp.Literal):
        return None
    sides = (node.expressions[0], key)
    found = state.judge(node, state.types.operator("->", found, state.types.literal(key), sides))
    for arrow in reversed(arrows):
        other = state.expression(arrow.expression, scope)
        found = state.combine(arrow, (arrow.this, arrow.expression), found, other)
    return found


def _has_keyword(state: State, node: exp.Expr) -> bool:
    """Return whether a lambda has the word `lambda`, not an arrow."""
    start = node.expressions[0].meta.get("start") if node.expressions else None
    return start is not None and state.sql[:start].rstrip()[-6:].lower() == "lambda"


def resolve_comprehension(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `x + 1 FOR x IN list IF x > 1`, the inside of a list."""
    found = state.expression(node.args["iterator"], scope)
    item = state.judge(node, state.types.element(found))
    inner = Scope(scope)
    inner.clause, inner.inside_aggregate = scope.clause, scope.inside_aggregate
    named = [(node.expression, item), (node.args.get("position"), None)]
    columns = {
        state.column_key(name): PreparedColumn(name.name, kind)
        for name, kind in named
        if isinstance(name, exp.Identifier)
    }
    inner.relations["\0"] = Relation("", columns)
    result = state.expression(node.this, inner)
    condition = node.args.get("condition")
    if condition is not None:
        state.condition(state.expression(condition, inner), condition, what="IF")
    return result
