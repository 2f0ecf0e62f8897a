"""SQL corrected by users, with the collector's findings, for a person to accept or reject."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.cli.collected import pages
from sqlobs.cli.inputs import read_json_lines
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sqlobs.reporting.production.unit import Unit, UnitFeedback

_REJECTED: Final = "rejected"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A corrected statement with the findings needed for a decision."""

    question: str
    sql: str
    target: str | None
    facts: str
    """One line: who proposed it, when, and the results of check, execution and comparisons."""


def proposals(args: argparse.Namespace) -> Iterator[Proposal]:
    """Yield the corrections of a collector's units, or of its export, that were not rejected.

    Raises:
        InputError: Nothing answers, or something other than a collector.
        ConfigError: The token is missing or unknown.
    """
    from sqlobs.reporting.production.unit import Unit

    for place, document in _documents(args):
        try:
            unit = Unit.of(document)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
        question = unit.text(semconv.SQLOBS_QUESTION_TEXT)
        for said in unit.feedback if question else ():
            if question and said.corrected_sql and said.value != _REJECTED:
                yield Proposal(question, said.corrected_sql, unit.target, _facts(unit, said))


def _documents(args: argparse.Namespace) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield units, each with its place in the source for messages."""
    if args.input is None:
        for page in pages(args, "units"):
            yield from ((args.admin, unit) for unit in page.found)
    else:
        yield from _exported(args.input)


def _exported(path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the units of an export; other case files have no feedback."""
    try:
        lines = list(read_json_lines(str(path)))
    except InputError:
        return
    for number, fields in lines:
        if "feedback" in fields and "evaluations" in fields:
            yield f"{path}, line {number}", fields


def _facts(unit: Unit, said: UnitFeedback) -> str:
    moment = datetime.fromtimestamp(said.occurred_ns // 10**9, UTC)
    return f"proposed by a user, {moment:%Y-%m-%d %H:%M} UTC, {unit.standing(said)}"
