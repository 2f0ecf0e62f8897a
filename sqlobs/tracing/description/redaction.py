"""Applies the user's `redact` to every text before it leaves; the digest is computed before.

Tests: `tests/telemetry/test_masking.py` and `tests/docs/test_privacy.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from sqlobs.errors import InputError
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from sqlobs.config import Settings
    from sqlobs.tracing.records.record import Texts

TextKind = Literal[
    "sql", "question", "reference", "hint", "message", "reason", "prompt", "completion"
]
Redact = Callable[[str, str], "str | None"]
"""`redact(kind, text)` returns the text to record; None withholds it."""


class Redaction:
    """Redacts the texts of one configuration."""

    def __init__(self, redact: Redact | None, *, settings: Settings) -> None:
        self._redact = redact
        self.is_off = redact is None
        """There is no `redact`: texts stay as they are."""
        key = settings.digest_key
        self._digest_key = None if key is None else key.get_secret_value().encode()

    def clean(self, kind: TextKind, text: str | None) -> str | None:
        """Return a text after `redact`; if `redact` raises, the text is withheld."""
        if text is None or self._redact is None:
            return text
        with INTERNAL_ERRORS.contained("redact"):
            cleaned: object = self._redact(kind, text)
            if cleaned is None or isinstance(cleaned, str):
                return cleaned
            raise InputError(
                f"redact returned a {type(cleaned).__name__}. Return a str, or None to withhold it"
            )
        return None

    def redacted(self, texts: Texts) -> Texts:
        """Return the texts of a request, redacted but for those of its attempts."""
        if self._redact is None:
            return texts
        sql = self.clean("sql", texts.sql)
        return replace(
            texts,
            sql=sql,
            masked_sql=self.clean("sql", texts.masked_sql),
            is_redacted=sql != texts.sql,
            question=self.clean("question", texts.question),
            reference=self.clean("reference", texts.reference),
            hint=self.clean("hint", texts.hint),
            syntax_message=self.clean("message", texts.syntax_message),
        )

    def digest(self, question: str | None) -> str | None:
        """Return the keyed hash of a question before `redact`; None without a key."""
        if question is None or self._digest_key is None:
            return None
        from sqlobs.unit import question_digest

        return question_digest(question, key=self._digest_key)
