"""Which column or filter of a policy a statement violates, as far as its text alone tells.

The checker's rules decide over a schema that has only the columns that the policy names, in the
tables that the statement reads: what they cannot resolve there counts as a violation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from sqlobs.check.checker import check_sql
from sqlobs.check.policy import Policy
from sqlobs.schema.content import Column, Table
from sqlobs.schema.model import Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from sqlobs.check.report.model import CheckReport
    from sqlobs.execution.relations import Relation

Violation = Literal["not_parsed", "column_not_allowed", "filter_missing"]

_UNNAMED: Final = Column(" ")
"""Stands for the columns that no policy names: a table without columns counts as unknown."""


def is_denied(relation: Relation, policy: Policy) -> bool:
    """Return whether a table is denied; one without namespace may be in any."""
    return any(_means(name.lower(), relation) for name in policy.denied_tables)


def violation_of(
    sql: str, relations: Iterable[Relation], *, dialect: str, policy: Policy
) -> tuple[Violation, str] | None:
    """Return what a statement violates, with the column; None if it violates nothing.

    Args:
        sql: The statement as the engine gets it, without comments.
        relations: The tables that it reads.
        dialect: sqlglot's name of the dialect.
        policy: Only its `denied_columns` and `required_filters` are looked at.
    """
    named = policy.denied_columns | policy.required_filters
    schema = Schema(tuple(_tables(dict.fromkeys(relations), named)), dialect=dialect or None)
    parts: tuple[tuple[Violation, Policy], ...] = (
        ("column_not_allowed", Policy(denied_columns=policy.denied_columns)),
        ("filter_missing", Policy(required_filters=policy.required_filters)),
    )
    for violation, part in parts:
        if part.restricts_columns:
            report = check_sql(sql, schema=schema, native=False, policy=part)
            if report.statement is None or report.sql.strip() != sql.strip():
                return "not_parsed", ""
            if (column := _violated(report)) is not None:
                return violation, column
    return None


def _violated(report: CheckReport) -> str | None:
    found = (finding.identifier for finding in report.findings if finding.detail == "policy")
    return next((column or "*" for column in found), None)


def _tables(relations: Iterable[Relation], named: AbstractSet[str]) -> Iterator[Table]:
    for relation in relations:
        namespace = relation.schema
        columns = []
        for name in sorted({name.lower() for name in named}):
            owner, _, column = name.rpartition(".")
            if not owner or _means(owner, relation):
                namespace = namespace or owner.rpartition(".")[0]
                columns.append(Column(column))
        yield Table(relation.name, tuple(dict.fromkeys(columns)) or (_UNNAMED,), namespace or None)


def _means(name: str, relation: Relation) -> bool:
    """Return whether a policy's name, in lower case, may mean a table that a statement reads."""
    place, _, table = name.rpartition(".")
    may_be_there = not place or not relation.schema or place == relation.schema.lower()
    return may_be_there and table == relation.name.lower()
