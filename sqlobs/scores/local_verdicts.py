"""The verdicts of the engines of warehouses on this machine, as the score `local_engine`."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs.execution.local import (
    engine_of,
    has_local_engine,
    local_engine,
    require_local_engine,
)
from sqlobs.runs.case import EngineVerdict
from sqlobs.scores.registry import SCORES
from sqlobs.semconv.evaluations import LOCAL_ENGINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlobs.schema.model import Schema
    from sqlobs.scores.score import ScoreResult

_SCORE: Final = SCORES[LOCAL_ENGINE]
_SCHEMAS: Final = 64
"""Schemas that are kept in the form in which a statement's tables are found."""
_ENGINE: Final = "engine"
"""In a result's detail: name and version of the engine."""
_IDENTIFIER: Final = "identifier"
"""In a result's detail: the name that the engine's error is about."""


class LocalVerdicts:
    """Asks the engines of some dialects; used from several threads."""

    def __init__(self, dialects: Iterable[str]) -> None:
        """Check that the engines are installed; each starts with its first question.

        Raises:
            ConfigError: A dialect has no local engine, or Java is missing.
            MissingExtraError: An extra is not installed.
        """
        self._dialects = frozenset(dialects)
        for dialect in sorted(self._dialects):
            require_local_engine(dialect)
        self._engine = lru_cache(_SCHEMAS)(local_engine)

    @classmethod
    def of_schemas(cls, schemas: Iterable[Schema]) -> LocalVerdicts:
        """Return what asks the engines of all dialects that have one.

        Raises:
            ConfigError: No schema is of such a dialect, or Java is missing.
            MissingExtraError: An extra is not installed.
        """
        known = {schema.dialect or "" for schema in schemas}
        dialects = {engine_of(each) for each in known if has_local_engine(each)}
        if not dialects:
            raise ConfigError(
                "a local engine needs a schema of BigQuery, Spark or ClickHouse; give --schema with"
                " --dialect, or --dsn"
            )
        return cls(dialects)

    def of(self, sql: str, schema: Schema | None, dialect: str | None) -> ScoreResult | None:
        """Return an engine's verdict on a statement; None: its dialect is not asked about.

        Args:
            sql: The statement.
            schema: The schema that it is for; None = unknown.
            dialect: Its dialect; None = the schema's.
        """
        spoken = dialect or (None if schema is None else schema.dialect)
        name = None if spoken is None else engine_of(spoken)
        if name not in self._dialects:
            return None
        if schema is None:
            return _SCORE.not_evaluated("no_schema")
        verdict = self._engine(schema, dialect=name).verdict(sql)
        if verdict is None:
            return _SCORE.not_evaluated("undecided")
        found = _SCORE.passed() if verdict.code is None else _SCORE.failed(verdict.code)
        detail = {_ENGINE: verdict.engine, _IDENTIFIER: verdict.identifier}
        return replace(found, detail={name: value for name, value in detail.items() if value})


def engine_verdict(
    detail: Mapping[str, object] | None, explanation: str | None
) -> EngineVerdict | None:
    """Return the verdict in the detail and explanation of a result; None = it has none."""
    if not detail or _ENGINE not in detail:
        return None
    name = detail.get(_IDENTIFIER)
    return EngineVerdict(
        engine=str(detail[_ENGINE]),
        failure_code=explanation,
        identifier=None if name is None else str(name),
    )
