"""Proves that a join inflates an aggregate: rows that are counted more often than they exist.

    facts = [proof.sentence for proof in fan_outs(executor, sql, schema=schema, ...)]

A sum over a table's column counts each of its rows once, unless a join repeated them. Within the
statement's own FROM, WHERE and GROUP BY, rows are compared with distinct keys of that table: more
rows than keys is the proof, on the present data. Where keys or owners are unknown, nothing is
claimed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.execution.executor import Executor
    from sqlobs.schema.content import Table
    from sqlobs.schema.model import Schema

_SENSITIVE: Final = (exp.Sum, exp.Avg, exp.Count)
"""Aggregates that repeated rows change; MIN and MAX are not."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A statement that counts what one aggregate saw."""

    aggregate: str
    """As the statement writes it."""
    table: str
    sql: str
    """Gives two numbers: rows of the table as joined, and how many of them are different rows."""


@dataclass(frozen=True, slots=True)
class FanOut:
    """An aggregate whose input rows a join repeats."""

    aggregate: str
    table: str
    rows: int
    distinct: int

    @property
    def sentence(self) -> str:
        """The fact as a sentence for a judge."""
        return (
            f"fan-out: {self.aggregate} saw {self.rows} rows of {self.table}, of which only"
            f" {self.distinct} are different rows: a join repeats them"
        )


def fan_out_probes(sql: str, *, schema: Schema, dialect: str) -> tuple[Probe, ...]:
    """Return the statements that would prove an inflated aggregate of `sql`.

    Only aggregates of the outermost SELECT over a joined base table with a known primary key, one
    that names the table's own column.

    Args:
        sql: The statement; what does not parse gives no probe.
        schema: Where the keys are known from.
        dialect: sqlglot's name.
    """
    select = _select(sql, dialect)
    if select is None:
        return ()
    tables = _joined_tables(select, schema)
    probes: dict[tuple[str, str], Probe] = {}
    for aggregate in select.find_all(*_SENSITIVE):
        alias = _owner(aggregate, tables) if aggregate.parent_select is select else None
        if alias is not None:
            text = aggregate.sql(dialect=dialect)
            probe_sql = _probe_sql(select, alias, tables[alias], dialect)
            probes[text, alias] = Probe(text, tables[alias].name, probe_sql)
    return tuple(probes.values())


def fan_outs(
    executor: Executor,
    sql: str,
    *,
    schema: Schema,
    dialect: str,
    target: str,
    limits: Limits | None = None,
    session: Mapping[str, str] | None = None,
) -> tuple[FanOut, ...]:
    """Run the probes of a statement and return the fan-outs that they prove.

    A probe that fails, is rejected or times out proves nothing.

    Args:
        executor: Who runs them, within the same gate and limits as any statement.
        sql: The statement.
        schema: Where the keys are known from.
        dialect: sqlglot's name.
        target: The alias of the database.
        limits: For each probe.
        session: Values for the settings that the target wants bound.
    """
    proofs = []
    for probe in fan_out_probes(sql, schema=schema, dialect=dialect):
        request = ExecutionRequest(
            sql=probe.sql, target=target, limits=limits or Limits(), session=session or {}
        )
        table = executor.run(request).prediction.outcome.table
        counts = _counts(table.rows if table else ())
        if counts is not None and counts[0] > counts[1]:
            proofs.append(FanOut(probe.aggregate, probe.table, *counts))
    return tuple(proofs)


def _select(sql: str, dialect: str) -> exp.Select | None:
    """Return the outermost SELECT with joins, without what runs after grouping."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return None
    return tree if isinstance(tree, exp.Select) and tree.args.get("joins") else None


def _joined_tables(select: exp.Select, schema: Schema) -> dict[str, Table]:
    """Return the base tables of a FROM by the name that columns call them; not CTEs."""
    ctes = {cte.alias.lower() for cte in select.find_all(exp.CTE)}
    from_ = select.args.get("from_") or select.args.get("from")
    sources = [from_.this if from_ else None, *(join.this for join in select.args["joins"])]
    found = {}
    for source in sources:
        if isinstance(source, exp.Table) and source.name.lower() not in ctes:
            table = schema.table(source.name, db=source.db or None)
            if table is not None:
                found[source.alias_or_name] = table
    return found


def _owner(aggregate: exp.AggFunc, tables: Mapping[str, Table]) -> str | None:
    """Return the keyed table whose columns alone an aggregate reads; None if it is not so."""
    if isinstance(aggregate.this, exp.Distinct):
        return None
    columns = list(aggregate.find_all(exp.Column))
    owners = {_table_of(column, tables) for column in columns}
    if len(owners) != 1:
        return None
    (owner,) = owners
    return owner if owner is not None and tables[owner].primary_key else None


def _table_of(column: exp.Column, tables: Mapping[str, Table]) -> str | None:
    if column.table:
        matches = [alias for alias in tables if alias.lower() == column.table.lower()]
    else:
        matches = [alias for alias, table in tables.items() if table.column(column.name)]
    return matches[0] if len(matches) == 1 else None


def _probe_sql(select: exp.Select, alias: str, table: Table, dialect: str) -> str:
    """Count the joined rows of a table, all and different ones, within the statement's groups."""
    quoted = exp.to_identifier(alias, quoted=True) if not alias.isidentifier() else alias
    keys = [exp.column(name, table=quoted) for name in table.primary_key or ()]
    group = select.args.get("group")
    parts = [*keys, *(_grouped(select, group.expressions) if group else ())]
    inner = select.copy()
    for clause in ("group", "having", "order", "limit", "offset", "distinct", "windows", "qualify"):
        inner.set(clause, None)
    names = [f"k{number}" for number in range(len(parts))]
    inner.set(
        "expressions",
        [exp.alias_(part.copy(), name) for part, name in zip(parts, names, strict=True)],
    )
    with_ = inner.args.get("with_") or inner.args.get("with")
    inner.set("with_" if "with_" in inner.args else "with", None)
    known = f"({inner.sql(dialect=dialect)}) AS joined WHERE k0 IS NOT NULL"
    listed = ", ".join(names)
    head = f"{with_.sql(dialect=dialect)} " if with_ else ""
    return (
        f"{head}SELECT (SELECT COUNT(*) FROM {known}),"  # noqa: S608 - made of a parsed tree
        f" (SELECT COUNT(*) FROM (SELECT DISTINCT {listed} FROM {known}) AS different)"
    )


def _grouped(select: exp.Select, expressions: Sequence[exp.Expression]) -> list[exp.Expression]:
    """Return what is grouped by, aliases and positions of the SELECT list followed."""
    listed = select.expressions
    aliases = {entry.alias.lower(): entry.this for entry in listed if entry.alias}
    found: list[exp.Expression] = []
    for expression in expressions:
        if isinstance(expression, exp.Literal) and expression.is_int:
            place = int(expression.name) - 1
            entry: exp.Expression = listed[place] if 0 <= place < len(listed) else expression
            found.append(entry.this if isinstance(entry, exp.Alias) else entry)
        elif isinstance(expression, exp.Column) and not expression.table:
            found.append(aliases.get(expression.name.lower(), expression))
        else:
            found.append(expression)
    return found


def _counts(rows: Sequence[tuple[object, ...]]) -> tuple[int, int] | None:
    if len(rows) != 1 or not all(isinstance(count, int) for count in rows[0]):
        return None
    rows_seen, different = rows[0]
    return int(str(rows_seen)), int(str(different))
