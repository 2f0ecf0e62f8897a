"""The golden file: questions with known correct SQL, looked up by the question's digest."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs.unit import question_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_KEYS: Final = frozenset({"question", "digest", "sql", "target"})
_DIGEST_CHARACTERS: Final = 64


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """The correct SQL of one question."""

    sql: str
    target: str | None = None
    """The alias of its only target; `None` = any target."""


@dataclass(frozen=True, slots=True)
class GoldenFile:
    """Cases by the digest of their question under a key."""

    key: bytes = field(repr=False)
    name: str = "golden"
    """The set's name in metrics: the file name without suffix."""
    cases: Mapping[str, tuple[GoldenCase, ...]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, *, key: bytes, needs_target: bool = False) -> GoldenFile:
        """Read a file of JSON lines: `question` or `digest`, `sql`, and if necessary `target`.

        Args:
            path: The file.
            key: The key of the digests.
            needs_target: Reject cases without a target: they would apply to every workspace.

        Raises:
            ConfigError: The file cannot be read, or a line is invalid; the message names it.
        """
        cases: dict[str, tuple[GoldenCase, ...]] = {}
        try:
            # Not `splitlines`: a JSON string may contain U+2028 and similar characters unescaped.
            lines = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"golden.file: cannot read {path}: {error}") from error
        for number, line in enumerate(lines, 1):
            if line.strip():
                digest, case = _case(line, key=key, place=f"{path}:{number}")
                if needs_target and case.target is None:
                    raise ConfigError(
                        f"{path}:{number} needs `target`: auth.tokens has several workspaces, and"
                        " the target determines the workspaces of a case"
                    )
                cases[digest] = (*cases.get(digest, ()), case)
        return cls(key, path.stem, cases)

    def find(
        self, *, question: str | None, digest: str | None, target: str | None
    ) -> GoldenCase | None:
        """Return the case of a question on a target.

        Args:
            question: Its text, if known.
            digest: The digest sent by the application, possibly under another key.
            target: The target's alias; a case for it takes precedence over one for any target.
        """
        digests = [digest] if digest else []
        if question and self.cases:
            digests.append(question_digest(question, key=self.key))
        known = [case for one in digests for case in self.cases.get(one, ())]
        return first_case(known, target)


def first_case(cases: Iterable[GoldenCase], target: str | None) -> GoldenCase | None:
    """Return the first case for a target, else the first for any target."""
    known = list(cases)
    return _first(known, target) or _first(known, None)


def _first(cases: Iterable[GoldenCase], target: str | None) -> GoldenCase | None:
    return next((case for case in cases if case.target == target), None)


def case_of_line(line: str, *, place: str, error: type[Exception]) -> dict[str, str]:
    """Parse a line of a golden file.

    Args:
        line: A JSON object with `sql`, one of `question` and `digest`, and optionally `target`.
        place: File and line, for the message.
        error: What to raise if the line is invalid.
    """
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as flaw:
        raise error(f"{place} is not JSON: {flaw}") from flaw
    if not isinstance(document, dict) or not all(
        name in _KEYS and isinstance(text, str) for name, text in document.items()
    ):
        raise error(f"{place} must be an object with the string fields {', '.join(sorted(_KEYS))}")
    if "sql" not in document or len({"question", "digest"} & document.keys()) != 1:
        raise error(f"{place} needs `sql` and one of `question` and `digest`")
    if len(document.get("digest", " " * _DIGEST_CHARACTERS)) != _DIGEST_CHARACTERS:
        raise error(f"{place}: `digest` must have {_DIGEST_CHARACTERS} hex digits")
    return document


def _case(line: str, *, key: bytes, place: str) -> tuple[str, GoldenCase]:
    document = case_of_line(line, place=place, error=ConfigError)
    digest = document.get("digest") or question_digest(document["question"], key=key)
    return digest, GoldenCase(document["sql"], document.get("target"))
