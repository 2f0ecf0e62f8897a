"""Compares the checker with engines on generated statements over our own schema.

`python -m tests.agreement.generated --seed 1 --count 2000 postgres` starts the engine that is
installed here and prints where they differ, each statement cut down to what still differs.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from sqlglot.dialects.dialect import Dialect

from tests.agreement.generation import Generator
from tests.agreement.own import DIALECTS, clinic, is_refused, opened, report_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.schema.model import Schema
    from tests.agreement.engines import Engine


def differs(sql: str, schema: Schema, dialect: str, engine: Engine) -> str | None:
    """Return how checker and engine differ on a statement, without names; None: they agree."""
    refusal = engine.refusal("clinic", sql)
    if refusal is not None and "INTERNAL" in refusal:  # the engine's own fault is no verdict
        return None
    try:
        report = report_of(sql, schema, dialect)
    except Exception as error:  # noqa: BLE001 - an internal error of any kind
        return f"fault: {error!r}"
    if is_refused(report) == (refusal is not None):
        return None
    if refusal is None:
        return "false alarm: " + re.sub(r"\w*\d\w*|['\"(].*", "", report.errors[0].message)
    return "missed: " + re.sub(r"[\"'`(].*|\b\w+\.\w+\b|\d+:.*", "", refusal.split("\n")[0])[:70]


def shrunk(sql: str, dialect: str, still: Callable[[str], bool]) -> str:
    """Return the least of a statement's tokens, its brackets in pairs, for which something holds."""
    starts = [token.start for token in Dialect.get_or_raise(dialect).tokenize(sql)]
    parts = [sql[begin:end] for begin, end in pairwise([*starts, len(sql)])]
    size = len(parts) // 2
    while size:
        begin = 0
        while begin < len(parts):
            cut = "".join(parts[begin : begin + size])
            rest = parts[:begin] + parts[begin + size :]
            if cut.count("(") == cut.count(")") and still("".join(rest)):
                parts = rest
            else:
                begin += 1
        size //= 2
    return "".join(parts)


def main() -> int:
    """Generate, ask, compare, cut down, print; exit 1 where something differs."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.agreement.generated", description=__doc__
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000, help="statements of each dialect")
    parser.add_argument("--show", type=int, default=2, help="print so many of each difference")
    parser.add_argument("dialects", nargs="*", default=DIALECTS)
    arguments = parser.parse_args()
    differences = [_compare(dialect, arguments) for dialect in arguments.dialects]
    return int(any(differences))


def _compare(dialect: str, arguments: argparse.Namespace) -> int:
    schema = clinic(dialect)
    generator = Generator(schema, dialect, Random(arguments.seed))
    kinds: Counter[str] = Counter()
    accepted = 0
    with opened(dialect) as engine:
        for _ in range(arguments.count):
            sql = generator.statement()
            accepted += engine.refusal("clinic", sql) is None
            kind = differs(sql, schema, dialect, engine)
            if kind is None:
                continue
            kinds[kind] += 1
            if kinds[kind] <= arguments.show:
                least = shrunk(
                    sql,
                    dialect,
                    lambda text, kind=kind: differs(text, schema, dialect, engine) == kind,
                )
                said = [finding.message for finding in report_of(least, schema, dialect).errors]
                print(f"{kind}\n    {least}\n    {engine.refusal('clinic', least) or said}")
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
    print(f"{dialect}: {arguments.count} statements, {accepted} accepted, {kinds.total()} differ")
    return kinds.total()


if __name__ == "__main__":
    sys.exit(main())
