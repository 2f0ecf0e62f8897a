"""Prints how many single faults the checker finds in statements that an engine accepts.

`python -m tests.agreement.mutants --corpus FILE --schemas FILE --dialect postgres:15 --engine URL`
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from sqlobs.check.assessment import Request, assess
from sqlobs.check.engine.profile import Profile
from sqlobs.dialects.registry import dialect_name
from tests.agreement.corpus import HALVES, read_corpus, read_ddl, read_schemas
from tests.agreement.engines import engine_of
from tests.agreement.mutation import Mutator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.report.model import Finding
    from tests.agreement.mutation import Mutant


def main() -> int:
    """Mutate, ask the engine, compare, print."""
    arguments = _arguments()
    dialect = dialect_name(arguments.dialect)
    schemas = read_schemas(arguments.schemas, arguments.dialect)
    ddl = read_ddl(arguments.schemas, dialect)
    engine = engine_of(dialect, arguments.engine)
    mutator = Mutator(dialect, Random(arguments.seed))
    rows = [row for row in read_corpus(arguments.corpus, arguments.half) if row.accepted]
    Random(arguments.seed).shuffle(rows)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shown = 0
    for row in rows[: arguments.count]:
        if row.schema not in ddl:
            continue
        if ddl[row.schema] is not None:
            engine.prepare(row.schema, ddl[row.schema] or [])
            ddl[row.schema] = None
        if engine.refusal(row.schema, row.sql) is not None:
            continue  # the corpus has it from an engine with other objects
        for mutant in mutator.mutants(row.sql, schemas[row.schema]):
            refusal = engine.refusal(row.schema, mutant.sql)
            request = Request(
                mutant.sql,
                schemas[row.schema],
                Profile.named(arguments.dialect),
                False,
                None,
                None,
                True,
            )
            report = assess(request)
            failed = False in (report.syntactic, report.schematic)
            outcome = _outcome(refusal, failed=failed)
            counts[mutant.kind][outcome] += 1
            counts["all"][outcome] += 1
            if refusal and failed and mutant.wrong:
                _count_name(counts[mutant.kind], mutant, report.errors)
                _count_name(counts["all"], mutant, report.errors)
            if outcome == "found" and mutant.wrong and mutant.wrong not in _names(report.errors):
                outcome = "unnamed"
            if outcome in {"missed", "false alarm", "unnamed"} and shown < arguments.show:
                shown += 1
                said = [(finding.code, finding.message) for finding in report.errors]
                print(f"{outcome} ({mutant.kind}): {refusal}\n  {mutant.sql}\n  {said}")
    _print(counts)
    return 0


def _outcome(refusal: str | None, *, failed: bool) -> str:
    if refusal:
        return "found" if failed else "missed"
    return "false alarm" if failed else "accepted"


def _names(errors: Sequence[Finding]) -> set[str]:
    return {error.identifier.lower() for error in errors if error.identifier}


def _count_name(counts: Counter[str], mutant: Mutant, errors: Sequence[Finding]) -> None:
    names = _names(errors)
    counts["nameable"] += 1
    counts["named"] += mutant.wrong in names
    counts["named only"] += names == {mutant.wrong}


def _print(counts: dict[str, Counter[str]]) -> None:
    for kind, found in counts.items():
        bad = found["found"] + found["missed"]
        good = found["accepted"] + found["false alarm"]
        named = max(found["nameable"], 1)
        print(
            f"{kind:24} {bad:6} faults, found {100 * found['found'] / max(bad, 1):7.3f} %,"
            f" named {100 * found['named'] / named:7.3f} %,"
            f" only it {100 * found['named only'] / named:7.3f} %;"
            f" {good:5} accepted, false alarms {found['false alarm']}"
        )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.agreement.mutants", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--schemas", type=Path, required=True)
    parser.add_argument("--dialect", required=True)
    parser.add_argument("--engine", help="address of a PostgreSQL or MariaDB server")
    parser.add_argument("--half", choices=HALVES, help="mutate only this half of the statements")
    parser.add_argument("--seed", type=int, default=23)
    parser.add_argument("--count", type=int, default=1000, help="statements to mutate")
    parser.add_argument("--show", type=int, default=0, help="print so many disagreements")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
