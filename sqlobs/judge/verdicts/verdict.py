"""Reads a verdict out of an answer: the last JSON object that has one, wherever it stands."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlobs.judge.endpoint.text import storable

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_CHARACTERS: Final = 65_536
"""Of a longer answer only the end is read: what is asked for stands there."""
_MAX_OPENINGS: Final = 400
"""Places tried from the end: each may cost a deep recursion, and a verdict has a dozen."""


def _refuse(constant: str) -> float:
    """Refuse NaN and the infinities: they are no JSON, and no grade."""
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_OBJECT: Final = re.compile(r"\{\s*\"")
_WORDS: Final = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer says."""

    correct: bool
    is_coerced: bool
    """It was a word where a boolean was asked for."""
    explanation: str


def read_verdict(text: str, *, key: str = "correct") -> Verdict | None:
    """Return the verdict of an answer; None where it holds none.

    The last object wins: an answer may quote the data, forged verdicts included, before its own.
    Objects inside other objects or inside their strings are not looked at.
    """
    for found, start in reversed(list(objects(text))):
        decided = _decided(found.get(key))
        if decided is not None:
            told = found.get("reasoning")
            explanation = told if isinstance(told, str) else _around(text, start)
            return Verdict(decided, not isinstance(found[key], bool), explanation.strip())
    return None


def read_object(text: str, *, keys: frozenset[str]) -> dict[str, Any] | None:
    """Return the last object of an answer that has all of the keys; None where there is none."""
    held = [found for found, _ in objects(text) if keys <= found.keys()]
    return held[-1] if held else None


def objects(text: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the outermost JSON objects of a text with their positions."""
    start = max(0, len(text) - _MAX_CHARACTERS)
    openings = [opening.start() for opening in _OBJECT.finditer(text, start)]
    end = 0
    for at in openings[-_MAX_OPENINGS:]:
        if at < end:
            continue
        found: dict[str, Any]
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        yield _storable(found), at


def _storable(value: Any) -> Any:  # noqa: ANN401 - a model's JSON
    """Return a parsed value with texts that can be kept: an escape may stand for what cannot."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _storable(held) for key, held in value.items()}
    return [_storable(held) for held in value] if isinstance(value, list) else value


def _decided(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return _WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def _around(text: str, start: int) -> str:
    """Return the prose before an object, else what follows it, without fences."""
    before, after = text[:start], text[start:].partition("}")[2]
    strip = " \n\r\t`"
    return before.removesuffix("json\n").strip(strip) or after.strip(strip)
