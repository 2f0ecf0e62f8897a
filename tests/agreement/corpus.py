"""Reads corpora of statements labeled by engines, and the schemas they were run on."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from sqlobs.dialects.registry import dialect_name
from sqlobs.schema.model import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

SYNTAX_VERDICTS = frozenset({"syntax", "multi", "function", "arity"})
"""Verdicts that fail `syntactic`; every other one but `ok` fails `schematic`."""
HALVES = ("tuned", "unseen")
"""Rules are developed with the statements of the first half; nobody looks at those of the second."""


@dataclass(frozen=True, slots=True)
class LabeledItems:
    """A statement with its engine's verdict."""

    id: str
    schema: str
    sql: str
    verdict: str
    message: str
    corpus: str

    @property
    def accepted(self) -> bool:
        """The engine takes it."""
        return self.verdict == "ok"

    @property
    def failing_label(self) -> str | None:
        """The label that the engine's first error fails."""
        if self.accepted:
            return None
        return "syntactic" if self.verdict in SYNTAX_VERDICTS else "schematic"


def read_corpus(path: Path, half: str | None = None) -> list[LabeledItems]:
    """Read one JSON object a line; `.gz` is unpacked.

    Rows whose verdict is `uncertain` are left out: the engine that labeled them lacks an object of
    the product that it stands for. `half` is one of `HALVES`.
    """
    return [
        LabeledItems(**{name: str(row[name]) for name in LabeledItems.__slots__})
        for row in _rows(path)
        if row["verdict"] != "uncertain" and half in {None, half_of(str(row["id"]))}
    ]


def half_of(id_: str) -> str:
    """Return the half of a corpus that a statement belongs to, whatever else the corpus has."""
    return HALVES[crc32(id_.encode()) % 2]


def read_schemas(path: Path, dialect: str) -> dict[str, Schema]:
    """Read the schemas of one dialect, perhaps with its version, by name."""
    plain = dialect_name(dialect)
    return {
        row["schema"]: Schema.from_ddl(";\n".join(row["ddl"]) + ";", dialect=dialect)
        for row in _rows(path)
        if row["dialect"] == plain
    }


def read_ddl(path: Path, dialect: str) -> dict[str, list[str] | None]:
    """Read the statements that make each schema of a dialect."""
    return {row["schema"]: list(row["ddl"]) for row in _rows(path) if row["dialect"] == dialect}


def _rows(path: Path) -> Iterator[dict[str, str]]:
    opened = gzip.open if Path(path).suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
