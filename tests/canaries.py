"""Canaries: values that must be found nowhere behind the process' border, and where to look."""

from __future__ import annotations

import re

STRING = "Kanarienvogel Zwölf"
NUMBER = "918273645"
DATE = "2031-07-29"
CANARIES = re.compile(r"Kanarienvogel|Zwölf|918273645|2031-07")

QUOTES = {
    "sqlite": ["'{}'", '"{}"'],
    "postgres": ["'{}'", "E'{}'", "$${}$$", "$q${}$q$", "U&'{}'", "N'{}'"],
    "mysql": ["'{}'", '"{}"', "N'{}'", "_utf8'{}'"],
    "duckdb": ["'{}'", "E'{}'", "$${}$$"],
}
"""The strings of each dialect, `{}` for their content."""

_LITERAL = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?\*/)|(?P<string>'(?:[^']|'')*')|\"[^\"]*\"|`[^`]*`"
    r"|(?P<number>(?<![\w.])\d+(?:\.\d+)?\b)",
    re.DOTALL,
)


def with_canaries(sql: str, quote: str) -> str:
    """Put a canary of its kind in place of each literal, names apart, and into each comment."""

    def replaced(match: re.Match[str]) -> str:
        if match["comment"]:
            return match["comment"][:2] + f" {STRING} {NUMBER} " + match["comment"][2:]
        if match["number"]:
            return NUMBER
        is_alias = match.string[: match.start()].rstrip().upper().endswith(" AS")
        if match["string"] is None or is_alias:
            return match[0]
        return quote.format(DATE if re.match(r"'\d{4}-", match[0]) else STRING)

    return _LITERAL.sub(replaced, sql) + f" -- {STRING}"


def everything_exported(rig: object) -> str:
    """Return names, attributes, events and status of all spans, and all metrics, as one text."""
    spans = "\n".join(span.to_json() for span in rig.spans)
    return spans.encode().decode("unicode_escape") + rig.reader.get_metrics_data().to_json()
