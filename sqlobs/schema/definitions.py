"""What stands between the parentheses of CREATE TABLE: columns and keys.

Read from tokens with few expectations, because engines differ in everything behind a column's name
and type: unknown parts are skipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlobs.dialects.registry import dialect_of
from sqlobs.schema.content import Column, ForeignKey
from sqlobs.schema.cursor import Cursor, UnreadableError, angle_step, option, split_commas
from sqlobs.schema.declared_type import declared_type, descriptions_of

if TYPE_CHECKING:
    from sqlobs.dialects.identifiers import IdentifierRules
    from sqlobs.schema.lexing import Lexed, Token

_AFTER_TYPE = frozenset(
    (
        "CONSTRAINT NOT NULL DEFAULT PRIMARY UNIQUE REFERENCES CHECK COLLATE GENERATED AS"
        " AUTO_INCREMENT AUTOINCREMENT IDENTITY COMMENT KEY ON CHARSET ENCODE DISTKEY SORTKEY"
        " OPTIONS STORAGE COMPRESSION COMPRESS INVISIBLE VISIBLE VIRTUAL STORED PERSISTED MASKING"
        " FORMAT TITLE CODEC TTL ALIAS MATERIALIZED EPHEMERAL ROWGUIDCOL SPARSE HIDDEN ENABLE"
        " DISABLE DEFERRABLE INITIALLY TAG PROJECTION CASESPECIFIC INLINE SRID"
    ).split()
)
"""Words that end a column's type."""

_SHORTEST_NESTED = 4
"""Tokens of the shortest nested type: `ARRAY<INT>`."""
_BRACKETS = re.compile(r"\[(\w+)\]")
_BEGINS_WITH_DIGIT = re.compile(r"\d\w*[A-Za-z_]\w*")
"""`CREATE TABLE 1min_stats (…)`, which several engines allow without quotes."""
_AFTER_DEFAULT = _AFTER_TYPE - {"AS", "KEY"}


@dataclass(slots=True)
class Definition:
    """What has been read of one table so far."""

    columns: list[Column] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    unique_keys: list[tuple[str, ...]] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    like: list[tuple[str, ...]] = field(default_factory=list)
    """Tables whose columns are copied (`LIKE other`), each as its name parts."""


@dataclass(slots=True)
class Traits:
    """What stands behind a column's name; the columns of a schema share few of these texts."""

    type: str | None
    nullable: bool | None = None
    is_unique: bool = False
    is_primary_key: bool = False
    is_generated: bool = False
    is_hidden: bool = False
    default: str | None = None
    description: str | None = None
    field_descriptions: tuple[tuple[str, str], ...] = ()
    references: list[ForeignKey] = field(default_factory=list)


