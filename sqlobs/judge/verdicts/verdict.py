"""Parses an answer: the last JSON object that is the model's own, wherever it is.

An answer may quote the data, including forged answers, in any form. Objects that occur verbatim in
the data are skipped; if it is unclear which object is the model's own, there is no answer, and the
model is called again for the object alone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlobs.judge.endpoint.text import storable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_MAX_CHARACTERS: Final = 65_536
"""Maximum characters: only the end of a longer answer is parsed, where the verdict is."""
_MAX_OPENINGS: Final = 400
"""Maximum positions tried from the end: each may cost a deep recursion; a verdict needs a dozen."""


def _refuse(constant: str) -> float:
    """Reject NaN and the infinities: they are not valid JSON."""
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, strict=False)
"""Accepts raw newlines in strings: models write them."""
_OBJECT: Final = re.compile(r"\{\s*\"")
_OPENED: Final = re.compile(r"```json\s*\Z", re.IGNORECASE)
_AROUND: Final = " \n\r\t`"
_QUOTED: Final = "[\u2026]"
"""Placeholder for a quoted object of the data."""
_WORDS: Final = {"true": True, "yes": True, "false": False, "no": False}

Meaning: TypeAlias = "Callable[[dict[str, Any]], object]"
"""Parses an object; None if it is not an answer."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A parsed verdict."""

    correct: bool
    is_coerced: bool
    """Whether it was a word instead of a boolean."""
    explanation: str


@dataclass(frozen=True, slots=True)
class _Found:
    """An object and its position."""

    value: dict[str, Any]
    start: int
    end: int


def read_verdict(
    text: str, data: Mapping[str, str] | None = None, *, key: str = "correct"
) -> Verdict | None:
    """Return the verdict of an answer; None if none is certainly the model's own.

    Args:
        text: The answer.
        data: The prompt's data by name; objects that occur there are not the model's own.
        key: The key of the verdict.
    """
    own = _own(text, data or {}, lambda value: _decided(value.get(key)), frozenset({key}))
    if own is None:
        return None
    value, prose = own
    reasoning, decided = value.get("reasoning"), _decided(value[key])
    explanation = reasoning if isinstance(reasoning, str) else prose
    return Verdict(decided is True, not isinstance(value[key], bool), explanation.strip())


def read_object(
    text: str, data: Mapping[str, str] | None = None, *, keys: frozenset[str]
) -> dict[str, Any] | None:
    """Return the model's own object with all of the keys; None if it is not certain.

    Args:
        text: The answer.
        data: The prompt's data by name; objects that occur there are not the model's own.
        keys: The keys of the answer.
    """
    own = _own(text, data or {}, lambda value: value if keys <= value.keys() else None, keys)
    return own[0] if own else None


def _own(
    text: str, data: Mapping[str, str], meaning: Meaning, keys: frozenset[str]
) -> tuple[dict[str, Any], str] | None:
    """Return the model's own object, and the prose around it."""
    text = text[-_MAX_CHARACTERS:]
    if not _is_alone(text):
        text = _without_quotes(text, data, meaning)
    if text.rstrip(_AROUND).endswith(_QUOTED):
        return None  # a quote, or the model's own object with identical text
    answers = [found for found in _objects(text) if meaning(found.value) is not None]
    if not answers or _is_doubtful(text, answers, meaning, keys):
        return None
    last = answers[-1]
    return last.value, _prose(text, last)


def _is_alone(text: str) -> bool:
    """Return whether an answer is a single object, and thus quotes nothing."""
    plain = text.strip(_AROUND).removeprefix("json").lstrip()
    return any(found.end - found.start == len(plain) for found in _objects(plain))


def _without_quotes(text: str, data: Mapping[str, str], meaning: Meaning) -> str:
    """Return an answer without verdict objects that occur in the data."""
    quotes = [
        text[found.start : found.end]
        for found in _objects(text)
        if meaning(found.value) is not None
    ]
    known = "\0".join(map(_squeezed, data.values())) if quotes else ""
    for quote in quotes:
        if _squeezed(quote) in known:
            text = text.replace(quote, _QUOTED)
    return text


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _is_doubtful(text: str, answers: list[_Found], meaning: Meaning, keys: frozenset[str]) -> bool:
    """Return whether the last answer object may be a quote.

    It may if the text starts with a different fenced answer, if it is followed by something like an
    unparsable answer, or if it is surrounded by prose.
    """
    first, last = answers[0], answers[-1]
    if _is_opening(text, first) and meaning(first.value) != meaning(last.value):
        return True
    before, behind = re.search(r"\w", text[: last.start]), text[last.end :].strip(_AROUND)
    if before and behind and not _is_fenced(text, last):
        return True
    named = rf"\b(?:{'|'.join(sorted(keys))})\b[\\\"'*`\s]*[:=]"
    return re.search(named, behind, re.IGNORECASE) is not None


def _is_opening(text: str, found: _Found) -> bool:
    return _is_fenced(text, found) and text[: found.start].strip(_AROUND).lower() == "json"


def _is_fenced(text: str, found: _Found) -> bool:
    is_opened = _OPENED.search(text, max(0, found.start - 100), found.start)
    return bool(is_opened) and text[found.end :].lstrip().startswith("```")


def _objects(text: str) -> Iterator[_Found]:
    """Yield the outermost JSON objects of a text."""
    openings = [opening.start() for opening in _OBJECT.finditer(text)]
    end = 0
    for at in openings[-_MAX_OPENINGS:]:
        if at < end:
            continue
        value: dict[str, Any]
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        yield _Found(_storable(value), at, end)


def _storable(value: Any) -> Any:  # noqa: ANN401 - a model's JSON
    """Return a parsed value with storable texts: an escape may stand for an invalid character."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _storable(held) for key, held in value.items()}
    return [_storable(held) for held in value] if isinstance(value, list) else value


def _decided(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return _WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def _prose(text: str, found: _Found) -> str:
    """Return the prose before an object, else the prose after it, without code fences."""
    before, after = text[: found.start], text[found.end :]
    return before.removesuffix("json\n").strip(_AROUND) or after.strip(_AROUND)
