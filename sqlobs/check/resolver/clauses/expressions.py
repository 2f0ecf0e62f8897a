"""Resolves expressions and calls: columns, casts, functions; infers their types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.engine.prepared_schema import PreparedColumn, PreparedSchema, PreparedTable
from sqlobs.check.forms import Calls, Conditions, Literals, Operators, SelectList, Windows
from sqlobs.check.resolver.clauses.aggregates import (
    ORDERED_SET_KINDS,
    note_call,
    note_option,
    resolve_aggregate,
)
from sqlobs.check.resolver.clauses.arguments import argument_count, resolve_arguments, takes_object
from sqlobs.check.resolver.clauses.conditions import is_in_table, resolve_in_table, resolve_of_array
from sqlobs.check.resolver.clauses.ordering import resolve_amount
from sqlobs.check.resolver.model.resolution import CallUse, TableUse
from sqlobs.check.resolver.model.scope import Scope
from sqlobs.check.resolver.model.state import ExpressionResolver, State
from sqlobs.check.resolver.model.tree import QUANTIFIERS, children, is_bare_column
from sqlobs.check.resolver.names.columns import (
    field_type,
    items_named,
    resolve_column,
    resolve_field,
    value_of_column,
)
from sqlobs.check.resolver.names.outputs import check_columns, chooses_columns, columns_of_star
from sqlobs.check.types.system import Type, sample_of, whole
from sqlobs.dialects.catalog import Kind
from sqlobs.dialects.resolution_rules import Clause


def _any_other(state: State, node: exp.Expr, scope: Scope) -> Type:
    if state.types.rewritten(node) is not None:
        return resolve_arguments(state, node, scope)
    for child in children(node):
        state.expression(child, scope)
    return state.types.constant(node)


def _star(state: State, node: exp.Expr, _scope: Scope) -> Type:
    """Record a star as an operand, where stars stand for values: `* + 1`."""
    around = node.parent
    is_operand = isinstance(around, (exp.Binary, exp.Unary)) and not isinstance(around, exp.Paren)
    if is_operand and state.traits.star_clauses is not None:
        state.add_type_fault(node, "A star is not allowed as an operand.")
    return None


def _nothing(_state: State, _node: exp.Expr, _scope: Scope) -> Type:
    """Ignore a leaf without a name."""
    return None


def _parameter(state: State, node: exp.Expr, _scope: Scope) -> Type:
    """Return the type of a lambda's parameter; any other bare identifier is its parent's."""
    return state.lambda_parameters.get(node.name.lower()) if state.lambda_parameters else None


def _literal(state: State, node: exp.Expr, _scope: Scope) -> Type:
    return state.types.literal(node)


def _first(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a wrapper: parentheses, an alias, ORDER BY within a call."""
    found: Type = None
    for place, child in enumerate(children(node)):
        kind = state.expression(child, scope)
        found = kind if place == 0 else found
    return found


