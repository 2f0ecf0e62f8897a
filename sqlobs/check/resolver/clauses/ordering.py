"""Resolves ORDER BY, DISTINCT ON and LIMIT, which see the outputs of a query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Grouping, Limits, Ordering
from sqlobs.check.parsing.tokens import spelled
from sqlobs.check.resolver.model.resolution import OrdinalFault
from sqlobs.check.resolver.model.scope import FEW, MOST_OWNERS, Relation, Scope
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import is_bare_column
from sqlobs.check.resolver.names.outputs import items_by_name
from sqlobs.check.resolver.names.select_aliases import is_alias_somewhere
from sqlobs.check.types.system import Type, whole


def check_ordinals(state: State, items: Iterable[exp.Expr], width: int | None) -> None:
    """Record positions that the SELECT list does not have; `width` None: not known."""
    if state.is_allowed("positions"):
        return
    for item in items:
        term = item.this if isinstance(item, exp.Ordered) else item
        if state.traits.orders_by_all:  # `ORDER BY (1) COLLATE 'en'`
            term = term.this if isinstance(term, exp.Collate) else term
            term = term.unnest() if isinstance(term, exp.Paren) else term
        value = term.this if isinstance(term, exp.Neg) else term
        if width is None or not isinstance(value, exp.Literal) or value.is_string:
            continue
        text = str(value.this)
        if not text.isdecimal():
            continue
        counts = state.traits.counts_from_end and 1 <= whole(text) <= width
        if value is not term and state.follows_defaults and not counts:
            state.resolution.ordinal_faults.append(OrdinalFault(term, f"-{text}", width))
        elif value is term and not 1 <= whole(text) <= width:
            state.resolution.ordinal_faults.append(OrdinalFault(term, text, width))


@dataclass(slots=True)
class _Output:
    """A column or an expression that a SELECT list gives under one name."""

    item: exp.Expr
    key: str = ""
    """The folded name of the column; empty: an expression."""
    owner: Relation | None = None
    """The relation that has the column; None: none is known to."""

    def is_same(self, other: _Output) -> bool:
        if self.key and other.key:
            is_unowned = self.owner is None or other.owner is None  # that no relation has it
            return is_unowned or (self.owner is other.owner and self.key == other.key)
        return self.key == other.key and self.item.unalias() == other.item.unalias()


class OutputNames:
    """The names that one SELECT list gives to its ORDER BY and DISTINCT ON.

    Both may have thousands of terms: each name is resolved once.
    """

    def __init__(self, state: State, node: exp.Expr, scope: Scope) -> None:
        self._state, self._node, self._scope = state, node, scope
        self._known: dict[str, bool] = {}

    def are_meant(self, term: exp.Expr) -> bool:
        """Return whether a term is the name of an output; record a name that several have."""
        name = term.args.get("this")
        if not is_bare_column(term) or not isinstance(name, exp.Identifier):
            return False
        key = self._state.column_key(name)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._is_output(name, key)
        return found

    def type_of(self, term: exp.Expr) -> Type:
        """Return the type of the output that a term names; None: not known."""
        key = self._state.column_key(term.this)
        column = self._scope.aliases.get(key) or self._scope.outputs.get(key)
        if column is not None:
            return column.type
        starred = self._starred(key)
        owner = starred[0].owner if starred else None
        return owner.columns[key].type if owner is not None else None

    def _is_output(self, name: exp.Expr, key: str) -> bool:
        starred, items = self._starred(key), self._items.get(key, [])
        if not starred and not items:
            return False
        if self._state.traits.repeated_outputs and self._scope.meanings.get(key, key) is None:
            return False  # it is ambiguous
        convention = self._state.traits.orders_by
        if convention == "alias":
            return bool(starred)
        if convention == "single output":
            return len(starred) + len(items) == 1
        if convention is not None:
            self._judge(name, [*starred, *map(self._output, items[:MOST_OWNERS])])
        return True

    def _judge(self, name: exp.Expr, found: list[_Output]) -> None:
        if self._state.traits.orders_by == "column" and not all(one.key for one in found):
            return  # an expression of this name wins over columns
        if all(one.is_same(found[0]) for one in found):
            return
        owners = tuple(one.owner for one in found if one.owner is not None)
        self._state.add_column_fault(name, None, "ambiguous", self._scope, owners)

    @cached_property
    def _items(self) -> Mapping[str, list[exp.Expr]]:
        items = [item for item in self._node.expressions if not item.is_star]
        return items_by_name(self._state, items)

    @cached_property
    def _stars(self) -> Mapping[str, exp.Expr]:
        """Stars by the folded qualifier; `*` by the empty one."""
        stars: dict[str, exp.Expr] = {}
        for item in self._node.expressions:
            if isinstance(item, exp.Star):
                stars[""] = item
            elif item.is_star and (qualifier := item.args.get("table")) is not None:
                stars[self._state.alias_key(qualifier)] = item
        return stars

    def _starred(self, key: str) -> list[_Output]:
        """Return the columns of a name that stars give; of very many stars only `*` counts."""
        relations = self._scope.relations
        found: list[_Output] = []
        if (every := self._stars.get("")) is not None:
            found += [_Output(every, key, one) for one in relations.showing(key)]
        for name, star in self._stars.items() if len(self._stars) <= FEW else ():
            relation = relations.get(name) if name else None
            if relation is not None and key in relation.columns:
                found.append(_Output(star, key, relation))
        return found

    def _output(self, item: exp.Expr) -> _Output:
        column = item.unalias()
        while isinstance(column, exp.Paren):
            column = column.this
        if not isinstance(column, exp.Column):
            return _Output(item)
        relations = self._scope.relations
        key, qualifier = self._state.column_key(column.this), column.args.get("table")
        if qualifier is None:
            return _Output(item, key, next(iter(relations.showing(key)), None))
        owner = relations.get(self._state.alias_key(qualifier))
        return _Output(item, key, owner if owner is not None and key in owner.columns else None)


def note_constant(state: State, term: exp.Expr, clause: str) -> None:
    """Record a constant that GROUP BY or ORDER BY has for a term; a number is a position."""
    value = term.unnest()
    is_number = isinstance(value, exp.Literal) and (
        not str(value.this).isdecimal()
        or (clause == "group" and not state.traits.groups_by_position)
    )
    if value.is_string:
        state.add_form(term, _STRINGS[clause])
    elif is_number or isinstance(value, (exp.Null, exp.Boolean)):
        state.add_form(term, _CONSTANTS[clause])


def resolve_distinct(
    state: State, node: exp.Expr, query: exp.Expr, scope: Scope, width: int | None
) -> None:
    """Resolve DISTINCT ON, whose terms are resolved like those of ORDER BY."""
    if (on := node.args.get("on")) is None:
        return
    names = OutputNames(state, query, scope)
    terms = on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
    check_ordinals(state, terms, width)
    for term in terms:
        note_constant(state, term, "order")
        if not names.are_meant(term):
            state.expression(term, scope)


def resolve_order(
    state: State,
    node: exp.Expr | None,
    scope: Scope,
    width: int | None,
    *,
    listed: tuple[exp.Expr, ...] = (),
    outputs: Sequence[PreparedColumn] = (),
) -> None:
    """Resolve ORDER BY, except terms that are items of the SELECT list themselves (`listed`)."""
    if node is None:
        return
    if state.traits.orders_by_all and is_all(node.expressions):
        _order_by_all(state, node, outputs)
        return
    check_ordinals(state, node.expressions, width)
    items = [item for item in node.expressions if item not in listed]
    terms = [item.this if isinstance(item, exp.Ordered) else item for item in items]
    for term in terms if outputs else ():
        if isinstance(term, exp.Literal) and str(term.this).isdecimal():
            _compare_outputs(state, term, outputs[whole(term.this) - 1 : whole(term.this)])
    for term in terms:
        if isinstance(node.parent, exp.SetOperation) and term.is_string:
            state.add_form(term, Ordering.string_in_order_of_set)
        else:
            note_constant(state, term, "order")
    scope.clause = "order"
    names = OutputNames(state, node.parent, scope) if isinstance(node.parent, exp.Select) else None
    for item, term in zip(items, terms, strict=True):
        name = term.unnest()
        if names is not None and names.are_meant(name):
            found = names.type_of(name)
            state.compare("<", found, found, (term, term))
        elif not is_bare_alias(state, name, scope):
            state.expression(item, scope)


def _order_by_all(state: State, node: exp.Expr, outputs: Sequence[PreparedColumn]) -> None:
    _compare_outputs(state, node, outputs)
    if node.expressions[0].args.get("with_fill") is not None:
        state.add_form(node, Ordering.fill_of_all)


def check_fills(state: State, order: exp.Expr, scope: Scope) -> None:
    """Check `WITH FILL` behind the terms of ORDER BY."""
    for item in order.expressions:
        _check_fill(state, item, scope)


def _check_fill(state: State, item: exp.Expr, scope: Scope) -> None:
    """Check ClickHouse's `WITH FILL FROM 1 TO 9 STEP 2 INTERPOLATE (total AS total + 1)`."""
    if (fill := item.args.get("with_fill")) is None:
        return
    is_descending = bool(item.args.get("desc"))
    for name in ("from_", "to"):
        bound = fill.args.get(name)
        if isinstance(bound, exp.Expr) and (bound.is_string or _varies(state, bound, scope)):
            state.add_type_fault(bound, "WITH FILL requires constants that are numbers or dates.")
    step = _amount(fill.args.get("step"))
    if step is not None and (not step or (step < 0) is not is_descending):
        state.add_type_fault(fill, "The STEP of WITH FILL must go in the direction of ORDER BY.")
    first, last = _amount(fill.args.get("from_")), _amount(fill.args.get("to"))
    bounds = (first, last) if first is not None and last is not None else (0, 0)
    if bounds[0] != bounds[1] and (bounds[1] < bounds[0]) != is_descending:
        state.add_type_fault(fill, "WITH FILL must end behind its start.")
    for one in fill.args.get("interpolate") or ():
        column = one.args.get("alias") if isinstance(one, exp.Alias) else one
        if isinstance(column, exp.Identifier):
            _check_interpolated(state, column, scope)


