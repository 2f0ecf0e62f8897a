"""Applies the user's `redact` to every text before it leaves; the digest is computed before.

Tests: `tests/telemetry/test_masking.py` and `tests/docs/test_privacy.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from sqlobs.errors import InputError
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.record import Texts

if TYPE_CHECKING:
    from sqlobs.config import Settings

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
            return _checked(self._redact(kind, text))
        return None

    def texts(
        self,
        *,
        sql: str | None,
        masked_sql: str | None,
        question: str | None,
        reference: str | None,
        hint: str | None,
        syntax_message: str | None,
    ) -> Texts:
        """Return the redacted texts of a request."""
        digest = self._digest(question)
        if self._redact is None:
            return Texts(sql, masked_sql, False, question, digest, reference, hint, syntax_message)
        cleaned = self.clean("sql", sql)
        return Texts(
            sql=cleaned,
            masked_sql=self.clean("sql", masked_sql),
            is_redacted=cleaned != sql,
            question=self.clean("question", question),
            question_digest=digest,
            reference=self.clean("reference", reference),
            hint=self.clean("hint", hint),
            syntax_message=self.clean("message", syntax_message),
        )

    def _digest(self, question: str | None) -> str | None:
        if question is None or self._digest_key is None:
            return None
        from sqlobs.unit import question_digest

        return question_digest(question, key=self._digest_key)


def _checked(cleaned: object) -> str | None:
    """Return the result of `redact`.

    Raises:
        InputError: It is neither a str nor None.
    """
    if cleaned is None or isinstance(cleaned, str):
        return cleaned
    raise InputError(
        f"redact returned a {type(cleaned).__name__}. Return a str, or None to withhold it"
    )
