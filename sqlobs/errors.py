"""The exceptions that sqlobs raises, all caused by the caller or the set-up.

Faulty SQL is never an exception but a finding in a report.

SqlobsError
├── ConfigError
├── DialectError
├── SchemaError
│   └── SchemaUnavailableError
├── InputError
├── ResponseError
│   └── ResponseTimeoutError
├── MissingExtraError
└── FindingsError

Tests: `tests/schema/test_model.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class _Described(Protocol):
        @property
        def message(self) -> str: ...


__all__ = [
    "ConfigError",
    "DialectError",
    "FindingsError",
    "InputError",
    "MissingExtraError",
    "ResponseError",
    "ResponseTimeoutError",
    "SchemaError",
    "SchemaUnavailableError",
    "SqlobsError",
]


class SqlobsError(Exception):
    """The base class of all exceptions that sqlobs raises."""


class ConfigError(SqlobsError):
    """A setting is missing, unknown or contradictory."""


class DialectError(SqlobsError):
    """A dialect's name is unknown, or two arguments name different dialects."""


class SchemaError(SqlobsError):
    """A schema document cannot be read or contradicts itself."""


class SchemaUnavailableError(SchemaError):
    """A live schema source failed, and no earlier schema is available."""


class InputError(SqlobsError):
    """A file or stream given to a command is invalid; the message names the position."""


class ResponseError(SqlobsError):
    """A server's response exceeds the size limit, or cannot be decompressed."""


class ResponseTimeoutError(ResponseError):
    """A server's response exceeds the time limit."""


class MissingExtraError(SqlobsError):
    """A feature needs packages that are not installed."""

    def __init__(self, feature: str, *, extra: str) -> None:
        self.feature = feature
        self.extra = extra
        super().__init__(f'{feature} needs an extra: pip install "sqlobs[{extra}]"')


class FindingsError(SqlobsError):
    """SQL was rejected because of its findings: raised by `CheckReport.raise_for_findings`."""

    def __init__(self, findings: Sequence[_Described]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(finding.message for finding in self.findings))