def _varies(state: State, value: exp.Expr, scope: Scope) -> bool:
    """Return whether a value is a column of a relation, not an alias."""
    if not is_bare_column(value):
        return False
    key = state.column_key(value.this)
    return scope.relations.have(key) and not is_alias_somewhere(state, key, scope)


def _check_interpolated(state: State, name: exp.Identifier, scope: Scope) -> None:
    key = state.column_key(name)
    is_known = key in scope.aliases or key in scope.outputs or scope.relations.have(key)
    if not is_known and scope.relations.are_complete():
        state.add_column_fault(name, None, "unknown", scope)


def _amount(value: object) -> float | None:
    """Return the number that a literal is, with its sign; None: it is none."""
    literal = value.this if isinstance(value, exp.Neg) else value
    if not isinstance(literal, exp.Literal) or literal.is_string:
        return None
    return -float(literal.name) if literal is not value else float(literal.name)


def _compare_outputs(state: State, place: exp.Expr, outputs: Iterable[PreparedColumn]) -> None:
    """Check that rows can be ordered by outputs that a term means: `ORDER BY ALL`, `ORDER BY 1`."""
    for output in outputs:
        found = state.given(output)
        state.compare("<", found, found, (place, place))


def is_all(terms: list[exp.Expr]) -> bool:
    """Return whether the only term is the word ALL."""
    only = terms[0] if len(terms) == 1 else None
    if isinstance(only, exp.Ordered):
        only = only.this
    if only is None or not is_bare_column(only) or only.this.args.get("quoted"):
        return False
    return bool(only.name.upper() == "ALL")