class BodyReader:
    """Reads the definitions of one dialect."""

    def __init__(
        self,
        lexed: Lexed,
        *,
        rules: IdentifierRules,
        dialect: str | None,
        known: dict[str, Traits],
    ) -> None:
        """Start on one statement.

        Args:
            lexed: Its tokens.
            rules: How the dialect stores names.
            dialect: sqlglot's name.
            known: What has been read behind the names of columns so far, by its text.
        """
        self._lexed = lexed
        self._known = known
        self._rules = rules
        self._syntax = dialect_of(dialect).definitions

    def read(self, body: list[Token]) -> Definition:
        """Read the comma-separated definitions of a table.

        Raises:
            UnreadableError: A definition has no name where one must stand.
        """
        found = Definition()
        for item in split_commas(body):
            if item:
                self.read_item(item, found)
        return self.finish(found)

    def finish(self, found: Definition) -> Definition:
        """Write the keys onto the columns, and spell the keys as the columns are spelled."""
        spelling = {self._rules.column_key(column.name): column.name for column in found.columns}

        def spelled(key: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(spelling.get(self._rules.column_key(name), name) for name in key)

        found.primary_key = spelled(found.primary_key)
        unique = {spelled(key)[0] for key in found.unique_keys if len(key) == 1}
        found.unique_keys = [spelled(key) for key in found.unique_keys if len(key) > 1]
        found.foreign_keys = [
            replace(key, columns=spelled(key.columns)) for key in found.foreign_keys
        ]
        found.columns = [
            self._with_keys(column, found.primary_key, unique=column.name in unique)
            for column in found.columns
        ]
        return found

    def _with_keys(self, column: Column, primary_key: tuple[str, ...], *, unique: bool) -> Column:
        if column.name not in primary_key:
            return replace(column, unique=True) if unique else column
        # SQLite lets a primary key be NULL, unless it is the rowid.
        holds_null = self._syntax.nullable_keys and (
            len(primary_key) > 1 or (column.type or "").upper() != "INTEGER"
        )
        return replace(
            column,
            primary_key=True,
            unique=column.unique or unique,
            nullable=column.nullable if holds_null else False,
        )

    def read_item(self, item: list[Token], found: Definition) -> None:
        """Read one definition, a column or a constraint of the table."""
        cursor = Cursor(tuple(item))
        if cursor.accept("LIKE"):
            found.like.append(self.name_parts(cursor))
        elif not self._read_constraint(cursor, found):
            found.columns.append(self._read_column(item, found))

    def name(self, token: Token) -> str:
        """Return a name as the system catalog stores it."""
        if token.kind not in {"word", "quoted", "string"} and not _BEGINS_WITH_DIGIT.fullmatch(
            token.text
        ):
            raise UnreadableError(f"{token.text!r} is not a valid name")
        return self._rules.stored(token.text, quoted=token.kind != "word")

    def name_parts(self, cursor: Cursor) -> tuple[str, ...]:
        """Read a name with its qualifiers, outermost first."""
        parts = [self.name(cursor.next())]
        while cursor.accept("."):
            parts.append(self.name(cursor.next()))
        if self._syntax.quoted_paths:
            # One pair of backticks may hold the whole path.
            return tuple(part for name in parts for part in name.split("."))
        return tuple(parts)

    def _read_constraint(self, cursor: Cursor, found: Definition) -> bool:
        """Read a constraint of the table; False if the tokens are no constraint."""
        if cursor.word == "CONSTRAINT":
            cursor.next()
            if cursor.word not in {"PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "NOT"}:
                self.name_parts(cursor)
        if cursor.accept("PRIMARY", "KEY"):
            self._skip_to_group(cursor)
            found.primary_key = self._key(cursor)
        elif cursor.word == "UNIQUE":
            self._skip_to_group(cursor)
            found.unique_keys.append(self._key(cursor))
        elif cursor.accept("FOREIGN", "KEY"):
            self._skip_to_group(cursor)
            found.foreign_keys.append(self._foreign_key(self._key(cursor), cursor))
        else:
            return self._is_other_constraint(cursor)
        return True

    def _is_other_constraint(self, cursor: Cursor) -> bool:
        first, second = cursor.word, cursor.peek(1)
        if first in {"CHECK", "EXCLUDE"}:
            return second in {"(", "USING"}
        if first == "PERIOD":
            return second == "FOR"
        if first in self._syntax.index_keywords:
            return True
        return cursor.index > 0 and cursor.tokens[0].upper == "CONSTRAINT"

    @staticmethod
    def _skip_to_group(cursor: Cursor) -> None:
        """Step over what engines allow before the columns of a key (name, CLUSTERED, USING …)."""
        while not cursor.done and cursor.word != "(":
            cursor.next()

    def _key(self, cursor: Cursor) -> tuple[str, ...]:
        return tuple(
            self.name(run[0])
            for run in split_commas(cursor.group())
            if run and run[0].kind in {"word", "quoted"}
        )

    def _foreign_key(self, columns: tuple[str, ...], cursor: Cursor) -> ForeignKey:
        if not cursor.accept("REFERENCES"):
            raise UnreadableError("a foreign key lacks REFERENCES")
        table = ".".join(self.name_parts(cursor))
        return ForeignKey(columns, table, self._key(cursor))

    def _read_column(self, item: list[Token], found: Definition) -> Column:
        name = self.name(item[0])
        written = self._lexed.source[item[0].end : item[-1].end]
        traits = self._known.get(written)
        if traits is None:
            traits = self._known[written] = self._read_traits(item[1:])
        if traits.is_primary_key:
            found.primary_key = (name,)
        found.foreign_keys += [replace(key, columns=(name,)) for key in traits.references]
        return Column(
            name,
            traits.type,
            nullable=traits.nullable,
            unique=traits.is_unique,
            default=traits.default,
            generated=traits.is_generated,
            hidden=traits.is_hidden,
            description=traits.description or self._comment_after(item),
            field_descriptions=traits.field_descriptions,
        )

    def _read_traits(self, tokens: list[Token]) -> Traits:
        cursor = Cursor(tuple(tokens))
        type_, described = self._declared(self._type(cursor))
        traits = Traits(self._type_name(type_) or None, field_descriptions=described)
        while not cursor.done:
            self._read_trait(cursor, traits)
        if traits.nullable is None:
            traits.nullable = not self._syntax.not_null_by_default or type_.startswith("Nullable(")
        return traits

    def _declared(self, tokens: list[Token]) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Return a type as written, apart from it the descriptions of its fields."""
        if len(tokens) < _SHORTEST_NESTED:
            return self._lexed.slice(tokens), ()
        found = declared_type(self._lexed.source[tokens[0].start : tokens[-1].end])
        return found.text, descriptions_of(found)

    def _type_name(self, written: str) -> str:
        """Return a type as written, without the brackets SQL Server's tools put around it."""
        return _BRACKETS.sub(r"\1", written) if self._syntax.bracketed_types else written

    @staticmethod
    def _type(cursor: Cursor) -> list[Token]:
        start, angles, previous = cursor.index, 0, ""
        while not cursor.done and (angles or not _ends_type(cursor)):
            angles += angle_step(cursor.word, previous, angles)
            previous = cursor.word
            if cursor.word == "(":
                cursor.group()
            else:
                cursor.next()
        return list(cursor.tokens[start : cursor.index])

    def _read_trait(self, cursor: Cursor, traits: Traits) -> None:
        match cursor.word:
            case "REFERENCES":
                traits.references.append(self._foreign_key((), cursor))
                return
            case "(":
                cursor.group()
                return
        word = cursor.next().upper
        if word in {"NOT", "NULL"}:
            traits.nullable = word == "NULL" or not cursor.accept("NULL")
            return
        traits.is_unique |= word == "UNIQUE"
        traits.is_hidden |= word == "INVISIBLE"  # of MariaDB, MySQL and Oracle
        match word:
            case "PRIMARY" if cursor.accept("KEY"):
                traits.is_primary_key = True
            case "DEFAULT":
                traits.default = self._default(cursor)
            case "AS" if cursor.word == "(":  # with GENERATED ALWAYS before it, or not
                traits.is_generated = True
            case "COMMENT" if not cursor.done:
                traits.description = cursor.next().text
            case "OPTIONS":
                traits.description = option(cursor.group(), "DESCRIPTION")

    def _default(self, cursor: Cursor) -> str:
        start = cursor.index
        while not cursor.done and (cursor.index == start or cursor.word not in _AFTER_DEFAULT):
            if cursor.word == "(":
                cursor.group()
            else:
                cursor.next()
        return self._lexed.slice(list(cursor.tokens[start : cursor.index]))

    def _comment_after(self, item: list[Token]) -> str | None:
        """Return the comment that stands behind the column on the same line."""
        end = item[-1].end
        if not self._lexed.comments:
            return None
        for comment in self._lexed.comments:
            if comment.start >= end:
                between = self._lexed.source[end : comment.start]
                return comment.text or None if between.strip(" \t,") == "" else None
        return None


def _ends_type(cursor: Cursor) -> bool:
    word = cursor.word
    if word in {"CHARACTER", "CHAR"}:
        return cursor.peek(1) == "SET"
    if word == "WITH":
        return cursor.peek(1) not in {"TIME", "LOCAL"}
    if word == "ON":
        return cursor.peek(1) in {"UPDATE", "DELETE", "CONFLICT", "NULL"}
    return word in _AFTER_TYPE
