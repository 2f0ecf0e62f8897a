"""A schema from a script of DDL: dumps, migrations, schemas pasted from a prompt.

Statements are applied in order, as the engine would. What is not DDL is passed over; a CREATE TABLE
that cannot be read is an error, because every later verdict would rest on a table that is missing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from sqlobs.dialects.registry import dialect_and_version, identifier_rules
from sqlobs.errors import SchemaError
from sqlobs.schema import alteration, creation
from sqlobs.schema.content import SchemaContent
from sqlobs.schema.cursor import Cursor, UnreadableError
from sqlobs.schema.definitions import BodyReader
from sqlobs.schema.lexing import lex
from sqlobs.schema.reading import Reading
from sqlobs.schema.script import split_script
from sqlobs.schema.workbench import Workbench

if TYPE_CHECKING:
    from sqlobs.schema.definitions import Traits
    from sqlobs.schema.script import Statement

_MODIFIERS = (
    "GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL|TRANSIENT|VOLATILE|FOREIGN|MULTISET|SET|COLUMN"
    "|ROW|DYNAMIC|HYBRID|ICEBERG|PRIVATE|IMMUTABLE|SHARDED|DUPLICATED|RECURSIVE|MATERIALIZED|SECURE"
    r"|FORCE|AGGREGATE|(?:ALGORITHM|DEFINER)\s*=\s*[^\s(]+|SQL\s+SECURITY\s+\w+"
)
_CREATE = rf"CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:(?:{_MODIFIERS})\s+)*"
_READERS = {
    _CREATE + r"VIRTUAL\s+TABLE": creation.create_virtual_table,
    _CREATE + r"(?:TABLE|DICTIONARY)": creation.create_table,  # ClickHouse reads both alike
    _CREATE + r"VIEW": creation.create_view,
    _CREATE + r"(?:FUNCTION|MACRO|AGGREGATE)": creation.create_function,
    r"CREATE\s+UNIQUE\s+(?:(?:CLUSTERED|NONCLUSTERED)\s+)?INDEX": alteration.create_unique_index,
    r"CREATE\s+(?:TYPE|DOMAIN)": creation.create_type,
    r"CREATE\s+EXTENSION": creation.create_extension,
    r"ALTER\s+(?:FOREIGN\s+)?TABLE": alteration.alter_table,
    r"ALTER\s+TYPE": alteration.alter_type,
    r"DROP\s+(?:TABLE|(?:MATERIALIZED\s+)?VIEW)": alteration.drop,
    r"COMMENT\s+ON": alteration.comment_on,
    r"SET\s+(?:SESSION\s+|LOCAL\s+)?search_path": alteration.set_search_path,
    r"USE": alteration.use,
}
_BLANK = r"(?:\s|--[^\n]*+(?:\n|$)|\#[^\n]*+(?:\n|$)|/\*(?:[^*]|\*(?!/))*+\*/)*+"
_KIND = re.compile(
    _BLANK + "(?:" + "|".join(f"({pattern})" for pattern in _READERS) + r")\b", re.IGNORECASE
)
_CREATES_TABLE = {creation.create_table, creation.create_virtual_table}


def read_ddl(ddl: str, *, dialect: str) -> SchemaContent:
    """Read a schema from a script of DDL.

    Args:
        ddl: The script; may hold other statements, rows of COPY and commands of the client.
        dialect: The dialect the script is written in, in any usual spelling.

    Raises:
        SchemaError: A CREATE TABLE cannot be read (the message names its line and table), or the
            script defines nothing.
        DialectError: The dialect is unknown.
    """
    name, version = dialect_and_version(dialect)
    workbench = Workbench(dialect=name, rules=identifier_rules(name))
    known: dict[str, Traits] = {}
    for statement in split_script(ddl, dialect=name):
        _apply(statement, workbench, known)
    schema = workbench.schema()
    if schema == SchemaContent((), dialect=name) and ddl.strip():
        raise SchemaError("the script defines no table or view: include the CREATE statements.")
    return schema if version is None else replace(schema, engine_version=version)


def _apply(statement: Statement, workbench: Workbench, known: dict[str, Traits]) -> None:
    match = _KIND.match(statement.text)
    if match is None or match.lastindex is None:
        return
    reader = list(_READERS.values())[match.lastindex - 1]
    lexed = lex(statement.text, dialect=workbench.dialect)
    end = match.end()
    behind = sum(1 for _ in takewhile(lambda token: token.start < end, lexed.tokens))
    body = BodyReader(lexed, rules=workbench.rules, dialect=workbench.dialect, known=known)
    reading = Reading(workbench, Cursor(lexed.tokens, behind), body, lexed)
    try:
        reader(reading)
    except UnreadableError as error:
        if reader in _CREATES_TABLE:
            raise _unreadable(statement, reading, error) from None


def _unreadable(statement: Statement, reading: Reading, error: UnreadableError) -> SchemaError:
    tokens = reading.cursor.tokens
    line = statement.line + statement.text.count("\n", 0, tokens[0].start)
    name = f" {'.'.join(reading.name)}" if reading.name else ""
    return SchemaError(f"line {line}: CREATE TABLE{name} cannot be read: {error}.")
