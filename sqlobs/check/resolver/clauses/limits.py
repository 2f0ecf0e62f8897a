"""Walks LIMIT, OFFSET, FETCH and TOP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms import Limits
from sqlobs.check.parsing.token_pattern import any_of, letter_of

if TYPE_CHECKING:
    from sqlobs.check.resolver.model.scope import Scope
    from sqlobs.check.resolver.model.state import ResolverState


def resolve_limits(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    """Resolve LIMIT and OFFSET."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if limit is None and offset is None:
        return
    if offset is not None and limit is None:
        has_rows = _OFFSET_ROWS.search(state.shape) is not None
        form = Limits.offset_rows_without_limit if has_rows else Limits.offset_without_limit
        state.add_form(offset, form)
    if state.catalogue is None:
        _note_limits(state, node, limit, offset)
    for clause in (limit, offset):
        if clause is not None:
            _limit(state, clause, scope)
            if state.catalogue is None:
                _limit_by(state, clause, scope)


def _limit_by(state: ResolverState, clause: exp.Expr, scope: Scope) -> None:
    """Resolve what stands behind the BY of ClickHouse's `LIMIT 3 BY city`."""
    scope.clause = "limit"
    for term in clause.expressions:
        state.expression(term, scope)


def _note_limits(
    state: ResolverState, node: exp.Expr, limit: exp.Expr | None, offset: exp.Expr | None
) -> None:
    """Note LIMIT, FETCH and TOP, of which some engines have only one, and where OFFSET stands."""
    if offset is not None and node.args.get("order") is None:
        state.add_form(offset, Limits.offset_without_order)
    if limit is None:
        return
    if isinstance(limit, exp.Fetch):
        if state.refuses(Limits.fetch_first):
            return  # reported by its node
        state.add_form(limit, Limits.fetch_clause)
        if offset is None:
            state.add_form(limit, Limits.fetch_without_offset)
    elif _LIMIT.search(state.shape) is not None:
        state.add_form(limit, Limits.limit_clause)
        if offset is not None and _LIMIT_FIRST.search(state.shape):
            state.add_form(offset, Limits.limit_before_offset)
    elif not state.refuses(Limits.top):
        state.add_form(limit, Limits.top_clause)


def _limit(state: ResolverState, clause: exp.Expr, scope: Scope) -> None:
    """Resolve a LIMIT or OFFSET: a number, or a query; no engine lets it see columns."""
    value = clause.args.get("expression")
    if isinstance(value, exp.Literal):
        if value.is_string:
            is_number = str(value.this).strip().isdecimal()
            form = Limits.quoted_number_as_limit if is_number else Limits.string_as_limit
            state.add_form(value, form)
        elif not str(value.this).isdecimal():
            state.add_form(value, Limits.fraction_as_limit)
        return
    if isinstance(value, exp.Subquery) and isinstance(clause.parent, exp.SetOperation):
        state.add_form(clause, Limits.query_as_limit_of_set)
    elif value.__class__ in _LIMIT_FORMS:
        state.add_form(clause, _LIMIT_FORMS[value.__class__])
    if (
        isinstance(value, exp.Column)
        and value.name.upper() == "ALL"
        and state.refuses(Limits.limit_all)
    ):
        return
    if isinstance(value, exp.Column) and state.catalogue is not None:
        state.add_column_fault(value.this, None, "misplaced", scope)
        return
    scope.clause = "limit"
    state.expression(clause, scope)


_VALUE: Final = ".{1,2}"
"""A number, or a parameter such as `:n`."""

_LIMIT: Final = re.compile(
    letter_of(TokenType.LIMIT)
    + any_of(
        *(TokenType.NUMBER, TokenType.L_PAREN, TokenType.PLACEHOLDER),
        *(TokenType.COLON, TokenType.PARAMETER),
    )
)

_LIMIT_FIRST: Final = re.compile(letter_of(TokenType.LIMIT) + _VALUE + letter_of(TokenType.OFFSET))

_OFFSET_ROWS: Final = re.compile(
    letter_of(TokenType.OFFSET) + _VALUE + any_of(TokenType.ROW, TokenType.ROWS)
)

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
