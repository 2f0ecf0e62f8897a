"""The unit: what the collector evaluates of one request, as a log record's attributes and body.

Texts travel in the body, because SDK limits on attribute length tear attributes and leave bodies
whole. Both directions live here, so that library and collector cannot drift apart.

Tests: `tests/telemetry/test_unit.py`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlobs import semconv
from sqlobs.errors import InputError

AttributeValue = str | bool | int | float | Sequence[str]
Attributes = Mapping[str, AttributeValue]

TEXT_CAP: Final = 64 * 1024
"""Bytes of UTF-8 that one text of the body may have."""

_TRACEPARENT: Final = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_FINAL_PUNCTUATION: Final = ".?!,;:\u3002\u061f\u0964 "
"""What may end a question; NFKC has already turned full-width forms into these."""


@dataclass(frozen=True, slots=True)
class SpanIdentity:
    """Which span something belongs to, whether that was recorded or not."""

    trace_id: int
    span_id: int
    sampled: bool = False

    @property
    def traceparent(self) -> str:
        """The W3C form, which is the public id of a generation."""
        return f"{self.key}-{int(self.sampled):02x}"

    @property
    def key(self) -> str:
        """The W3C form without flags: what records are deduplicated by."""
        return f"00-{self.trace_id:032x}-{self.span_id:016x}"

    @classmethod
    def from_traceparent(cls, text: str) -> SpanIdentity:
        """Read the W3C form.

        Raises:
            InputError: The text is not one, or an id in it is zero.
        """
        match = _TRACEPARENT.fullmatch(text)
        if match is None or not int(match[1], 16) or not int(match[2], 16):
            raise InputError(
                f"{text[:80]!r} is not a generation ID, which has the form 00-<32 hex>-<16"
                f" hex>-<2 hex>, as in "
                "`context(...).generation.id`"
            )
        return cls(int(match[1], 16), int(match[2], 16), bool(int(match[3], 16) & 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One request as the collector gets it."""

    attributes: Attributes
    """Those of the generation's span, without its texts; ids, verdict, labels, executions."""
    query_text: str | None = None
    """The generated SQL; raw, masked or redacted, as `sqlobs.query.capture` says."""
    question_text: str | None = None
    reference_query_text: str | None = None
    hint_text: str | None = None
    attempts_text: str | None = None
    """The statements that were tried and their findings, as JSON."""

    @property
    def span(self) -> SpanIdentity:
        """The generation's span, from `sqlobs.generation.id`.

        Raises:
            InputError: The attribute is missing or malformed.
        """
        return SpanIdentity.from_traceparent(str(self.attributes.get(semconv.SQLOBS_GENERATION_ID)))

    @property
    def body(self) -> dict[str, str]:
        """The texts by name, those that are known."""
        texts = {name: getattr(self, slot) for name, slot in _BODY.items()}
        return {name: text for name, text in texts.items() if text is not None}

    @classmethod
    def from_record(cls, attributes: Attributes, body: object) -> Unit:
        """Read a log record named `sqlobs.unit`.

        Args:
            attributes: The record's attributes as Python values.
            body: Its body: a mapping of the texts, or None.

        Raises:
            InputError: The body is no map of texts, or the generation's id is missing.
        """
        texts = {} if body is None else body
        if not isinstance(texts, Mapping):
            raise InputError("the body of a sqlobs.unit record must be a map of strings")
        for name in _BODY:
            if not isinstance(texts.get(name), str | None):
                raise InputError(f"{name} in the body of a sqlobs.unit record must be a string")
        unit = cls(attributes=attributes, **{slot: texts.get(name) for name, slot in _BODY.items()})
        _ = unit.span  # refuses a record that belongs to no generation
        return unit


_BODY: Final = {
    semconv.SQLOBS_QUERY_TEXT: "query_text",
    semconv.SQLOBS_QUESTION_TEXT: "question_text",
    semconv.SQLOBS_REFERENCE_QUERY_TEXT: "reference_query_text",
    semconv.SQLOBS_HINT_TEXT: "hint_text",
    semconv.SQLOBS_ATTEMPT_TEXTS: "attempts_text",
}
"""The texts of the body, by name, and the field each is in."""


def normalize_question(question: str) -> str:
    """Return the question in NFKC, casefolded, whitespace collapsed, final punctuation dropped.

    Example:
        >>> normalize_question("  Which   Region sold MOST ?!")
        'which region sold most'
    """
    folded = unicodedata.normalize("NFKC", question).casefold()
    return " ".join(folded.split()).rstrip(_FINAL_PUNCTUATION)


def question_digest(question: str, *, key: bytes) -> str:
    """Return the HMAC-SHA256 of the normalized question under a key, 64 hex digits."""
    text = normalize_question(question).encode("utf-8", errors="replace")
    return hmac.new(key, text, hashlib.sha256).hexdigest()