def reject_aggregates(state: State, order: exp.Expr, scope: Scope, place: str) -> None:
    """Record the aggregates of a query in an ORDER BY that allows none."""
    for call in order.find_all(exp.Anonymous, exp.AggFunc):
        if state.aggregates.get(id(call)) is scope:
            state.add_aggregate_fault(call, call.name, "aggregate", place)


def is_bare_alias(state: State, item: exp.Expr, scope: Scope) -> bool:
    """Return whether a whole item is an alias of the SELECT list (`GROUP BY a`, `ORDER BY a`)."""
    is_name = is_bare_column(item) and not isinstance(item.this, exp.Star)
    if not is_name or not state.traits.alias_only_bare:
        return False
    key = state.column_key(item.this)
    if key not in scope.aliases or scope.clause not in state.traits.alias_clauses:
        return False
    return scope.clause == "order" or not scope.relations.have(key)


_STRINGS: Final = {"group": Grouping.string_in_group, "order": Ordering.string_in_order}
_CONSTANTS: Final = {"group": Grouping.constant_in_group, "order": Ordering.constant_in_order}


def resolve_limits(state: State, node: exp.Expr, scope: Scope, width: int | None = None) -> None:
    """Resolve LIMIT and OFFSET; `width`: the number of columns of a SELECT list, if it is known."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if limit is None and offset is None:
        return
    if offset is not None and limit is None:
        has_rows = _OFFSET_ROWS.search(state.shape) is not None
        form = Limits.offset_rows_without_limit if has_rows else Limits.offset_without_limit
        state.add_form(offset, form)
    if not state.follows_defaults:
        _note_limits(state, node, limit, offset)
    for clause in (limit, offset):
        if clause is not None:
            resolve_amount(state, clause, scope)
            is_by_all = state.traits.orders_by_all and is_all(clause.expressions)
            if clause.expressions and not is_by_all:  # ClickHouse's `LIMIT 3 BY city`
                scope.clause = "order"  # it sees the rows that ORDER BY does
                check_ordinals(state, clause.expressions, width)
                for term in clause.expressions:
                    state.expression(term, scope)


def check_settings(state: State, node: exp.Expr) -> None:
    """Check the SETTINGS of a ClickHouse query: names, and values that are always rejected.

    Those of a subquery, and of all operands of UNION but the last, are only read when it runs;
    those of a query that is explained, at once.
    """
    is_read = node.parent is None or _is_explained(node)
    known = state.knowledge.settings if is_read else {}
    for setting in node.args.get("settings") or ():
        if _is_no_literal(setting.args.get("expression")) or not isinstance(
            setting, (exp.EQ, exp.Column)
        ):
            state.add_form(setting, Limits.expression_as_setting)
            continue
        name = setting.this if isinstance(setting, exp.EQ) else setting
        if not known or not is_bare_column(name):
            continue
        rejected = known.get(name.name)
        if rejected is None:
            state.add_form(name, Limits.unknown_setting)
        elif _is_rejected(setting.args.get("expression"), rejected):
            state.add_form(name, Limits.rejected_setting)


_NO_SETTING: Final = (exp.Array, exp.Binary, exp.Cast, exp.Interval, exp.Paren, exp.Tuple)
"""Expressions that the grammar of settings lacks."""


def _is_no_literal(value: exp.Expr | None) -> bool:
    """Return whether the value of a setting is an expression, or a call."""
    return isinstance(value, _NO_SETTING) or value.__class__ is exp.Anonymous


def _is_explained(query: exp.Expr) -> bool:
    """Return whether a query is what `explained_queries` makes of `EXPLAIN SELECT …` in FROM."""
    select = query.find_ancestor(exp.Select)
    if not isinstance(query.parent, exp.Exists) or select is None:
        return False
    return bool(select.expressions) and select.expressions[0].alias == "explain"


def _is_rejected(value: exp.Expr | None, rejected: Sequence[str]) -> bool:
    """Return whether a setting rejects a value; `rejected` is what was measured of it.

    None: a setting without a value, which only those have that are true or false.
    """
    if not rejected:
        return False
    is_truth = "2" in rejected and "abc" in rejected
    if value is None or value.__class__ is exp.Null:
        return value is not None or not is_truth
    if value.__class__ is exp.Boolean:
        return "abc" not in rejected  # a text, or one of a few
    if rejected[0][0] != "=":
        return _sample_of(value) in rejected
    accepted = {one[1:] for one in rejected}
    if not isinstance(value, exp.Literal):
        return value.__class__ is exp.Neg
    return any(one.strip() not in accepted for one in value.name.split(","))


def _sample_of(value: exp.Expr) -> str | None:
    """Return the sample that was measured for a value of a setting; None: there is none."""
    if isinstance(value, exp.Neg):
        return "0" if value.this.name == "0" else "-1"
    if isinstance(value, exp.Literal) and not value.is_string:
        number = float(value.name)
        if not number.is_integer():
            return "1.5" if number > 1 else None  # what is less is read as 0 at times
        return str(int(number)) if number in {0, 1} else "2"
    if isinstance(value, exp.Column):
        return "nan" if value.name.lower() in {"nan", "inf", "infinity"} else None
    if not value.is_string or value.name.lower() in _TRUTHS:
        return None
    return "abc" if not value.name or value.name.isalpha() or _DAY.match(value.name) else None


_DAY: Final = re.compile(r"\d+-\d+-")
_TRUTHS: Final = frozenset("true false on off yes no enable enabled disable disabled auto".split())


def _note_limits(
    state: State, node: exp.Expr, limit: exp.Expr | None, offset: exp.Expr | None
) -> None:
    """Note LIMIT, FETCH and TOP, of which some engines have one, and the place of OFFSET."""
    if offset is not None and node.args.get("order") is None:
        state.add_form(offset, Limits.offset_without_order)
    if limit is None:
        return
    if isinstance(limit, exp.Fetch):
        if state.rejects(Limits.fetch_first):
            return  # reported by its node
        state.add_form(limit, Limits.fetch_clause)
        if offset is None:
            state.add_form(limit, Limits.fetch_without_offset)
    elif _LIMIT.search(state.shape) is not None:
        state.add_form(limit, Limits.limit_clause)
        if offset is not None and _LIMIT_FIRST.search(state.shape):
            state.add_form(offset, Limits.limit_before_offset)
    elif not state.rejects(Limits.top):
        state.add_form(limit, Limits.top_clause)


def resolve_amount(state: State, clause: exp.Expr, scope: Scope) -> None:
    """Resolve the amount of a LIMIT or OFFSET: a number or a query, which sees no columns."""
    value = clause.args.get("expression")
    if isinstance(value, exp.Literal):
        if value.is_string:
            is_number = str(value.this).strip().isdecimal()
            form = Limits.quoted_number_as_limit if is_number else Limits.string_as_limit
            state.add_form(value, form)
        elif not str(value.this).isdecimal():
            state.add_form(value, Limits.fraction_as_limit)
            state.judge(value, state.types.counted(None, value))
        return
    if isinstance(value, exp.Subquery) and isinstance(clause.parent, exp.SetOperation):
        state.add_form(clause, Limits.query_as_limit_of_set)
    elif value.__class__ in _LIMIT_FORMS:
        state.add_form(clause, _LIMIT_FORMS[value.__class__])
    if isinstance(value, exp.Column):
        if value.name.upper() == "ALL" and state.rejects(Limits.limit_all):
            return
        if state.follows_defaults and not _is_alias(state, value, scope):
            state.add_column_fault(value.this, None, "misplaced", scope)
            return
    if isinstance(value, exp.Expr):
        scope.clause = "limit"
        state.judge(value, state.types.counted(state.expression(value, scope), value))


def _is_alias(state: State, value: exp.Expr, scope: Scope) -> bool:
    """Return whether a limit is the alias of a value: `WITH 5 AS n SELECT a FROM t LIMIT n`."""
    if not state.traits.aliases_everywhere or value.args.get("table") is not None:
        return False
    return is_alias_somewhere(state, state.column_key(value.this), scope)


_LIMIT: Final = re.compile(spelled("LIMIT [NUMBER open PLACEHOLDER COLON PARAMETER]"))
_LIMIT_FIRST: Final = re.compile(spelled("LIMIT .{1,2} OFFSET"))
"""The value is a number, or a parameter such as `:n`."""
_OFFSET_ROWS: Final = re.compile(spelled("OFFSET .{1,2} rows"))
_LIMIT_FORMS = {
    exp.Subquery: Limits.query_as_limit,
    exp.Neg: Limits.negative_limit,
    exp.Null: Limits.null_as_limit,
    exp.Add: Limits.expression_as_limit,
    exp.Sub: Limits.expression_as_limit,
    exp.Mul: Limits.expression_as_limit,
    exp.Div: Limits.expression_as_limit,
    exp.Boolean: Limits.boolean_as_limit,
    exp.Paren: Limits.parentheses_as_limit,
    exp.Parameter: Limits.variable_as_limit,
}
