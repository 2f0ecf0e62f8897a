"""Labels the statements of a corpus by an engine: by another version than the corpus was made with.

`python -m tests.agreement.labels --corpus FILE --schemas FILE --dialect postgres --url URL --output
FILE` writes a corpus that `python -m tests.agreement` reads. SQLite and DuckDB need no URL.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.dialects.registry import dialect_name
from tests.agreement.corpus import LabeledItems, read_corpus, read_ddl
from tests.agreement.engines import engine_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.agreement.engines import Engine

_KINDS = (
    (r"42P01|no such table|Table with name", "table"),
    (r"42703|no such column|Referenced column", "column"),
    (r"42883|no such function|Function with name", "function"),
    (r"42702|mbiguous", "ambiguous"),
    (r"42601|syntax error", "syntax"),
)
"""What an engine's error is about, by SQLSTATE or wording."""


def main() -> int:
    """Label, write and print how many statements changed their verdict."""
    parser = argparse.ArgumentParser(prog="python -m tests.agreement.labels", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--schemas", type=Path, required=True)
    parser.add_argument("--dialect", required=True)
    parser.add_argument("--url", help="address of the server, for PostgreSQL and MariaDB")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    dialect = dialect_name(arguments.dialect)
    corpus = read_corpus(arguments.corpus)
    engine = engine_of(dialect, arguments.url)
    changed: Counter[str] = Counter()
    with arguments.output.open("w", encoding="utf-8") as file:
        for before, row in labeled(corpus, read_ddl(arguments.schemas, dialect), engine):
            changed[f"{before.accepted} -> {row['verdict'] == 'ok'}"] += 1
            file.write(json.dumps(row) + "\n")
    engine.close()
    print(dict(changed))
    return 0


def labeled(
    corpus: Sequence[LabeledItems], ddl: dict[str, Sequence[str]], engine: Engine
) -> Iterator[tuple[LabeledItems, dict[str, str]]]:
    """Yield each statement of a corpus with its new row, schema by schema."""
    current = None
    for item in sorted(corpus, key=lambda one: one.schema):
        if item.schema != current:
            engine.prepare(item.schema, ddl[item.schema])
            current = item.schema
        refusal = engine.refusal(item.schema, item.sql)
        row = {name: getattr(item, name) for name in LabeledItems.__slots__}
        yield item, {**row, "verdict": _verdict(refusal), "message": refusal or ""}


def _verdict(refusal: str | None) -> str:
    if refusal is None:
        return "ok"
    return next((kind for pattern, kind in _KINDS if re.search(pattern, refusal)), "other")


if __name__ == "__main__":
    sys.exit(main())
