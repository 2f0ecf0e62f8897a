"""Decides by its text alone whether a statement may run: one read-only query without unsafe calls.

The gate is the first of three layers and prefers to reject: anything unknown does not pass.
A parser's time and stack can be driven up by texts that nobody has thought of yet, so anyone who
parses untrusted SQL calls it in a process that can be killed.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.input_limits import MAX_DEPTH, nesting
from sqlobs.check.parsing.statement import grammar_of
from sqlobs.check.parsing.tokens import shape_of, tokenized
from sqlobs.dialects.registry import dialect_of
from sqlobs.execution.admission import UNDECIDED, Admission, Refused
from sqlobs.execution.calls import LITERALS, Call, calls_in
from sqlobs.execution.cost import costly_part
from sqlobs.execution.cost.unread import costly_call
from sqlobs.execution.parts import Parts
from sqlobs.execution.relations import is_system_relation, relations_in, system_syntax
from sqlobs.execution.restrictions import is_denied, violation_of
from sqlobs.execution.target import NO_DIALECT, Limits
from sqlobs.execution.volatility import volatilities_of
from sqlobs.metrics.order_by import ordering_of, ordering_of_tree
from sqlobs.metrics.tree_comparison import sql_shape_of
from sqlobs.vocabulary import allowed_functions, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.policy import Policy
    from sqlobs.execution.admission import Decision

_FORBIDDEN: Final = (
    exp.DDL,
    exp.DML,
    exp.Alter,
    exp.Analyze,
    exp.Attach,
    exp.Command,
    exp.Commit,
    exp.Describe,
    exp.Detach,
    exp.Drop,
    exp.Into,
    exp.Kill,
    exp.LoadData,
    exp.Lock,
    exp.Pragma,
    exp.Rollback,
    exp.Set,
    exp.Transaction,
    exp.TruncateTable,
    exp.Use,
)
"""Nodes that are not allowed in a read-only query at any depth."""

_ROWS: Final = (exp.Query, exp.Values)
"""Nodes that return rows, as a statement or in WITH."""

_BEFORE_WILDCARD: Final = {
    TokenType.ALL,
    TokenType.COMMA,
    TokenType.DISTINCT,
    TokenType.DOT,
    TokenType.L_PAREN,
    TokenType.SELECT,
}
_LEADING: Final = ("select", "with", "values", "table", "(")
_WRITING: Final = frozenset(
    (
        *("alter", "attach", "call", "copy", "create", "delete", "detach", "drop", "exec"),
        *("execute", "grant", "insert", "into", "lock", "merge", "revoke", "truncate", "update"),
    )
)
"""Keywords of statements that write or do anything other than return rows."""

_ASCII_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)
"""How PostgreSQL folds names in UTF-8: `Été` without quotes is still `Été`."""

_QUOTED_TOKENS: Final = LITERALS | {TokenType.IDENTIFIER}
_NOT_A_LINE_BREAK: Final = re.compile(r"[^\n]")
_CACHED_CHARACTERS: Final = 16_384
_MOST_BYTES: Final = Limits().max_sql_bytes


def admit(sql: str, *, dialect: str, policy: Policy, max_sql_bytes: int = _MOST_BYTES) -> Decision:
    """Decide whether a statement may run; the same text is parsed once.

    Args:
        sql: The raw text.
        dialect: sqlglot's name of the target's dialect.
        policy: What the target's statements may access.
        max_sql_bytes: The size of the longest statement that is read.
    """
    decide = _decide_once if len(sql) <= _CACHED_CHARACTERS else _decide
    return decide(sql, dialect, policy, max_sql_bytes)


def _decide(sql: str, dialect: str, policy: Policy, max_sql_bytes: int) -> Decision:
    refused = _refused_text(sql, max_sql_bytes)
    if refused:
        return refused
    try:
        if dialect == NO_DIALECT:
            return _refused_unread(policy) or _read_keywords(sql)
        return _read(sql, dialect, policy)
    except (TokenError, ParseError):
        call = costly_call(sql, dialect=dialect)
        return Refused("too_costly", call) if call else Refused("not_parsed")
    except RecursionError:
        return Refused("too_deep")


_decide_once = lru_cache(maxsize=2048)(_decide)


def _refused_text(sql: str, max_sql_bytes: int) -> Refused | None:
    if not sql.strip():
        return Refused("empty")
    try:
        size = len(sql.encode())
    except UnicodeEncodeError:
        return Refused("not_parsed", "text that is not valid Unicode")
    if size > max_sql_bytes:
        return Refused("too_large")
    return Refused("not_parsed", "NUL character") if "\0" in sql else None


def _read(sql: str, dialect: str, policy: Policy) -> Decision:
    tokens = tokenized(sql, dialect)
    if nesting(tokens, sql, shape_of(tokens)) > MAX_DEPTH:
        return Refused("too_deep")
    first = next((t.text.lower() for t in tokens if t.token_type is not TokenType.SEMICOLON), "")
    if first in listed("statements"):
        return Refused("not_read_only", first)
    if "&" in sql and _has_escaped_name(tokens):
        return Refused("not_parsed", "U&")
    parsed = grammar_of(dialect).trees(tokens, sql)
    trees = [tree for tree in parsed if tree is not None and not isinstance(tree, exp.Semicolon)]
    if len(trees) != 1:
        return Refused("several_statements" if trees else "empty")
    parts = Parts(trees[0], tokens)
    try:
        return _decided(sql, parts, dialect, policy)
    finally:
        parts.release()


def _decided(sql: str, parts: Parts, dialect: str, policy: Policy) -> Decision:
    calls = calls_in(parts, dialect=dialect)
    text = _without_comments(sql, parts.tokens)
    refused = (
        _refused_kind(parts)
        or _refused_call(calls, dialect, policy)
        or _refused_syntax(parts, dialect)
        or _refused_relation(parts, dialect, policy)
        or _refused_column(text, parts, dialect, policy)
    )
    if refused is None or refused.refusal in UNDECIDED:  # preparing a text may compute parts of it
        part = costly_part(parts.nodes, dialect=dialect)
        refused = Refused("too_costly", part) if part else refused
    return refused or Admission(
        text=text,
        calls=frozenset(call.name for call in calls),
        words=_words(parts, dialect),
        ordering=ordering_of_tree(parts.nodes[0]),
        volatile=volatilities_of(parts, calls=calls, dialect=dialect),
        shape=sql_shape_of(parts.counts()),
    )


def _refused_unread(policy: Policy) -> Refused | None:
    """Reject a policy that cannot be enforced without a parser for the language."""
    lists = (policy.denied_tables, policy.denied_columns, policy.required_filters)
    is_restricted = policy.allowed_tables is not None or any(lists)
    return Refused("not_parsed", "policy") if is_restricted else None


def _read_keywords(sql: str) -> Decision:
    """Decide about a statement without a parser, by its first keyword and by write keywords.

    A column with such a name is rejected unless it is quoted.
    """
    tokens = tokenized(sql, "")
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    if any(token.token_type is TokenType.SEMICOLON for token in tokens):
        return Refused("several_statements")
    plain = [token for token in tokens if token.token_type not in _QUOTED_TOKENS]
    words = [word for token in plain for word in token.text.lower().split()]
    if not words or words[0] not in _LEADING:
        return Refused("not_read_only" if words else "empty", *words[:1])
    writing = next((word for word in words if word in _WRITING), None)
    if writing is not None:
        return Refused("not_read_only", writing)
    return Admission(
        text=_without_comments(sql, tokens),
        calls=frozenset(),
        words=frozenset(words),
        ordering=ordering_of(sql),
        volatile=frozenset(),
    )


def _words(parts: Parts, dialect: str) -> frozenset[str]:
    """Return all names, as any server may fold them, and operators.

    The star of `count(*)` and `t.*` is neither.
    """
    words: list[str] = []
    before: TokenType | None = None
    keeping = None if dialect_of(dialect).execution.folds_quoted_names else TokenType.IDENTIFIER
    star = TokenType.STAR
    for token, kind in zip(parts.tokens, parts.token_kinds, strict=True):
        is_wildcard = kind is star and before in _BEFORE_WILDCARD
        if not is_wildcard and kind not in LITERALS:
            text = token.text
            words.append(text if kind is keeping else text.lower())
            if not text.isascii():
                words += (text, text.translate(_ASCII_LOWER))
        before = kind
    return frozenset(words)


def _has_escaped_name(tokens: Sequence[Token]) -> bool:
    r"""Return whether a name has escapes (`U&"\0061"`), which the parser reads differently."""
    return any(
        symbol.token_type is TokenType.AMP
        and token.text in {"u", "U"}
        and name.token_type is TokenType.IDENTIFIER
        and (symbol.start, name.start) == (token.end + 1, token.end + 2)
        for token, symbol, name in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


def _refused_kind(parts: Parts) -> Refused | None:
    tree = parts.nodes[0]
    if isinstance(tree, _FORBIDDEN):
        return Refused("not_read_only", tree.key)
    if not isinstance(tree, _ROWS):
        return Refused("not_parsed", tree.key)
    if not any(map(_is_suspect, parts.by_kind)):
        return None
    for node in parts.nodes:
        if isinstance(node, _FORBIDDEN) or (
            isinstance(node, exp.CTE) and not isinstance(node.this, _ROWS)
        ):
            return Refused("not_read_only", node.key)
    return None


@cache
def _is_suspect(kind: type[exp.Expr]) -> bool:
    """Return whether nodes of a kind have to be looked at one by one."""
    return issubclass(kind, (*_FORBIDDEN, exp.CTE))


def _refused_call(calls: Iterable[Call], dialect: str, policy: Policy) -> Refused | None:
    allowed, added = allowed_functions(dialect), policy.allowed_functions or frozenset()
    own = "pg_catalog" if dialect_of(dialect).execution.system_functions_schema else None
    for call in calls:
        if call.name not in allowed and call.name not in added:
            return Refused("function_not_allowed", call.name)
        if call.schema not in {None, own} and call.name not in added:
            return Refused("function_not_allowed", f"{call.schema}.{call.name}")
    return None


def _refused_syntax(parts: Parts, dialect: str) -> Refused | None:
    found = system_syntax(parts, dialect=dialect)
    return Refused("system_object", found) if found else None


def _refused_relation(parts: Parts, dialect: str, policy: Policy) -> Refused | None:
    for relation in relations_in(parts, dialect=dialect):
        if is_system_relation(relation, dialect):
            return Refused("system_object", relation.written)
        allowed = policy.allowed_tables
        if allowed is not None and not relation.is_among(allowed):
            return Refused("table_not_allowed", relation.written)
        if is_denied(relation, policy):
            return Refused("table_not_allowed", relation.written)
    return None


def _refused_column(text: str, parts: Parts, dialect: str, policy: Policy) -> Refused | None:
    if not policy.restricts_columns:
        return None
    relations = relations_in(parts, dialect=dialect)
    found = violation_of(text, relations, dialect=dialect, policy=policy)
    return found and Refused(*found)


def _without_comments(sql: str, tokens: Sequence[Token]) -> str:
    """Return the text with everything but the statement's own tokens blanked.

    What this parser takes for a comment another may run (`/*! … */`): nobody gets to see it.
    """
    pieces: list[str] = []
    position = begun = 0
    final = TokenType.SEMICOLON
    for token in tokens:
        if token.token_type is final:
            continue
        start = token.start
        if position != start:
            between = sql[position:start]
            if between != " ":
                pieces += (sql[begun:position], _NOT_A_LINE_BREAK.sub(" ", between))
                begun = start
        position = token.end + 1
    return "".join((*pieces, sql[begun:position]))