def _with_option(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `f(x) RESPECT NULLS`, of which f must be an aggregate or a window function."""
    call, around = node.this, node.parent
    if isinstance(call, exp.Anonymous):
        kinds = {one.kind for one in state.knowledge.signatures(call.name)}
        if kinds == {"scalar"}:
            state.add_form(node, Calls.nulls_option_of_scalar)
        note_option(state, node, Calls.ignoring_nulls_behind.get(call.name.lower()))
    elif isinstance(around, exp.Anonymous):
        forms, name = Calls.ignoring_nulls_within, around.name.lower()
        note_option(state, node, forms.get(name, forms["max"]))
        if isinstance(around.parent, exp.Window) and name in {"any_value", "first", "last"}:
            note_option(state, node, forms["over"])
    return _first(state, node, scope)


def _distinct(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `DISTINCT a` that ORDER BY or LIMIT follows within a call."""
    types = [(state.expression(value, scope), value) for value in children(node)]
    for found, value in types:
        state.judge(value, state.types.grouped(found, value))
    return types[0][0] if types else None


def _ordered(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a term of ORDER BY, in a query, a window or a call: its values must have an order."""
    found = _first(state, node, scope)
    state.compare("<", found, found, (node.this, node.this))
    return found


def _limit_of_call(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `a LIMIT 2` within a call."""
    found = state.expression(node.this, scope) if isinstance(node.this, exp.Expr) else None
    clause = scope.clause
    resolve_amount(state, node, scope)
    scope.clause = clause
    return found


def _alias(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve an alias outside of a list, which parentheses reject."""
    if isinstance(node.parent, (exp.Paren, exp.Tuple)):
        state.add_form(node, SelectList.alias_in_parentheses)
    # the parentheses around a single value may be ours: `dateAdd(DAY, 1 shift, at)`
    is_listed, alias = isinstance(node.parent, exp.Tuple), node.args.get("alias")
    if is_listed and alias is not None and not state.is_behind_as(alias, unknown=True):
        state.add_form(node, SelectList.bare_alias_in_parentheses)
    return _first(state, node, scope)


def _dot(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `namespace.f(x)` as a call, and `(row).field` as its row."""
    if isinstance(node.expression, exp.Anonymous):
        if _is_of_engine(state, node):
            node.expression.set("this", f"{node.this.name}.{node.expression.name}")
            return resolve_call(state, node.expression, scope)
        if state.follows_defaults:
            _check_namespace(state, node, scope)
        return resolve_call(state, node.expression, scope, qualified=True)
    found = state.expression(node.this, scope)
    if isinstance(node.this, exp.Paren):
        state.add_form(node, Operators.field_of_parentheses)
        if state.traits.whole_row:
            resolve_field(state, node.this.this, node.expression, scope)
    if node.expression.is_int and state.traits.fields_by_dot:
        return _numbered(state, node, found)
    if isinstance(node.expression, exp.Identifier):
        return field_type(state, found, node.this.name, [node.expression], scope)
    return None


def _numbered(state: State, node: exp.Expr, found: Type) -> Type:
    """Return the type of `(a, b).2`; record a number that the tuple does not have."""
    fields = state.types.fields(found) if found is not None else None
    is_written = isinstance(node.this, (exp.Tuple, exp.Struct))
    if is_written and whole(node.expression.name) > len(node.this.expressions):
        state.add_type_fault(node, f"The tuple has no element {node.expression.name}.")
    return fields.get(node.expression.name) if fields is not None else None


def _is_of_engine(state: State, dot: exp.Expr) -> bool:
    """Return whether a call is one of the engine's own in a namespace: `HLL_COUNT.INIT(x)`."""
    before = dot.this
    if not isinstance(before, exp.Identifier):
        return False
    name = f"{before.name}.{dot.expression.name}".lower()
    is_own = before.name.lower() in state.knowledge.namespaces
    return is_own or bool(state.knowledge.signatures(name))


def _net(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `NET.HOST(x)`, of which sqlglot keeps the part behind the dot as a call."""
    if isinstance(node.this, exp.Anonymous):
        node.this.set("this", f"NET.{node.this.name}")
    return state.expression(node.this, scope)


def _json_object(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `JSON_OBJECT(a, b)`: without the standard's form of it, PostgreSQL has a function."""
    nodes = [part for pair in children(node) for part in children(pair)]
    types = [state.expression(part, scope) for part in nodes]
    named = state.types.rewritten(node)
    if named is None or not state.rejects(Calls.json_object_with_colon):
        return None
    return state.judge(node, state.types.call(named[0], types, nodes))


def _json_aggregate(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve Oracle's `JSON_ARRAYAGG(a RETURNING CLOB)`, whose type is read as a column."""
    kind = node.args.get("return_type")
    if not kind:
        return resolve_aggregate(state, node, scope)
    for child in children(node):
        if child is not kind:
            state.expression(child, scope)
    return None


def _cast(state: State, node: exp.Expr, scope: Scope) -> Type:
    found = state.expression(node.this, scope)
    if (to := node.args.get("to")) is None:
        return None
    kind = state.types.named(to)
    if _is_behind(state, node.this, kind):
        return state.judge(node, state.types.typed_literal(kind, node.this))
    return state.judge(node, state.types.cast(found, kind, node.this))


def _cast_to_text(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve ClickHouse's `CAST(a, 'Array(Int32)')`."""
    found = state.expression(node.this, scope)
    return state.judge(node, state.types.cast_to_text(found, node.args["to"], node.this))


_LONGEST_TYPE: Final = 40
"""Most characters of a literal's type, and of the blanks behind it."""


def _is_behind(state: State, literal: exp.Expr, kind: Type) -> bool:
    """Return whether a literal follows the name of its type: `DATE '2020-01-01'`, no `CAST`."""
    if kind is None or not isinstance(literal, exp.Literal) or not literal.is_string:
        return False
    start = literal.meta.get("start", 0)
    before = state.sql[max(start - _LONGEST_TYPE, 0) : start].split()
    return bool(before) and state.types.declared(before[-1].rpartition("(")[2]) == kind


def _placeholder(state: State, node: exp.Expr, _scope: Scope) -> Type:
    if not state.traits.binds_parameters:
        state.add_type_fault(node, "The parameter has no value.")
    return None


def _value_only(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve the value of `name => value`; the name is the callee's."""
    value = node.expression
    return state.expression(value, scope) if isinstance(value, exp.Expr) else None


def _bracket(state: State, node: exp.Expr, scope: Scope) -> Type:
    found = state.expression(node.this, scope)
    for index in node.expressions:
        state.expression(index, scope)
    return state.judge(node, state.types.item(found, node.expressions))


def _interval(state: State, node: exp.Expr, scope: Scope) -> Type:
    if state.rejects(Literals.interval_literal) and not state.rejects(Literals.interval):
        state.add_form(node, Literals.interval_literal)
    if isinstance(node.this, exp.Expr):
        state.expression(node.this, scope)
    return state.types.constant(node)


def _quantile(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `quantile(a)`, of which sqlglot has a node of its own."""
    _check_values(state, node, "quantile")
    return resolve_aggregate(state, node, scope)


RESOLVERS: Final[Mapping[type[exp.Expr], ExpressionResolver]] = {
    exp.Expr: _any_other,
    exp.Quantile: _quantile,
    exp.Column: value_of_column,
    exp.Pseudocolumn: _any_other,  # Oracle's LEVEL, which no relation has
    exp.Dot: _dot,
    exp.NetFunc: _net,
    exp.SafeFunc: _first,
    exp.Paren: _first,
    exp.Alias: _alias,
    exp.PivotAlias: _any_other,
    exp.Order: _first,
    exp.Limit: _limit_of_call,
    exp.IgnoreNulls: _with_option,
    exp.RespectNulls: _with_option,
    exp.HavingMax: _first,
    exp.Distinct: _distinct,
    exp.Ordered: _ordered,
    exp.Collate: lambda state, node, scope: state.expression(node.this, scope),
    exp.CastToStrType: _cast_to_text,
    exp.JSONObject: _json_object,
    exp.JSONArrayAgg: _json_aggregate,
    exp.JSONObjectAgg: _json_aggregate,
    exp.Literal: _literal,
    exp.Null: _literal,
    exp.Star: _star,
    exp.Identifier: _parameter,
    exp.Var: _literal,
    exp.DataType: _nothing,
    exp.NextValueFor: _nothing,
    exp.SemanticView: _nothing,  # its names are those of a view that no schema describes
    exp.Placeholder: _placeholder,
    exp.Parameter: _nothing,
    exp.Cast: _cast,
    exp.Interval: _interval,
    exp.Bracket: _bracket,
    exp.NestedJSONSelect: lambda state, node, scope: state.expression(node.this, scope),
    exp.Kwarg: _value_only,
    exp.PropertyEQ: _value_only,
}
_NEVER_ALONE: Final = ORDERED_SET_KINDS | {"window"}
_AGGREGATING: Final = frozenset({"aggregate", "ordered", "hypothetical"})


def _count_of_stars(
    state: State, name: str, written: int, arguments: Sequence[exp.Expr], scope: Scope
) -> int:
    """Return how many arguments a call has whose stars stand for columns: `hash(*)`, `f(t.*)`.

    Where the columns are not known, the call has as many as the function accepts.
    """
    stars = [one for one in arguments if one.is_star]
    others = len(arguments) - len(stars)
    if name.lower() not in {"count", "countif"}:  # which count the rows of `*`
        found = [columns_of_star(state, star, scope) or ([], False) for star in stars]
        if found and all(columns and is_whole for columns, is_whole in found):
            return others + sum(len(columns) for columns, _ in found)
    accepted = (written, *range(others, _MOST_ARGUMENTS))
    return next((count for count in accepted if state.knowledge.kinds(name, count)), written)


_MOST_ARGUMENTS: Final = 16
"""Of functions with a fixed number of them."""


def _check_stars(state: State, call: exp.Expr, scope: Scope) -> None:
    """Record a star in a clause that expands none; `count(*)` has none to expand."""
    clauses, arguments = state.traits.star_clauses, call.expressions
    if clauses is None or scope.clause in clauses:
        return
    values = [value for one in arguments for value in (one.expressions or [one])]
    is_count = call.name.lower() == "count" and [one.__class__ for one in arguments] == [exp.Star]
    if not is_count and any(value.is_star for value in values):
        place = scope.clause.upper()
        state.add_type_fault(call, f"A star is not allowed in a call in {place}.", call.name)


def resolve_call(state: State, node: exp.Expr, scope: Scope, *, qualified: bool = False) -> Type:
    """Record a call as written, walk its arguments and return the type of its value."""
    if state.types.is_known and len(node.expressions) == 1 and _is_of_array(state, node):
        return resolve_of_array(state, node, scope)
    if is_in_table(state, node, scope):
        note_call(state, CallUse(node, node.name, len(node.expressions), qualified))
        return resolve_in_table(state, node, scope)
    return _resolve_call(state, node, scope, qualified=qualified)


def _resolve_call(state: State, node: exp.Expr, scope: Scope, *, qualified: bool) -> Type:
    count, arguments = argument_count(node), node.expressions
    is_several = count > 1 == len(arguments) and node.name.lower() == "count"
    if is_several and not state.rejects(Calls.several_distinct_arguments):
        count = 1  # count(DISTINCT a, b) in MySQL
    if state.traits.stars_in_calls and node.find(exp.Star) is not None:
        count = _count_of_stars(state, node.name, count, arguments, scope)
        _check_stars(state, node, scope)
    is_qualified = qualified or _has_namespace(node)
    kinds = note_call(state, CallUse(node, node.name, count, is_qualified))
    if count and arguments[0].__class__ is exp.Distinct:
        _check_distinct(state, node, kinds)
    if is_qualified and not state.follows_defaults:
        kinds = frozenset()  # another function of this name
    if "window" in kinds and kinds <= _NEVER_ALONE and not _is_in_pattern(node):
        if state.traits.over_is_grammar:
            state.add_form(node, Windows.window_without_over)
        else:
            state.add_aggregate_fault(node, node.name, "window", "a call without OVER")
    elif kinds and kinds <= ORDERED_SET_KINDS:
        state.add_aggregate_fault(node, node.name, "aggregate", "a call without WITHIN GROUP")
    _check_several(state, node, scope, kinds)
    if not kinds.isdisjoint(_AGGREGATING) and "scalar" not in kinds:
        return resolve_aggregate(state, node, scope)
    resolve = _resolve_geometric if kinds == _GEOMETRIC else resolve_arguments
    return resolve(state, node, scope)


def _has_namespace(call: exp.Expr) -> bool:
    """Return whether a call is `dbo.f(1)` in FROM, `date::parse(a)`, `model!run(a)`, `f@b(a)`."""
    above = call.parent
    in_from = isinstance(above, exp.Table) and above.args.get("db") is not None
    return in_from or isinstance(above, _OWNERS) or "@" in call.name


_OWNERS: Final = (exp.ScopeResolution, exp.ModelAttribute)


def _is_in_pattern(call: exp.Expr) -> bool:
    """Return whether `lag(price)` is a function of MATCH_RECOGNIZE."""
    return isinstance(call.find_ancestor(exp.MatchRecognize, exp.Query), exp.MatchRecognize)


def _check_namespace(state: State, dot: exp.Expr, scope: Scope) -> None:
    """Check what precedes the dot of a call: a namespace, or in DuckDB its first argument."""
    before, schema, traits = dot.this, state.context.schema, state.traits
    if not isinstance(before, exp.Identifier):
        return
    if traits.stars_in_calls and dot.expression.name.upper() == "COLUMNS":
        return  # `t.COLUMNS('^a')` is a star
    if state.alias_key(before) in scope.relations:
        state.add_form(dot, Calls.call_on_relation)
    elif not traits.calls_have_namespace:
        state.add_form(dot, Calls.namespace_of_call)
    elif schema is None or _is_namespace(state, schema, state.table_key(before)):
        return
    elif not traits.chains_calls:
        state.resolution.undecided.append(before.name)
    elif (
        before.name.lower() not in state.lambda_parameters
        and dot.expression.name.lower() not in state.context.declared_functions
    ):
        resolve_column(state, exp.Column(this=before.copy()), scope)


def _is_namespace(state: State, schema: PreparedSchema, name: str) -> bool:
    """Return whether a name is known to be a namespace of functions."""
    known = {*state.traits.own_schemas, *(namespace for namespace, _ in schema.qualified)}
    return name in known or name.lower() in state.traits.system_schemas


def _check_several(state: State, node: exp.Expr, scope: Scope, kinds: frozenset[Kind]) -> None:
    if node.name.lower() in state.knowledge.sets:
        _check_set(state, node, scope)
    if kinds == _TABLE and not isinstance(node.parent, _SOURCES):
        _check_unnest(state, node, scope)
    if not kinds and chooses_columns(node):
        check_columns(state, node, scope)
    if takes_object(state, node):
        _check_object(state, node, scope)
    if (
        _is_disabled(state, node.name.lower())
        or state.knowledge.has("deprecated", node.name) is Answer.YES
    ):
        state.add_form(node, Calls.deprecated_call)
    accepted = state.knowledge.parameters.get(node.name.lower())
    if accepted is not None:
        _check_parameters(state, node, accepted)


def _is_disabled(state: State, name: str) -> bool:
    """Return whether only a setting enables a function, or an aggregate with a suffix."""
    disabled = state.knowledge.disabled
    return name in disabled or (
        bool(disabled)
        and name not in state.knowledge.functions
        and any(name.startswith(one) for one in disabled)
    )


def _check_parameters(state: State, call: exp.Expr, accepted: Sequence[int]) -> None:
    given = _parameters_of(state, call.name)
    if not given and 0 not in accepted and not any(map(_is_null, call.expressions)):
        state.add_form(call, Calls.call_without_parameters)
    elif any(_count_of(parameters) not in accepted for parameters in given):
        state.add_form(call, Calls.wrong_parameters)
    _check_values(state, call, call.name)


def _check_values(state: State, call: exp.Expr, name: str) -> None:
    """Record a parameter that the aggregate of this name rejects."""
    rejected = state.knowledge.parameter_values.get(name.lower())
    if any(map(_is_null, call.expressions)):
        return  # the call is NULL
    if rejected and any(_is_rejected(given, rejected) for given in _parameters_of(state, name)):
        state.add_form(call, Calls.wrong_parameters)


def _is_rejected(parameters: str, rejected: Sequence[Sequence[str]]) -> bool:
    """Return whether one of the parameters is a literal that the aggregate rejects."""
    for parameter, values in zip(parameters.split(","), rejected, strict=False):
        sample = sample_of(parameter.strip())
        if sample is None and _NO_NUMBER.match(parameter.strip()) and not {"1", "2"} & {*values}:
            sample = "'a'"  # where no number is rejected
        if sample in values or (sample == "3" and {"2", "10"} <= set(values)):
            return True
    return False


def _is_null(argument: exp.Expr) -> bool:
    """Return whether an argument is NULL, of which most aggregates are NULL."""
    return argument.__class__ is exp.Null


def _parameters_of(state: State, name: str) -> list[str]:
    """Return what stands before the arguments of calls of a name: the parser is given none of it.

    `quantiles(0.5, 0.9)(x)` has `0.5, 0.9`.
    """
    if _TWO_LISTS.search(state.sql) is None:
        return []
    pattern = rf"\b{re.escape(name)}\s*\(((?:[^()]|\([^()]*\))*)\)\s*\("
    return re.findall(pattern, state.sql)


_TWO_LISTS: Final = re.compile(r"\)\s*\(")
"""What only calls with parameters have, and few statements else: `0.9)(x`."""
_NO_NUMBER: Final = re.compile(r"[\[(]|NULL\Z", re.IGNORECASE)
"""What is rejected where a text is: `[1]`, `(1, 2)`, `NULL`."""


def _count_of(parameters: str) -> int:
    """Return how many parameters a text lists; `_MOST_PARAMETERS` if there are more."""
    plain = _INSIDE.sub("0", parameters)
    return min(plain.count(",") + 1 if plain.strip() else 0, _MOST_PARAMETERS)


_MOST_PARAMETERS: Final = 5
"""Engines were asked about lists of parameters up to this length."""
_INSIDE: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\[[^\[\]]*\]|\([^()]*\)")
"""Parts of an argument that may have commas: `'(?1)(?2)'`, `[1, 2]`, `f(1, 2)`."""


def _check_object(state: State, call: exp.Expr, scope: Scope) -> None:
    """Record a dictionary that a call names, by a literal or its alias, and the schema lacks."""
    first = next(iter(call.expressions), None)
    if first is not None and is_bare_column(first) and state.traits.aliases_everywhere:
        named = items_named(state, state.column_key(first.this), scope)
        first = named[0].this if len(named) == 1 else None
    _check_constants_of_object(state, call, first)
    if first is None or not first.is_string:
        return
    if _LOOKS_LATE.fullmatch(call.name) and call.find(exp.Column, exp.Star) is not None:
        return  # the dictionary is looked up for each row
    name = exp.to_identifier(first.name.rpartition(".")[2], quoted=True)
    name.meta.update(call.meta)
    table = state.context.plain_tables.get(state.table_key(name))
    if table is None:
        use = TableUse(exp.Table(this=name), name, None)
        state.resolution.unlisted_tables.append(use)
    else:
        _check_attributes(state, call, table, scope)


def _check_attributes(state: State, call: exp.Expr, table: PreparedTable, scope: Scope) -> None:
    """Record the attributes of `dictGet('titles', ('name', 'price'), id)` that there are not."""
    if not _READS_ATTRIBUTES.match(call.name) or len(call.expressions) < _WITH_ATTRIBUTE:
        return
    named = call.expressions[1]
    for one in named.expressions or [named]:
        key = state.column_key(exp.to_identifier(one.name))
        if one.is_string and key not in table.columns:
            name = exp.to_identifier(one.name, quoted=True)
            name.meta.update(call.meta)
            state.add_column_fault(name, None, "unknown", scope)
        elif one.is_string and (kind := _OF_TYPE.fullmatch(call.name)) is not None:
            _check_type_of_attribute(state, call, table.columns[key], kind[1])


def _check_type_of_attribute(
    state: State, call: exp.Expr, attribute: PreparedColumn, kind: str
) -> None:
    """Record `dictGetDate('titles', 'name', id)` of an attribute that has another type."""
    declared = attribute.declared or ""
    if declared.isalnum() and declared.lower() != kind.lower() and state.types.knows(kind.lower()):
        fault = f"{call.name} requires an attribute of type {kind}, not {declared}."
        state.add_type_fault(call, fault, call.name)


def _check_constants_of_object(state: State, call: exp.Expr, first: exp.Expr | None) -> None:
    """Record a dictionary or an attribute whose name is no text: `dictGet(1, 'name', id)`."""
    if isinstance(first, _NO_NAMES) and not first.is_string:
        fault = f"The first argument of {call.name} must be the name of a dictionary or table."
        state.add_type_fault(call, fault, call.name)
    if not _READS_ATTRIBUTES.match(call.name) or len(call.expressions) < _WITH_ATTRIBUTE:
        return
    attribute = call.expressions[1]
    listed = attribute.expressions if isinstance(attribute, exp.Tuple) else [attribute]
    if any(isinstance(one, _NO_NAMES) and not one.is_string for one in listed):
        fault = f"The second argument of {call.name} must be a constant text, or a tuple of them."
        state.add_type_fault(call, fault, call.name)


_NO_NAMES: Final = (exp.Literal, exp.Boolean, exp.Null, exp.Array, exp.Neg)
"""Values that are no names, unless they are texts."""
_LOOKS_LATE: Final = re.compile("dictHas|dictIsIn")
"""Calls that look for a dictionary only once there are rows, or all of their arguments."""
_OF_TYPE: Final = re.compile(r"dictGet([A-Z]\w*?)(?:OrDefault)?")
"""Calls that read attributes of one type: `dictGetDate`, `dictGetStringOrDefault`."""
_READS_ATTRIBUTES: Final = re.compile(r"(?:dict|join)Get(?!Hierarchy|Children|Descendants|All)")
_WITH_ATTRIBUTE: Final = 3


def _check_set(state: State, node: exp.Expr, scope: Scope) -> None:
    """Record a function that returns several rows where one value is expected."""
    place = _OF_ONE_ROW.get(scope.clause)
    if place is None and scope.inside_aggregate is not None:
        place = f"the arguments of {scope.inside_aggregate}"
    if place is None and state.traits.generators and not _is_whole_item(node):
        place = "another expression"
    if place is not None:
        state.add_aggregate_fault(node, node.name, "set-returning", place)


def _is_whole_item(call: exp.Expr) -> bool:
    """Return whether a call is an item of a SELECT list or of FROM, not part of one."""
    node = call
    while isinstance(node.parent, (exp.Alias, exp.Aliases, exp.Paren)):
        node = node.parent
    return isinstance(node.parent, (exp.Table, exp.Lateral)) or (
        isinstance(node.parent, exp.Select) and node.arg_key == "expressions"
    )


_OF_ONE_ROW: Final[dict[Clause, str]] = {
    "where": "WHERE",
    "on": "ON",
    "having": "HAVING",
    "limit": "LIMIT",
}
"""Clauses that are computed once for each row, with their names."""


def _check_unnest(state: State, node: exp.Expr, scope: Scope) -> None:
    """Record a table function as a value; UNNEST is allowed in a SELECT list."""
    if node.name.lower() != state.traits.unnest_column:
        state.add_form(node, Calls.table_call_as_value)
        return
    scope.unnested += 1
    if (place := scope.place_without_unnest()) is not None:
        state.add_aggregate_fault(node, node.name, "scalar", place)


_TABLE: Final[frozenset[Kind]] = frozenset({"table"})
_SOURCES: Final = (exp.Table, exp.Lateral)
"""Parents of a call in FROM."""


def _resolve_geometric(state: State, call: exp.Expr, scope: Scope) -> Type:
    """Resolve a call whose first argument must be a geometry."""
    used = len(state.resolution.columns)
    found = resolve_arguments(state, call, scope)
    first = next(iter(call.expressions), None)
    is_column = any(
        use.node is first and use.column.declared and not _GEOMETRIES.match(use.column.declared)
        for use in state.resolution.columns[used:]
    )
    if is_column or isinstance(first, exp.Literal):
        message = f"The function {call.name} requires a geometry as its first argument."
        state.add_type_fault(call, message)
    return found


_GEOMETRIC: Final[frozenset[Kind]] = frozenset({"geometric"})
_GEOMETRIES: Final = re.compile(
    "(?:multi)?(?:point|linestring|polygon)|geom|unknown", re.IGNORECASE
)
"""Types of geometries as a schema writes them."""


def _check_distinct(state: State, call: exp.Expr, kinds: frozenset[Kind]) -> None:
    """Record `f(DISTINCT x)` of a function that is not an aggregate."""
    is_scalar = bool(kinds) and kinds.isdisjoint(_AGGREGATING)
    form = Calls.distinct.get("upper" if is_scalar else call.name.lower())
    if form is not None and state.rejects(form):
        state.add_form(call, form)


def _is_of_array(state: State, node: exp.Expr) -> bool:
    """Return whether a word before `(…)` is no name of a call: `ANY (…)`, `ARRAY (SELECT …)`."""
    word = node.name.upper()
    if word not in QUANTIFIERS and word != "ARRAY":
        return False
    if word == "ANY" and state.rejects(Conditions.any_of_array):
        return False
    return not state.knowledge.signatures("array" if word == "ARRAY" else node.name)
