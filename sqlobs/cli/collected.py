"""The units of a running collector, page by page, and those of them that are cases."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlencode

from sqlobs.cli.admin import ADMIN_VARIABLE, ask, default_admin
from sqlobs.cli.secret import secret
from sqlobs.errors import InputError
from sqlobs.evaluation.loading.omissions import Omission

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs.evaluation.loading.cases import CaseSet, LoadSettings
    from sqlobs.evaluation.loading.records import Record

MOST: Final = 100_000
"""Upper limit: cases and units are kept in memory, some kilobytes each."""


def add_collected(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a collector and filter its units."""
    group = parser.add_argument_group("requests from a collector")
    group.add_argument(
        "--admin", metavar="URL", nargs="?", const=default_admin(),
        help=f"admin address of the collector; without URL: ${ADMIN_VARIABLE}, else the collector"
             " on this machine",
    )  # fmt: skip
    group.add_argument(
        "--admin-token", metavar="env:NAME",
        help="environment variable that holds the admin token; default:"
             " SQLOBS_COLLECTOR_ADMIN_TOKEN, else the token file of your own collector on this"
             " machine",
    )  # fmt: skip
    group.add_argument(
        "--since",
        metavar="TIME",
        type=_moment,
        help="requests at or after this time (ISO 8601, UTC)",
    )
    group.add_argument(
        "--until", metavar="TIME", type=_moment, help="requests before this time (ISO 8601, UTC)"
    )
    group.add_argument("--target", metavar="ALIAS", help="only units of this execution target")


def collected_cases(
    args: argparse.Namespace, settings: LoadSettings, *, may_be_empty: bool = False
) -> CaseSet:
    """Return a collector's units with their references as cases.

    Args:
        args: The options of `add_collected`.
        settings: How cases are read.
        may_be_empty: Do not raise if no unit is a case.

    Raises:
        InputError: Nothing answers, something other than a collector does, or no unit is a case.
        ConfigError: The token is missing or unknown.
    """
    from sqlobs.evaluation.loading.cases import cases_of_records

    counted = _Counted(args)
    most = min(settings.most or MOST, MOST)
    records = counted.records() if settings.with_references else counted.answers()
    found = cases_of_records(records, replace(settings, most=most))
    found = replace(found, left_out=counted.left_out + Counter(found.left_out))
    if not found.cases and not may_be_empty:
        raise InputError(_nothing(counted, args.admin))
    if len(found.cases) == MOST:
        print(
            f"only the first {MOST:,} cases are evaluated; narrow them with --since and --until",
            file=sys.stderr,
        )
    return found


def pages(args: argparse.Namespace, kind: Literal["cases", "units"]) -> Iterator[Page]:
    """Yield a collector's units page by page; each page is requested lazily.

    Raises:
        InputError: Nothing answers, or something other than a collector.
        ConfigError: The token is missing or unknown.
    """
    given = args.admin_token
    token = None if given is None else secret(given, option="--admin-token")
    after: int | None = 0
    while after is not None:
        document = ask(args.admin, f"/v1/{kind}?{_wanted(args, after)}", token=token)
        page = Page.of(document, kind)
        if page is None or (page.last is not None and page.last <= after):
            raise InputError(f"{args.admin} did not return {kind}. Is it a collector's admin port?")
        yield page
        after = page.last


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a collector's response."""

    found: list[dict[str, object]]
    units: int
    """Number of units that the collector read for this page."""
    last: int | None
    """ID of the last unit; None = this is the last page."""

    @classmethod
    def of(cls, document: Mapping[str, object], kind: str) -> Page | None:
        """Parse a response; None if it is not a page."""
        found, last = document.get(kind), document.get("next")
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            return None
        units = len(found) if kind == "units" else document.get("units")
        if not isinstance(units, int) or not isinstance(last, int | None):
            return None
        return cls(found, units, last)


@dataclass(slots=True)
class _Counted:
    """Reads the cases of a collector and counts units and cases."""

    args: argparse.Namespace
    units: int = 0
    cases: int = 0
    left_out: Counter[Omission] = field(default_factory=Counter)
    """Units that are no cases, by why."""

    def records(self) -> Iterator[Record]:
        """Yield all cases."""
        from sqlobs.evaluation.loading.collected import answered_case

        for page in pages(self.args, "cases"):
            self.units += page.units
            self.left_out[Omission("no_pair")] += page.units - len(page.found)
            for case in page.found:
                self.cases += 1
                yield answered_case(f"{self.args.admin}, {case.get('id')}", case)

    def answers(self) -> Iterator[Record]:
        """Yield all units with raw SQL, whether a reference is known or not."""
        from sqlobs.evaluation.loading.collected import units_as_cases
        from sqlobs.evaluation.loading.records import Record

        for page in pages(self.args, "units"):
            self.units += page.units
            units = (Record(self.args.admin, unit) for unit in page.found)
            for case in units_as_cases(units, self.left_out):
                self.cases += 1
                yield case


def _wanted(args: argparse.Namespace, after: int) -> str:
    wanted = {
        "after": after,
        "since_ns": args.since,
        "until_ns": args.until,
        "target": args.target,
    }
    return urlencode({name: value for name, value in wanted.items() if value is not None})


def _nothing(counted: _Counted, admin: str) -> str:
    if not counted.units:
        return f"the collector at {admin} has no matching unit, or no matching unit with its SQL"
    if not counted.cases:
        return (
            f"none of the {counted.units} units of the collector at {admin} has both raw SQL and a"
            " reference; send references with `reference=` or list them in a golden file"
        )
    return f"none of the {counted.cases} cases of the collector at {admin} has the DSN's dialect"


def _moment(text: str) -> int:
    """Parse an ISO 8601 time into nanoseconds since 1970; without an offset it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = int(aware.timestamp())
    except (ValueError, OverflowError):
        seconds = -1
    if seconds < 0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time; write it as 2026-01-31 or 2026-01-31T12:00"
        )
    return seconds * 10**9
