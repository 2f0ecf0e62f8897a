"""Applies the suggestions of a report to its statement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_LOWER_PLAIN: Final = re.compile(r"[a-z_][a-z0-9_$]*")
_QUOTES: Final = {
    "mysql": ("`", "`"),
    "bigquery": ("`", "`"),
    "spark": ("`", "`"),
    "databricks": ("`", "`"),
    "hive": ("`", "`"),
    "tsql": ("[", "]"),
}
_FOLDING: Final = frozenset({"postgres", "redshift"})


def apply_suggestions(sql: str, findings: Iterable[Finding], *, dialect: str) -> str | None:
    """Return the statement with every wrong name replaced; None if an error has no suggestion."""
    edits: dict[tuple[int, int], str] = {}
    for finding in findings:
        if finding.severity != "error":
            continue
        if finding.suggestion is None or finding.start is None or finding.end is None:
            return None
        edits[finding.start, finding.end] = quote_if_needed(finding.suggestion, dialect=dialect)
    for (start, end), text in sorted(edits.items(), reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql if edits else None


def quote_if_needed(name: str, *, dialect: str) -> str:
    """Return a name as the dialect spells it: quoted unless it is a plain identifier."""
    plain = _LOWER_PLAIN if dialect in _FOLDING else _PLAIN
    if plain.fullmatch(name):
        return name
    opening, closing = _QUOTES.get(dialect, ('"', '"'))
    return f"{opening}{name.replace(closing, closing * 2)}{closing}"
