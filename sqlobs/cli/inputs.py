"""Input of commands: files, standard input, JSON Lines, schemas from any source."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import DialectError, InputError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.schema.model import Schema

_SQLITE_MAGIC: Final = b"SQLite format 3\x00"
STDIN: Final = "-"


def read_text(place: str) -> str:
    """Return the text of a file, or of standard input for `-`.

    Raises:
        InputError: It cannot be opened, or is not UTF-8 text.
    """
    content = sys.stdin.buffer.read() if place == STDIN else _read_bytes(place)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        name = "standard input" if place == STDIN else place
        raise InputError(
            f"{name} is not UTF-8 text: byte 0x{content[error.start]:02x} at offset {error.start}"
        ) from None


def read_json_lines(place: str) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the objects of a file of JSON lines with their line numbers; empty lines are skipped.

    Raises:
        InputError: A line is not a JSON object; the message names it.
    """
    # Not `splitlines`: a JSON string may contain U+2028 and similar characters unescaped.
    for number, line in enumerate(read_text(place).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = str(error).partition(":")[0]
            raise InputError(f"{place}, line {number}: not JSON ({reason})") from None
        if not isinstance(found, dict):
            raise InputError(f"{place}, line {number}: not a JSON object")
        yield number, found


def read_schema(place: str, *, dialect: str | None) -> Schema:
    """Return the schema at a place: a URL, a SQLite file, a document, exported rows, a DDL script.

    Args:
        place: The URL or path.
        dialect: The dialect, needed for exported rows and scripts.

    Raises:
        InputError: The file cannot be read, or needs a dialect and none is given.
        SchemaError: It has no schema.
        DialectError: The schema is of another dialect.
    """
    schema = _schema_at(place, dialect)
    if dialect and schema.dialect:
        _require_same_dialect(place, schema.dialect, dialect)
    return schema


def _schema_at(place: str, dialect: str | None) -> Schema:
    from sqlobs.schema.exported import is_export
    from sqlobs.schema.model import Schema

    if "://" in place:
        return Schema.from_database(place)
    content = _read_bytes(place)
    if content.startswith(_SQLITE_MAGIC):
        return Schema.from_database(f"sqlite:///{Path(place).resolve()}")
    text = read_text(place)
    exported = is_export(text)
    try:
        if text.lstrip()[:1] == "{" and not exported:
            return _from_document(text)
        if dialect is None:
            kind = "has the rows of a system catalog" if exported else "is a DDL script"
            raise InputError(f"{place} {kind}; give its dialect with --dialect")
        if exported:
            schema = Schema.from_export(text, dialect=dialect, table=Path(place).stem)
        else:
            schema = Schema.from_ddl(text, dialect=dialect)
    except SchemaError as error:
        raise SchemaError(f"{place}: {error}") from None
    if not schema.tables:
        raise SchemaError(f"{place} does not define any table")
    return schema


def _from_document(text: str) -> Schema:
    """Read a schema document or a dbt manifest."""
    from sqlobs.schema.model import Schema

    is_manifest = '"sqlobs.schema/' not in text and '"adapter_type"' in text
    return Schema.from_dbt_manifest(text) if is_manifest else Schema.from_json(text)


def _require_same_dialect(place: str, own: str, asked: str) -> None:
    from sqlobs.check.engine.profile import Profile

    name = Profile.named(asked).dialect
    if name != own:
        raise DialectError(
            f"{place} has dialect {own}, but --dialect is {name}; give only one dialect"
        )


def _read_bytes(place: str) -> bytes:
    try:
        return Path(place).read_bytes()
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise InputError(f"{place}: {reason}") from None
