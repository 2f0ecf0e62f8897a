"""Writes statements over a schema: well formed for the most part, now and then with a slip.

A statement grows from templates. What stands in braces is filled in: `{number}`, `{text}`,
`{date}`, `{time}`, `{boolean}` by an expression of that kind, `{any}` by one of some kind,
`{number query}` by a query that gives one. Slips
are those of models: a column of another kind, of another table, or of none, an aggregate where none
may stand, a name that two tables have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from tests.agreement import templates

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from sqlobs.schema.content import Column
    from sqlobs.schema.model import Schema

_T = TypeVar("_T")
KINDS = ("number", "text", "date", "time", "boolean")
_HOLE = re.compile(r"\{(\w[\w ]*)\}")
_SLIP = 0.012
"""How often a value is of the wrong kind, misplaced or unheard of; a statement has some twenty."""


@dataclass
class _Relation:
    """What stands in FROM: its alias and its columns with their kinds."""

    alias: str
    columns: list[tuple[str, str]]


@dataclass
class _Scope:
    """The relations that an expression may name, and what may be called in it."""

    relations: list[_Relation] = field(default_factory=list)
    outer: _Scope | None = None
    may_aggregate: bool = False
    may_rank: bool = False
    grouped: list[tuple[str, str]] | None = None
    """Expressions of GROUP BY with their kinds; None: the query is not grouped."""


class Generator:
    """Writes statements of one dialect over one schema from one source of randomness."""

    def __init__(self, schema: Schema, dialect: str, random: Random) -> None:
        self._random = random
        self._dialect = dialect
        self._quote = "`" if dialect == "mysql" else '"'
        self._tables = [
            _Relation(
                self._name(table.name),
                [(self._name(column.name), _kind(column)) for column in table.columns],
            )
            for table in schema.tables
        ]
        self._expressions = templates.expressions(dialect)
        self._aggregates = templates.aggregates(dialect)
        self._windows = templates.windows(dialect)
        self._ctes: list[_Relation] = []
        self._aliases = 0

    def statement(self) -> str:
        """Return the next statement."""
        self._aliases, self._ctes = 0, []
        if self._odds(0.1):
            return self._change()
        begin = self._with() if self._odds(0.2) else ""
        sql, columns = self._query(None, self._random.randint(1, 3))
        if " ORDER BY " not in sql:
            sql += self._order_of(columns)
        return begin + sql + (self._pick(templates.TAILS) if self._odds(0.15) else "")

    def _change(self) -> str:
        """Return a statement that changes data."""
        table = self._pick(self._tables)
        scope = _Scope([table])
        chosen = self._random.sample(
            table.columns, self._random.randint(1, min(3, len(table.columns)))
        )
        names = ", ".join(name for name, _ in chosen)
        where = f" WHERE {self._value('boolean', scope, 2)}"
        word = self._pick(("INSERT", "INSERT", "UPDATE", "UPDATE", "DELETE"))
        if word == "DELETE":
            return f"DELETE FROM {table.alias}{where}"
        if word == "UPDATE":
            values = ", ".join(f"{name} = {self._value(kind, scope, 2)}" for name, kind in chosen)
            return f"UPDATE {table.alias} SET {values}{where}"
        kinds = [kind for _, kind in chosen]
        if self._odds(0.5):
            return f"INSERT INTO {table.alias} ({names}) {self._query(None, 2, kinds)[0]}"
        values = ", ".join(self._literal(kind) for kind in kinds)
        return f"INSERT INTO {table.alias} ({names}) VALUES ({values})"

    def _with(self) -> str:
        made = []
        for _ in range(self._random.randint(1, 2)):
            sql, columns = self._query(None, 1)
            relation = _Relation(self._alias("w"), columns)
            names = ""
            if self._odds(0.15):
                relation.columns = [(f"k{i}", kind) for i, (_, kind) in enumerate(columns)]
                names = f" ({', '.join(name for name, _ in relation.columns)})"
            made.append(f"{relation.alias}{names} AS ({sql})")
            self._ctes.append(relation)
        if self._odds(0.2):
            made.append(self._recursion())
            return f"WITH RECURSIVE {', '.join(made)} "
        return f"WITH {', '.join(made)} "

    def _recursion(self) -> str:
        """Return a CTE that reads itself."""
        first, _ = self._select(None, 1, ["number", "text"])
        relation = _Relation(self._alias("r"), [("n", "number"), ("path", "text")])
        scope = _Scope([relation])
        again = f"SELECT n + 1, {self._value('text', scope, 1)} FROM {relation.alias}"
        self._ctes.append(relation)
        return f"{relation.alias} (n, path) AS ({first} UNION ALL {again} WHERE n < 5)"

    def _query(
        self, outer: _Scope | None, depth: int, kinds: Sequence[str] | None = None
    ) -> tuple[str, list[tuple[str, str]]]:
        """Return a query and its columns, of the kinds wanted."""
        if self._odds(0.08):
            kinds = kinds or self._random.choices(KINDS[:4], k=self._random.randint(1, 2))
            left, columns = self._select(outer, depth, kinds)
            right, _ = self._select(outer, depth, kinds)
            word = self._pick(("UNION", "UNION ALL", "INTERSECT", "EXCEPT"))
            return f"{left} {word} {right}", columns
        return self._select(outer, depth, kinds)

    def _select(
        self, outer: _Scope | None, depth: int, kinds: Sequence[str] | None
    ) -> tuple[str, list[tuple[str, str]]]:
        scope = _Scope(outer=outer)
        source = self._from(scope, depth)
        where = f" WHERE {self._value('boolean', scope, depth)}" if self._odds(0.5) else ""
        grouped = self._odds(0.3)
        group = self._group(scope, depth) if grouped else ""
        scope.may_aggregate = grouped or self._odds(0.05)
        having = f" HAVING {self._value('boolean', scope, depth)}" if self._odds(0.35) else ""
        having = having if grouped else ""
        scope.may_rank = self._odds(0.3)
        items, columns = self._items(scope, depth, kinds)
        if group and self._odds(0.1):
            group = f" GROUP BY {self._pick(columns)[0]}"
        distinct = "DISTINCT " if self._odds(0.1) else ""
        if self._odds(0.01):
            distinct = f"DISTINCT ON ({self._value('number', scope, 1)}) "
        window = ""
        if scope.may_rank and self._odds(0.1):
            items = items.replace("OVER ()", "OVER w")
            window = f" WINDOW w AS (ORDER BY {self._column('number', scope)})"
        if self._odds(0.02):
            window += f" QUALIFY {self._value('boolean', scope, 1)}"
        sql = f"SELECT {distinct}{items}{source}{where}{group}{having}{window}"
        if outer is None and depth > 1 and self._odds(0.15):
            order = ", ".join(self._order(columns, scope, depth) for _ in range(2))
            sql += f" ORDER BY {order}"
            sql += self._pick(("", " LIMIT 5", " LIMIT 5 OFFSET 2"))
        return sql, columns

    def _from(self, scope: _Scope, depth: int) -> str:
        sql = f" FROM {self._relation(scope, depth)}"
        for _ in range(self._pick((0, 0, 1, 1, 2))):
            if self._odds(0.08):
                sql += f", {self._relation(scope, depth)}"
                continue
            word = self._pick(
                (*["JOIN"] * 8, *["LEFT JOIN"] * 4, "INNER JOIN", "CROSS JOIN", "LEFT OUTER JOIN")
                + (("RIGHT JOIN", "FULL JOIN") if self._odds(0.2) else ())
            )
            left = [*scope.relations]
            relation = self._relation(scope, depth)
            shared = {name for name, _ in scope.relations[-1].columns} & {
                name for one in left for name, _ in one.columns
            }
            if word == "CROSS JOIN":
                sql += f" {word} {relation}"
            elif shared and self._odds(0.12):
                sql += f" {word} {relation} USING ({self._pick(sorted(shared))})"
            elif self._odds(0.04):
                sql += f" NATURAL JOIN {relation}"
            else:
                kind = self._pick(KINDS[:4])
                own = _Scope([scope.relations[-1]], scope.outer)
                others = _Scope(left, scope.outer)
                on = f"{self._column(kind, own)} = {self._column(kind, others)}"
                if self._odds(0.2):
                    on += f" AND {self._value('boolean', scope, depth - 1)}"
                sql += f" {word} {relation} ON {on}"
        return sql

    def _relation(self, scope: _Scope, depth: int) -> str:
        alias = self._alias("t")
        if depth > 1 and self._odds(0.12):
            lateral = self._odds(0.1)
            seen = _Scope([*scope.relations], scope.outer) if lateral else None
            sql, columns = self._query(seen, depth - 1)
            scope.relations.append(_Relation(alias, columns))
            return f"{'LATERAL ' if lateral else ''}({sql}) AS {alias}"
        if self._odds(0.03):
            scope.relations.append(_Relation(alias, [("p", "number"), ("q", "text")]))
            return f"(VALUES (1, 'a'), (2, {self._literal('text')})) AS {alias} (p, q)"
        table = self._pick(self._tables + self._ctes * 3)
        named = self._odds(0.7) or any(one.alias == table.alias for one in scope.relations)
        scope.relations.append(_Relation(alias if named else table.alias, table.columns))
        return f"{table.alias} {self._pick(('AS ', ''))}{alias}" if named else table.alias

    def _group(self, scope: _Scope, depth: int) -> str:
        scope.grouped = []
        for _ in range(self._pick((1, 1, 2))):
            kind = self._pick(KINDS[:4])
            plain = self._odds(0.8)
            sql = self._column(kind, scope) if plain else self._value(kind, scope, depth - 1)
            scope.grouped.append((sql, kind))
        terms = ", ".join(sql for sql, _ in scope.grouped)
        form = self._pick(templates.GROUPINGS) if self._odds(0.08) else "{}"
        return f" GROUP BY {form.format(terms)}"

    def _items(
        self, scope: _Scope, depth: int, kinds: Sequence[str] | None
    ) -> tuple[str, list[tuple[str, str]]]:
        if kinds is None and scope.grouped is None and self._odds(0.1):
            relation = self._pick(scope.relations)
            if len(scope.relations) == 1 or self._odds(0.6):
                return f"{relation.alias}.*", relation.columns
            return "*", [column for one in scope.relations for column in one.columns]
        wanted = kinds or self._random.choices(KINDS[:4], k=self._random.randint(1, 3))
        items, columns = [], []
        for place, kind in enumerate(wanted):
            sql = self._value(kind, scope, depth)
            plain = sql.rpartition(".")[2] if re.fullmatch(r"[\w.]+", sql) else ""
            if not plain.islower() or self._odds(0.2):
                name = self._pick(("n", "total", "label", "id")) + str(place)
                name = name if self._odds(0.9) else self._pick(scope.relations).columns[0][0]
                if self._odds(0.85):
                    sql += self._pick((" AS ", " AS ", " ")) + name
                columns.append((name, kind))
            else:
                columns.append((plain, kind))
            items.append(sql)
        return ", ".join(items), columns

    def _order_of(self, columns: list[tuple[str, str]]) -> str:
        if not columns or self._odds(0.7):
            return ""
        name = self._pick(columns)[0]
        return f" ORDER BY {self._pick((name, name, '1'))}"

    def _order(self, columns: list[tuple[str, str]], scope: _Scope, depth: int) -> str:
        if columns and self._odds(0.4):
            term = self._pick(columns)[0]
        elif self._odds(0.2):
            term = str(self._random.randint(1, max(len(columns), 1)))
        else:
            term = self._value(self._pick(KINDS), scope, depth - 1)
        nulls = self._pick((" NULLS LAST", " NULLS FIRST")) if self._odds(0.05) else ""
        return term + self._pick(("", "", " DESC", " ASC")) + nulls

    def _value(self, kind: str, scope: _Scope, depth: int) -> str:
        """Return an expression of a kind."""
        if kind == "other":
            return self._column(kind, scope)
        if self._odds(_SLIP):
            kind = self._pick(KINDS)
        if scope.grouped is not None and scope.may_aggregate and not self._odds(_SLIP):
            fits = [sql for sql, one in scope.grouped if one == kind]
            if fits and self._odds(0.6):
                return self._pick(fits)
            if kind in ("number", "text", "date", "time") and self._odds(0.8):
                return self._aggregate(kind, scope, depth)
            return self._literal(kind)
        if scope.may_aggregate and self._odds(0.5):
            return self._aggregate(kind, scope, depth)
        if scope.may_rank and self._odds(0.3):
            return self._filled(self._pick(self._windows[kind]), _plain(scope), depth - 1)
        if depth > 0 and (kind == "boolean" or self._odds(0.45)):
            return self._composed(kind, scope, depth)
        return self._literal(kind) if self._odds(0.25) else self._column(kind, scope)

    def _composed(self, kind: str, scope: _Scope, depth: int) -> str:
        if self._odds(_SLIP):
            return self._aggregate(kind, scope, depth)
        if self._odds(0.1):
            return self._subquery(kind, scope, depth)
        return self._filled(self._pick(self._expressions[kind]), scope, depth - 1)

    def _subquery(self, kind: str, scope: _Scope, depth: int) -> str:
        if kind == "boolean":
            if self._odds(0.4):
                sql, _ = self._query(scope, depth - 1)
                return f"{self._pick(('', 'NOT '))}EXISTS ({sql})"
            one = self._pick(KINDS[:4])
            sql, _ = self._query(scope, depth - 1, [one])
            left = self._value(one, scope, depth - 1)
            return f"{left} {self._pick(('IN', 'NOT IN', '=', '>'))} ({sql})"
        sql, _ = self._query(scope, depth - 1, [kind])
        return f"({sql})"

    def _aggregate(self, kind: str, scope: _Scope, depth: int) -> str:
        return self._filled(self._pick(self._aggregates[kind]), _plain(scope), depth - 1)

    def _filled(self, template: str, scope: _Scope, depth: int) -> str:
        def fill(hole: re.Match[str]) -> str:
            kinds = [self._pick(KINDS) if one == "any" else one for one in hole[1].split()]
            if kinds[-1] != "query":
                return self._value(kinds[0], scope, depth)
            return self._query(scope, depth, kinds[:-1])[0]

        return _HOLE.sub(fill, template).replace("{{", "{").replace("}}", "}")

    def _column(self, kind: str, scope: _Scope) -> str:
        if self._odds(_SLIP / 2):
            return self._pick(("ghost", f"{scope.relations[0].alias}.ghost", "gone.id"))
        if self._odds(_SLIP / 2):
            other = self._pick(self._tables)
            return f"{scope.relations[0].alias}.{self._pick(other.columns)[0]}"
        seen = [scope]
        if scope.outer is not None and self._odds(0.3):
            seen = [scope.outer]
        found = [
            (one, name)
            for level in seen
            for one in level.relations
            for name, k in one.columns
            if k == kind
        ]
        if not found:
            return self._literal(kind)
        relation, name = self._pick(found)
        several = sum(name == other for one in scope.relations for other, _ in one.columns) > 1
        bare = self._odds(0.6 if not several else 0.03) and seen == [scope]
        qualifier = relation.alias
        if self._odds(0.03):
            name = self._respelled(name)
        elif self._odds(0.01):
            qualifier = qualifier.upper()
        return name if bare else f"{qualifier}.{name}"

    def _respelled(self, name: str) -> str:
        """Return a name in another case, or in quotes."""
        plain = name.strip(self._quote)
        quoted = f"{self._quote}{plain}{self._quote}"
        return self._pick((plain.upper(), quoted, quoted.upper(), plain.title(), f"[{plain}]"))

    def _literal(self, kind: str) -> str:
        return self._pick(templates.LITERALS[kind])

    def _alias(self, letter: str) -> str:
        self._aliases += 1
        return f"{letter}{self._aliases}"

    def _name(self, name: str) -> str:
        return (
            name if name.isidentifier() and name.islower() else f"{self._quote}{name}{self._quote}"
        )

    def _pick(self, found: Sequence[_T]) -> _T:
        return self._random.choice(found)

    def _odds(self, share: float) -> bool:
        return self._random.random() < share


def _plain(scope: _Scope) -> _Scope:
    """Return a scope without aggregates and windows, for their arguments."""
    return _Scope(scope.relations, scope.outer)


def _kind(column: Column) -> str:
    kind = (column.type or "").lower()
    for kinds, words in (
        ("other", ("[]", "range", "json", "money", "interval", "uuid", "serial")),
        ("time", ("timestamp",)),
        ("date", ("date",)),
        ("boolean", ("bool",)),
        ("number", ("int", "numeric", "double", "real", "decimal")),
        ("text", ("char", "text")),
    ):
        if any(word in kind for word in words):
            return kinds
    return "other"
