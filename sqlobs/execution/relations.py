"""Which relations a statement reads, as the engine sees them: a CTE hides a table in its scope."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.dialects.registry import dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from sqlobs.execution.parts import Parts

_SHOWING: Final = frozenset({"desc", "describe", "show"})


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view as the engine looks it up; `schema` is empty where none is written."""

    schema: str
    name: str

    @property
    def written(self) -> str:
        """The name with its schema."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    def is_among(self, tables: AbstractSet[str]) -> bool:
        """Return whether a list of allowed tables names it."""
        return self.written in tables


def relations_in(parts: Parts, *, dialect: str) -> Iterator[Relation]:
    """Yield the relations among a statement's nodes that are not CTEs where they stand."""
    has_ctes = bool(parts.of(exp.CTE))
    for table in parts.of(exp.Table):
        if isinstance(table.this, exp.Func) or not table.name:
            continue
        schema, name = _folded(table.args.get("db"), dialect), _folded(table.this, dialect)
        if schema or not has_ctes or name not in _visible_ctes(table, dialect):
            yield Relation(schema, name)


def is_system_relation(relation: Relation, dialect: str) -> bool:
    """Return whether a relation belongs to the engine: system catalog, statistics, settings."""
    known = dialect_of(dialect)
    guarded = (*known.system_schemas, *known.execution.guarded_schemas)
    if relation.schema and relation.schema.lower().startswith(guarded):
        return True
    return relation.name.lower().startswith(known.execution.system_relations)


def system_syntax(parts: Parts, *, dialect: str) -> str:
    """Return the words that read what is the engine's own without naming it; empty: there are none.

    MySQL's `@@datadir`; DuckDB's `(SHOW TABLES)`, which the parser takes for a table with an alias.
    """
    known = dialect_of(dialect).execution
    if known.session_variables:
        return "@@" if TokenType.SESSION_PARAMETER in parts.token_kinds else ""
    if not known.show_in_parentheses:
        return ""
    for opening, word in pairwise(parts.tokens):
        is_plain = word.token_type not in {TokenType.IDENTIFIER, TokenType.STRING}
        if opening.token_type is TokenType.L_PAREN and is_plain and word.text.lower() in _SHOWING:
            return word.text.lower()
    return ""


def _visible_ctes(node: exp.Expr, dialect: str) -> set[str]:
    """Return the names of CTEs in scope at a node.

    Inside a WITH a CTE sees those before it; under RECURSIVE it sees itself and all others.
    """
    names: set[str] = set()
    child, parent = node, node.parent
    while parent is not None:
        if isinstance(parent, exp.With):
            ctes = parent.expressions
            seen = ctes if parent.args.get("recursive") else ctes[: _index(ctes, child)]
            names.update(_cte_name(cte, dialect) for cte in seen)
        else:
            clause = parent.args.get("with_")
            if clause is not None and clause is not child:
                names.update(_cte_name(cte, dialect) for cte in clause.expressions)
        child, parent = parent, parent.parent
    return names


def _cte_name(cte: exp.Expr, dialect: str) -> str:
    alias = cte.args.get("alias")
    return _folded(alias and alias.this, dialect)


def _folded(identifier: exp.Expr | None, dialect: str) -> str:
    """Return a name as the engine looks it up: quotes keep capitals, but not in SQLite."""
    if identifier is None:
        return ""
    keeps = (
        bool(identifier.args.get("quoted")) and not dialect_of(dialect).execution.folds_quoted_names
    )
    return identifier.name if keeps else identifier.name.lower()


def _index(ctes: list[exp.Expr], wanted: exp.Expr) -> int:
    return next(index for index, cte in enumerate(ctes) if cte is wanted)
