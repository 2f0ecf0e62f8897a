"""Cases from a running collector: units of production that have a reference, page by page."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from sqlobs.cli.admin import ADMIN_VARIABLE, ask, default_admin
from sqlobs.cli.asking import secret
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs.evaluation.loading.cases import CaseSet, LoadSettings
    from sqlobs.evaluation.loading.records import Record

_MOST: Final = 100_000
"""Cases are held in memory, some kilobytes each."""


def add_collected(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a collector and choose among its units."""
    group = parser.add_argument_group("a collector's units instead")
    group.add_argument(
        "--admin", metavar="URL", nargs="?", const=default_admin(),
        help=f"its admin address; without URL: ${ADMIN_VARIABLE}, else on this machine",
    )  # fmt: skip
    group.add_argument(
        "--admin-token", metavar="env:NAME",
        help="the variable with its token; default: the headers of SQLOBS_COLLECTOR_HEADERS",
    )  # fmt: skip
    group.add_argument(
        "--since", metavar="TIME", type=_moment, help="requests from this time on (ISO, UTC)"
    )
    group.add_argument("--until", metavar="TIME", type=_moment, help="requests before this time")
    group.add_argument("--target", metavar="ALIAS", help="only units of this target")


def collected_cases(args: argparse.Namespace, settings: LoadSettings) -> CaseSet:
    """Return a collector's units with their references as cases.

    Raises:
        InputError: Nobody answers, not as a collector does, or no unit is a case.
        ConfigError: The token is missing or unknown.
    """
    from sqlobs.evaluation.loading.cases import cases_of_records

    pages = _Pages(args)
    most = min(settings.most or _MOST, _MOST)
    found = cases_of_records(pages.records(), replace(settings, most=most))
    if not found.cases:
        raise InputError(_nothing(pages, args.admin))
    if len(found.cases) == _MOST:
        print(f"only the first {_MOST:,} cases are taken: see --since and --until", file=sys.stderr)
    return found


@dataclass(frozen=True, slots=True)
class _Page:
    """What a collector answers about cases."""

    cases: list[dict[str, object]]
    units: int
    last: int | None

    @classmethod
    def of(cls, document: Mapping[str, object]) -> _Page | None:
        """Read an answer; None where it is none."""
        cases, units, last = (document.get(name) for name in ("cases", "units", "next"))
        if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
            return None
        if not isinstance(units, int) or not isinstance(last, int | None):
            return None
        return cls(cases, units, last)


@dataclass(slots=True)
class _Pages:
    """Walks through a collector's cases and counts what it saw."""

    args: argparse.Namespace
    units: int = 0
    cases: int = 0

    def records(self) -> Iterator[Record]:
        """Yield all cases; a page is asked for when the one before is used up."""
        from sqlobs.evaluation.loading.collected import answered_case

        after: int | None = 0
        while after is not None:
            page = self._page(after)
            self.units += page.units
            for case in page.cases:
                self.cases += 1
                yield answered_case(f"{self.args.admin}, {case.get('id')}", case)
            after = page.last

    def _page(self, after: int) -> _Page:
        given = self.args.admin_token
        token = None if given is None else secret(given, option="--admin-token")
        document = ask(self.args.admin, f"/v1/cases?{self._wanted(after)}", token=token)
        page = _Page.of(document)
        if page is None or (page.last is not None and page.last <= after):
            raise InputError(f"{self.args.admin} gives no cases: is it a collector's admin port?")
        return page

    def _wanted(self, after: int) -> str:
        wanted = {
            "after": after,
            "since_ns": self.args.since,
            "until_ns": self.args.until,
            "target": self.args.target,
        }
        return urlencode({name: value for name, value in wanted.items() if value is not None})


def _nothing(pages: _Pages, admin: str) -> str:
    if not pages.units:
        return f"the collector at {admin} has no unit that is asked for, or none that keeps its SQL"
    if not pages.cases:
        return (
            f"none of the {pages.units} units of the collector at {admin} has its raw SQL and a"
            " reference: an application sends one (`reference=`), a user corrects, or a golden"
            " file knows it"
        )
    return f"none of the {pages.cases} cases of the collector at {admin} is of the DSN's dialect"


def _moment(text: str) -> int:
    """Read a time as nanoseconds since 1970."""
    try:
        moment = datetime.fromisoformat(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = int(aware.timestamp())
    except (ValueError, OverflowError):
        seconds = -1
    if seconds < 0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time: write it as 2026-01-31 or 2026-01-31T12:00"
        )
    return seconds * 10**9
