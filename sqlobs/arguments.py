"""Arguments of public functions, checked when they are given: a wrong one is named at once.

Tests: `tests/check/test_checker.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MOST_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Takes:
    """What an argument may be, apart from None: not given."""

    described: str
    """Completes "give …"."""
    fits: Callable[[object], bool]
    is_word: bool = False
    """One of a few words: a wrong one is quoted."""

    def or_callable(self) -> Takes:
        """Return the same for an argument that may also be asked for with the call's arguments."""
        return Takes(
            f"{self.described}, or a callable", lambda given: self.fits(given) or callable(given)
        )


def require(takes: Mapping[str, Takes], **given: object) -> None:
    """Reject the first argument that is not what it takes.

    Raises:
        ConfigError: The sentence names the argument, its type, and what it takes. Texts are
            quoted only where one of a few words belongs: they may be secrets.
    """
    for name, value in given.items():
        wanted = takes[name]
        if value is not None and not wanted.fits(value):
            is_quoted = wanted.is_word and isinstance(value, str)
            shown = repr(value)[:_MOST_SHOWN] if is_quoted else _shown(value)
            raise ConfigError(f"argument {name}: is {shown}; give {wanted.described}")


def one_of(*options: str) -> Takes:
    """Return what takes one of a few words."""
    *first, last = map(repr, options)
    described = f"{', '.join(first)} or {last}" if first else last
    return Takes(described, lambda given: isinstance(given, str) and given in options, is_word=True)


def having(described: str, *methods: str) -> Takes:
    """Return what takes an object with certain methods."""
    return Takes(
        described, lambda given: all(callable(getattr(given, name, None)) for name in methods)
    )


def instance_of(described: str, *kinds: type) -> Takes:
    """Return what takes an object of certain classes."""
    return Takes(described, lambda given: isinstance(given, kinds))


def _is_list_of_texts(given: object) -> bool:
    return isinstance(given, list | tuple) and all(isinstance(one, str) for one in given)


def _shown(given: object) -> str:
    kind = type(given).__name__
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    if isinstance(given, bool | int | float):
        return f"{article} {kind} ({given!r})"[:_MOST_SHOWN]
    return f"the class {given.__name__}" if isinstance(given, type) else f"{article} {kind}"


TEXT: Final = instance_of("a string", str)
FLAG: Final = instance_of("True or False", bool)
TEXTS: Final = Takes("a list of strings", _is_list_of_texts)
FUNCTION: Final = Takes("a function", callable)
