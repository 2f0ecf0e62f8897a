"""Prints how far the checker agrees with an engine on a corpus.

`python -m tests.agreement --corpus FILE --schemas FILE --dialect postgres:15`
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from scripts.accuracy_page import record
from tests.agreement.comparison import Agreement, compare, figures, measurement, shares
from tests.agreement.corpus import HALVES, read_corpus, read_schemas


def main() -> int:
    """Compare and print; exit 1 when there are disagreements."""
    arguments = _arguments()
    corpus = read_corpus(arguments.corpus, arguments.half)[:: arguments.every]
    schemas = read_schemas(arguments.schemas, arguments.dialect)
    agreement = compare(corpus, schemas, arguments.dialect, native=arguments.native)
    for name, figure in figures(agreement).items():
        print(f"{name:36} {figure}")
    _show_corpora(agreement)
    if arguments.record:
        record(
            measurement(agreement, arguments.dialect, arguments.record, seen=not arguments.unseen)
        )
    _show(agreement, arguments.show)
    return int(bool(agreement.false_alarms or agreement.missed))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.agreement", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--schemas", type=Path, required=True)
    parser.add_argument("--dialect", required=True, help="with its version: mariadb:10.11")
    parser.add_argument("--native", action="store_true", help="ask local engines too")
    parser.add_argument("--every", type=int, default=1, help="take every n-th statement")
    parser.add_argument("--half", choices=HALVES, help="take only this half of the statements")
    parser.add_argument("--show", type=int, default=0, help="print so many of each disagreement")
    parser.add_argument("--record", metavar="ENGINE", help="write the row of docs/accuracy.json")
    parser.add_argument(
        "--unseen", action="store_true", help="the checker was not developed with these statements"
    )
    return parser.parse_args()


def _show_corpora(agreement: Agreement) -> None:
    for corpus, counts in sorted(agreement.by_corpus.items()):
        found = (f"{name} {figure.partition(' (')[0]}" for name, figure in shares(counts).items())
        print(f"  {corpus:34} {counts['statements']:6}  {', '.join(found)}")


def _show(agreement: Agreement, most: int) -> None:
    for kind in ("false_alarms", "missed", "undecided", "other_label", "unnamed"):
        found = getattr(agreement, kind)
        verdicts = Counter(labeled.verdict for labeled, _ in found)
        print(f"\n{kind}: {len(found)} {dict(verdicts)}")
        for labeled, report in found[:most]:
            said = [(finding.code, finding.identifier) for finding in report.errors]
            print(f"  [{labeled.id}] {labeled.verdict}: {labeled.message}\n    {labeled.sql}")
            print(f"    {said} {dict(report.reasons)}")


sys.exit(main())
