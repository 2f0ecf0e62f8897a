"""The schema that a judge reads: the one a unit was generated for, else that of its target."""

from __future__ import annotations

import logging
import threading
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from sqlobs.errors import SqlobsError
from sqlobs.schema.document import read_json
from sqlobs.schema.model import Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_log = logging.getLogger(__name__)

REFLECTED_FOR_S: Final = 600.0
"""How long what a target's catalogue said is taken for true, and a failure for lasting."""
_CACHED: Final = 256


class Documents(Protocol):
    """Where schemas lie that applications sent."""

    def schema_document(self, workspace: str, version: str) -> bytes | None:
        """Return the document of a version."""


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
            documents: Schemas that were sent.
            urls: Addresses of the targets by alias.
            clock_s: Time, for tests.
        """
        self._documents = documents
        self._urls = urls
        self._clock_s = clock_s
        self._lock = threading.Lock()  # one reflection of a target at a time
        self._reflected: dict[str, tuple[float, str | None]] = {}
        self._sent = lru_cache(_CACHED)(self._read)

    def text(self, *, workspace: str, version: str | None, alias: str | None) -> str | None:
        """Return a schema as DDL with descriptions; `None`: it is not known.

        Args:
            workspace: Whose schema it is.
            version: The version that the unit names.
            alias: The target to look at where nothing was sent.
        """
        sent = self._sent(workspace, version) if version is not None else None
        if sent is not None or alias is None or alias not in self._urls:
            return sent
        with self._lock:
            read_s, text = self._reflected.get(alias, (float("-inf"), None))
            if self._clock_s() - read_s >= REFLECTED_FOR_S:
                text = _reflect(alias, self._urls[alias])
                self._reflected[alias] = self._clock_s(), text
        return text

    def _read(self, workspace: str, version: str) -> str | None:
        document = self._documents.schema_document(workspace, version)
        return None if document is None else read_json(document).render()


def _reflect(alias: str, url: str) -> str | None:
    try:
        return Schema.from_database(url).render()
    except SqlobsError as error:
        _log.warning("the schema of target %s cannot be read: %s", alias, type(error).__name__)
        return None
