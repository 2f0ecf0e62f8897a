"""Formats figures and untrusted text, safe for a terminal, a page and a workbook."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlobs.scores.score import PERCENT

if TYPE_CHECKING:
    from sqlobs.metrics.intervals import Interval
    from sqlobs.reporting.figures import Figure

_DECEIVING: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""Control characters, invisible marks, marks that change the reading direction, lone surrogates."""
_PICTURES: Final = 0x2400
_DELETE: Final = 0x7F
_FIRST_PRINTABLE: Final = 0x20
_LABEL: Final = 120


def visible(text: str) -> str:
    """Return text with control and direction characters replaced by visible escapes."""
    if text.isprintable():  # most texts; none of the characters below is printable
        return text
    return _DECEIVING.sub(_picture, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return text on one line, without hidden characters."""
    return visible(" ".join(text.split()))


def label(text: str) -> str:
    """Return text as a label: on one line, without hidden characters, shortened."""
    return shortened(one_line(text), _LABEL)


def shortened(text: str, width: int) -> str:
    """Return text of at most `width` characters, with an ellipsis if truncated."""
    return text if len(text) <= width else text[: width - 1] + "…"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: `1 case`, `1,204 cases`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def shown_cell(cell: object) -> str:
    """Return the text of a result's cell; None is `NULL`."""
    if cell is None:
        return "NULL"
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return visible(str(cell))


def shown_value(figure: Figure) -> str:
    """Return a figure's value: rates in percent with one decimal, scores with three."""
    return _number(figure.value, figure)


def bare_value(figure: Figure) -> str:
    """Return a figure's value as `shown_value` does, without the sign."""
    return shown_value(figure).removesuffix(" %")


def shown_interval(figure: Figure) -> str:
    """Return a figure's interval; "" if it has none."""
    interval = figure.interval
    if interval is None:
        return ""
    return f"{_bare(interval.low, figure)}–{_bare(interval.high, figure)}"  # noqa: RUF001 - a range


def shown_share(share: float) -> str:
    """Return a share in percent with one decimal, without the sign."""
    return f"{100 * share:.1f}"


def percent_points(value: float) -> str:
    """Return a difference of rates in percentage points, with its sign."""
    return signed(100 * value, 1)


def signed(value: float, decimals: int) -> str:
    """Return a difference with its sign."""
    return f"{value:+,.{decimals}f}".replace("-", "−")  # noqa: RUF001 - the sign, not a hyphen


def points_interval(interval: Interval) -> str:
    """Return an interval of differences in percentage points."""
    return f"{percent_points(interval.low)} to {percent_points(interval.high)}"


def _number(value: float | None, figure: Figure) -> str:
    if value is None:
        return "n/a"
    return f"{_bare(value, figure)}{' %' if figure.is_percent else ''}"


def _bare(value: float, figure: Figure) -> str:
    if figure.kind == "rate":
        return f"{100 * value:.1f}"
    return f"{value:.1f}" if figure.best >= PERCENT else f"{value:.3f}"


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < _FIRST_PRINTABLE:
        return chr(_PICTURES + code)
    return "␡" if code == _DELETE else f"⟨U+{code:04X}⟩"
