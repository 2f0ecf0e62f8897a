"""Schemas for the judge: the one a unit was generated for, else its target's."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from sqlobs.errors import SqlobsError
from sqlobs.judge.envelope import LIMITS
from sqlobs.schema.model import Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_log = logging.getLogger(__name__)

REFLECTED_FOR_S: Final = 600.0
"""Time for which a target's catalog, or the failure to read it, is cached."""
_CACHED: Final = 256


class Documents(Protocol):
    """Storage of schemas sent by applications."""

    def schema_document(self, workspace: str, version: str) -> bytes | None:
        """Return the document of a version."""


@dataclass(frozen=True, slots=True)
class KnownSchema:
    """A schema and its rendered DDL."""

    schema: Schema
    whole: str

    @classmethod
    def of(cls, schema: Schema) -> KnownSchema:
        """Render a schema once."""
        return cls(schema, schema.render())

    def text(self, statements: Iterable[str | None], *, dialect: str | None) -> str:
        """Return the DDL for judging these statements; of a large schema, the relevant part."""
        if len(self.whole) <= LIMITS["schema"]:
            return self.whole
        from sqlobs.judge.verdicts.facts import schema_text

        return schema_text(self.schema, statements, dialect=dialect)


class Schemas:
    """Finds schemas and renders them; used from several threads."""

    def __init__(
        self,
        documents: Documents,
        *,
        urls: Mapping[str, str],
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set up.

        Args:
            documents: Schemas sent by applications.
            urls: URLs of the targets by alias.
            clock_s: Time source, for tests.
        """
        self._documents = documents
        self._urls = urls
        self._clock_s = clock_s
        self._lock = threading.Lock()  # one reflection of a target at a time
        self._reflected: dict[str, tuple[float, KnownSchema | None]] = {}
        self._cached = lru_cache(_CACHED)(self._read)

    def find(self, *, workspace: str, version: str | None, alias: str | None) -> KnownSchema | None:
        """Return a schema with its text; `None` = unknown.

        Args:
            workspace: The workspace of the schema.
            version: The version in the unit.
            alias: The target to read the schema from if it was not sent.
        """
        sent = self._sent(workspace, version)
        if sent is not None or alias is None or alias not in self._urls:
            return sent
        with self._lock:
            read_s, known = self._reflected.get(alias, (float("-inf"), None))
            if self._clock_s() - read_s >= REFLECTED_FOR_S:
                known = _reflect(alias, self._urls[alias])
                self._reflected[alias] = self._clock_s(), known
        return known

    def has_to_come(self, *, workspace: str, version: str | None) -> bool:
        """Return whether a unit names a schema that its application has not sent so far."""
        return version is not None and self._sent(workspace, version) is None

    def _sent(self, workspace: str, version: str | None) -> KnownSchema | None:
        """Return a schema from an application; one that is not here yet may come later."""
        if version is None:
            return None
        try:
            return self._cached(workspace, version)
        except LookupError:  # `lru_cache` keeps no exceptions
            return None

    def _read(self, workspace: str, version: str) -> KnownSchema:
        document = self._documents.schema_document(workspace, version)
        if document is None:
            raise LookupError(version)
        return KnownSchema.of(Schema.from_json(document))


def _reflect(alias: str, url: str) -> KnownSchema | None:
    try:
        return KnownSchema.of(Schema.from_database(url))
    except SqlobsError as error:
        _log.warning("cannot read the schema of target %s: %s", alias, type(error).__name__)
        return None
