"""Infers the output columns of a query without an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.schema.content import Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from sqlobs.schema.content import Table
    from sqlobs.schema.workbench import Workbench


def selected_columns(sql: str, *, workbench: Workbench) -> tuple[Column, ...]:
    """Return the output columns of a query, or () where their number is unknown.

    An output without a name that holds in every engine (`count(*)`) has the name "".

    Args:
        sql: A query, as it stands behind `CREATE VIEW … AS`.
        workbench: The tables the query may read.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        query = sqlglot.parse_one(sql, dialect=workbench.dialect)
    except (SqlglotError, RecursionError):
        return ()
    if not isinstance(query, exp.Query):
        return ()
    try:
        return tuple(_Outputs(workbench).of(query, {}))
    except _UnderivableError:
        return ()


class _UnderivableError(Exception):
    """The outputs cannot be counted: a star over something unknown."""


class _Outputs:
    """Walks a query down to the tables its columns come from."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    def of(self, query: exp.Expr, ctes: dict[str, tuple[Column, ...]]) -> Iterator[Column]:
        """Yield the output columns of a query, given those of the CTEs it sees."""
        from sqlglot import exp

        ctes = dict(ctes)
        for cte in query.ctes if isinstance(query, exp.Query) else ():
            ctes[self._key(cte.alias_or_name)] = self._aliased(cte, ctes)
        if isinstance(query, exp.SetOperation):
            yield from self.of(query.left, ctes)
        elif isinstance(query, exp.Subquery):
            yield from self.of(query.this, ctes)
        elif isinstance(query, exp.Select):
            sources = self._sources(query, ctes)
            for projection in query.expressions:
                yield from self._projected(projection, sources)
        else:
            raise _UnderivableError

    def _projected(
        self, projection: exp.Expr, sources: dict[str, tuple[Column, ...]]
    ) -> Iterator[Column]:
        from sqlglot import exp

        if isinstance(projection, exp.Star):
            for columns in sources.values():
                yield from self._known(columns)
        elif isinstance(projection, exp.Column) and isinstance(projection.this, exp.Star):
            yield from self._known(sources.get(self._key(projection.table), ()))
        elif isinstance(projection, exp.Alias):
            yield Column(
                self._stored(projection.args["alias"]), self._type(projection.this, sources)
            )
        elif isinstance(projection, exp.Column):
            yield Column(self._stored(projection.this), self._type(projection, sources))
        else:
            yield Column("", self._type(projection, sources))

    def _type(self, value: exp.Expr, sources: dict[str, tuple[Column, ...]]) -> str | None:
        """Return the type of a plain column or cast; None for anything else."""
        from sqlglot import exp

        if isinstance(value, exp.Cast):
            return value.to.sql(dialect=self._workbench.dialect)
        if not isinstance(value, exp.Column) or isinstance(value.this, exp.Star):
            return None
        key = self._workbench.rules.column_key
        wanted = key(self._stored(value.this))
        named = sources.get(self._key(value.table))
        candidates = [named] if value.table and named else list(sources.values())
        types = [
            column.type
            for columns in candidates
            for column in columns
            if key(column.name) == wanted
        ]
        return types[0] if len(types) == 1 else None

    def _sources(
        self, query: exp.Select, ctes: dict[str, tuple[Column, ...]]
    ) -> dict[str, tuple[Column, ...]]:
        from_ = query.args.get("from_") or query.args.get("from")
        relations = [*_flattened(from_.this)] if from_ else []
        joins = [*(query.args.get("joins") or ())]
        for join in joins:
            relations += _flattened(join.this)
        joins += [join for one in relations for join in one.args.get("joins") or ()]
        if any(join.args.get("using") or join.method for join in joins):
            # USING and NATURAL merge columns under a star.
            return {self._key(one.alias_or_name): () for one in relations}
        return {self._key(one.alias_or_name): self._relation(one, ctes) for one in relations}

    def _relation(
        self, relation: exp.Expr, ctes: dict[str, tuple[Column, ...]]
    ) -> tuple[Column, ...]:
        from sqlglot import exp

        if isinstance(relation, exp.Subquery):
            return self._aliased(relation, ctes)
        if not isinstance(relation, exp.Table) or not relation.name:
            return ()
        key = self._key(relation.name)
        if not relation.db and key in ctes:
            return ctes[key]
        return self._columns_of(
            self._workbench.find([self._stored(part) for part in relation.parts])
        )

    @staticmethod
    def _columns_of(table: Table | None) -> tuple[Column, ...]:
        return tuple(column for column in table.columns if not column.hidden) if table else ()

    def _aliased(
        self, derived: exp.Expr, ctes: dict[str, tuple[Column, ...]]
    ) -> tuple[Column, ...]:
        """Return the columns of a CTE or derived table under the names its alias gives."""
        columns = tuple(self.of(derived.this, ctes))
        alias = derived.args.get("alias")
        names = alias.args.get("columns") or () if alias else ()
        if not names:
            return columns
        if len(names) != len(columns):
            raise _UnderivableError
        return tuple(
            Column(self._stored(name), column.type)
            for name, column in zip(names, columns, strict=True)
        )

    @staticmethod
    def _known(columns: tuple[Column, ...]) -> Iterator[Column]:
        """Yield the columns under a star; an unknown relation raises."""
        if not columns:
            raise _UnderivableError
        for column in columns:
            yield Column(column.name, column.type)

    def _stored(self, identifier: exp.Expr | str) -> str:
        from sqlglot import exp

        if isinstance(identifier, exp.Identifier):
            quoted = bool(identifier.args.get("quoted"))
            return self._workbench.rules.stored(identifier.name, quoted=quoted)
        return str(identifier)

    def _key(self, name: str) -> str:
        return name.lower()


def _flattened(relation: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the relations of a join in parentheses, `(a JOIN b ON …)`, or the one given."""
    from sqlglot import exp

    if isinstance(relation, exp.Subquery) and isinstance(relation.this, exp.Table | exp.Subquery):
        yield from _flattened(relation.this)
    else:
        yield relation
    for join in relation.args.get("joins") or ():
        yield from _flattened(join.this)
