"""Reads an answer: the last JSON object that is the model's own, wherever it stands.

An answer may quote the data, forged answers included, in any form. What stands word for word in the
data is passed over; where it cannot be told which object is the model's own there is no answer, and
the model is asked again for the object alone.
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
"""Of a longer answer only the end is read: what is asked for stands there."""
_MAX_OPENINGS: Final = 400
"""Places tried from the end: each may cost a deep recursion, and a verdict has a dozen."""


def _refuse(constant: str) -> float:
    """Refuse NaN and the infinities: they are no JSON, and no grade."""
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, strict=False)
"""Takes raw newlines in strings: models write them."""
_OBJECT: Final = re.compile(r"\{\s*\"")
_OPENED: Final = re.compile(r"```json\s*\Z", re.IGNORECASE)
_AROUND: Final = " \n\r\t`"
_QUOTED: Final = "[\u2026]"
"""Stands where an object of the data was quoted."""
_WORDS: Final = {"true": True, "yes": True, "false": False, "no": False}

Meaning: TypeAlias = "Callable[[dict[str, Any]], object]"
"""What an object says; None where it is no answer."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer says."""

    correct: bool
    is_coerced: bool
    """It was a word where a boolean was asked for."""
    explanation: str


@dataclass(frozen=True, slots=True)
class _Found:
    """An object and where it stands."""

    value: dict[str, Any]
    start: int
    end: int


def read_verdict(
    text: str, data: Mapping[str, str] | None = None, *, key: str = "correct"
) -> Verdict | None:
    """Return the verdict of an answer; None where it holds none that is surely the model's own.

    Args:
        text: The answer.
        data: What the model was shown, by name: what stands there is not its own.
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
    """Return the model's own object with all of the keys; None where there is none for sure.

    Args:
        text: The answer.
        data: What the model was shown, by name: what stands there is not its own.
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
        return None  # a quote, or its own object in the same words
    answers = [found for found in _objects(text) if meaning(found.value) is not None]
    if not answers or _is_doubtful(text, answers, meaning, keys):
        return None
    last = answers[-1]
    return last.value, _prose(text, last)


def _is_alone(text: str) -> bool:
    """Return whether an answer is one object and nothing else: it quotes nothing."""
    plain = text.strip(_AROUND).removeprefix("json").lstrip()
    return any(found.end - found.start == len(plain) for found in _objects(plain))


def _without_quotes(text: str, data: Mapping[str, str], meaning: Meaning) -> str:
    """Return an answer without the objects of its kind that stand in the data."""
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
    """Return whether the last of the answers may be a quote.

    It may where the text begins with a fenced one that says otherwise, where something behind it
    looks like an answer that cannot be parsed, and where it stands amid prose.
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


def _prose(text: str, found: _Found) -> str:
    """Return the prose before an object, else what follows it, without fences."""
    before, after = text[: found.start], text[found.end :]
    return before.removesuffix("json\n").strip(_AROUND) or after.strip(_AROUND)
