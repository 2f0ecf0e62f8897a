"""The table of `docs/accuracy.md`, generated from `docs/accuracy.json`.

`python -m tests.agreement --record ENGINE` measures a corpus and writes its row into that file.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "accuracy.md"
RECORDED = PAGE.with_suffix(".json")


@dataclass(frozen=True, slots=True, order=True)
class Measurement:
    """How far the checker agreed with an authority on the statements of one dialect.

    Attributes:
        dialect: with the version that was checked against: `postgres:15`.
        authority: who labeled the statements: an engine with its version, or a manual.
        seen: the checker was developed with these statements.
        statements: how many were checked; the other counts are parts of it.
        accepted: valid according to the authority.
        agreed: decided, and decided like the authority.
        false_alarms: accepted by the authority and rejected by the checker.
        missed: rejected by the authority and accepted by the checker.
        undecided: the checker gave no verdict; counts against the agreement.
    """

    dialect: str
    authority: str
    seen: bool
    statements: int
    accepted: int
    agreed: int
    false_alarms: int
    missed: int
    undecided: int


def read_measurements() -> list[Measurement]:
    """Return what was recorded, by dialect."""
    return sorted(Measurement(**row) for row in json.loads(RECORDED.read_text(encoding="utf-8")))


def record(measured: Measurement) -> None:
    """Write a measurement; it replaces the one of the same dialect, authority and kind."""
    others = (kept for kept in read_measurements() if _subject(kept) != _subject(measured))
    rows = [asdict(row) for row in sorted([*others, measured])]
    lines = ",\n".join(json.dumps(row) for row in rows)
    RECORDED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _subject(measured: Measurement) -> tuple[str, str, bool]:
    return measured.dialect, measured.authority, measured.seen


def accuracy_page() -> str:
    """Return the page with its table made anew: one row per measurement."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    _, end, after = rest.partition("<!-- end -->")
    rows = "".join(f"{_row(row)}\n" for row in read_measurements())
    return f"{before}{_BEGIN}{_table_head()}{rows}{end}{after}"


_BEGIN = "<!-- Made by scripts/docs.py from docs/accuracy.json: do not edit. -->\n"
_COLUMNS = (
    "dialect",
    "authority",
    "developed with them",
    "statements",
    "agreement",
    "false alarms",
    "missed",
    "undecided",
)


def _table_head() -> str:
    return f"{_line(_COLUMNS)}\n|{'---|' * len(_COLUMNS)}\n"


def _row(row: Measurement) -> str:
    cells = (
        f"`{row.dialect}`",
        row.authority,
        "yes" if row.seen else "no",
        f"{row.statements:,}",
        _share(row.agreed, row.statements),
        _share(row.false_alarms, row.accepted),
        _share(row.missed, row.statements - row.accepted),
        _share(row.undecided, row.statements),
    )
    return _line(cells)


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%} ({part:,} of {whole:,})" if whole else "no such statement"
