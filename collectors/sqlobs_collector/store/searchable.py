"""What requests are searched and grouped by: their texts, and the names that failed ones invented.

Rows are derived from a unit's payload; triggers of the store delete them with it.
"""

from __future__ import annotations

import hashlib
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import Text, bindparam, text

from sqlobs import semconv
from sqlobs.unit import normalize_question
from sqlobs_collector.store.payload import unpack
from sqlobs_collector.store.portable import indexable
from sqlobs_collector.store.rows import UnitKey
from sqlobs_collector.store.systems import FROM_UNIT, system_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from sqlalchemy import Connection, Row, TextClause

    from sqlobs_collector.store.payload import Value
    from sqlobs_collector.store.rows import Stored, UnitSource

_KEY_BYTES: Final = 8
_ARROW: Final = " -> "
"""`totals -> total`, as `sqlobs.suggestions` has it."""
_AT_ONCE: Final = 2000
_PUT_FAILURE: Final = text(
    "INSERT INTO failure (unit_id, number, workspace, failure_code, name, kind, suggestion,"
    " occurred_ns, model, prompt_version, workflow, tenant, service_version, environment,"
    " service_name) SELECT id, :number, workspace, coalesce(failure_code, ''), :name, :kind,"
    " :suggestion, occurred_ns, coalesce(model, ''), coalesce(prompt_version, ''), workflow,"
    f" coalesce(tenant, ''), coalesce(service_version, ''), environment, service_name {FROM_UNIT}"
    " AND provenance = 'live'"
).bindparams(*(bindparam(name, type_=Text) for name in ("name", "kind", "suggestion")))
_FORGET: Final = tuple(
    text(f"DELETE FROM {table} WHERE {column} = (SELECT id {FROM_UNIT})")  # noqa: S608 - no input
    for table, column in (("request_text", "rowid"), ("failure", "unit_id"))
)
_STORED: Final = text(
    "SELECT id, workspace, trace_id, span_id, source, question_digest, payload"
    " FROM unit WHERE id > :last AND payload IS NOT NULL ORDER BY id LIMIT :most"
)
_SET_KEYS: Final = text(
    "UPDATE unit SET question_key = :question, conversation = :conversation WHERE id = :id"
)


class InventedName(NamedTuple):
    """A name of a failed statement that does not exist."""

    kind: str
    """`table` or `column`."""
    name: str
    suggestion: str | None


class Searchable(NamedTuple):
    """What is derived from one unit."""

    key: UnitKey
    source: UnitSource
    question: str | None
    sql: str | None
    is_failed: bool
    names: tuple[InventedName, ...]

    @property
    def texts(self) -> Iterator[dict[str, object]]:
        """The row of the full-text table, if there is a text."""
        if self.question or self.sql:
            said = {"question": self.question or "", "sql": self.sql or ""}
            yield {**self.key._asdict(), **said}

    @property
    def failures(self) -> Iterator[dict[str, object]]:
        """A row for each invented name of a failed request, or one without a name."""
        names = self.names or (InventedName("", "", None),)
        for number, name in enumerate(names if self.is_failed else ()):
            yield {**self.key._asdict(), "number": number, **name._asdict()}


def searchable_of(
    key: UnitKey,
    attributes: Mapping[str, Value],
    texts: Mapping[str, Value],
    *,
    source: UnitSource,
) -> Searchable:
    """Return what is derived from a unit: its attributes, and the texts of its body."""
    is_failed = (
        attributes.get(semconv.SQLOBS_VERDICT) == "failed"
        or attributes.get(semconv.SQLOBS_FAILURE_CODE) is not None
    )
    return Searchable(
        key,
        source,
        question=_text(texts, semconv.SQLOBS_QUESTION_TEXT),
        sql=_text(texts, semconv.SQLOBS_QUERY_TEXT),
        is_failed=is_failed,
        names=tuple(invented_names(attributes)) if is_failed else (),
    )


def invented_names(attributes: Mapping[str, Value]) -> Iterator[InventedName]:
    """Yield the invented names of a request, tables first, with its suggestion."""
    suggestions = dict(
        pair.split(_ARROW, 1)
        for pair in _listed(attributes, semconv.SQLOBS_SUGGESTIONS)
        if _ARROW in pair
    )
    kinds = {
        "table": semconv.SQLOBS_HALLUCINATED_TABLES,
        "column": semconv.SQLOBS_HALLUCINATED_COLUMNS,
    }
    for kind, attribute in kinds.items():
        for name in dict.fromkeys(_listed(attributes, attribute)):
            yield InventedName(kind, indexable(name), suggestions.get(name))


def question_key(question: Value, digest: Value) -> int | None:
    """Return the key of a question, the same for texts that differ in case or white space only.

    Args:
        question: Its text; None = not captured.
        digest: The keyed hash that the application sent, used without a text.
    """
    known = normalize_question(question) if isinstance(question, str) else digest
    if not isinstance(known, str) or not known:
        return None
    digested = hashlib.blake2b(known.encode(errors="replace"), digest_size=_KEY_BYTES).digest()
    return int.from_bytes(digested, "big", signed=True)


class SearchWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, found: Iterable[Searchable], stored: Stored) -> None:
        """Store what is derived from units that were just stored, in place of what was before."""
        by_row = {(one.key, one.source): one for one in found}
        replacing = [by_row[row.key, row.source] for row in stored.replacing]
        for statement in _FORGET:
            self._execute(statement, [one.key._asdict() for one in replacing])
        self._add([*(by_row[row.key, row.source] for row in stored.new), *replacing])

    def derive_all(self) -> None:
        """Derive what units hold that were stored before these tables were."""
        last = 0
        while rows := self._connection.execute(_STORED, {"last": last, "most": _AT_ONCE}).all():
            last = rows[-1].id
            self._add([self._derive(row) for row in rows])

    def _derive(self, row: Row[Any]) -> Searchable:
        said = unpack(row.payload)
        texts = said.body if isinstance(said.body, dict) else {}
        question = question_key(texts.get(semconv.SQLOBS_QUESTION_TEXT), row.question_digest)
        conversation = _text(said.attributes, semconv.GEN_AI_CONVERSATION_ID)
        found = {"question": question, "conversation": conversation, "id": row.id}
        self._connection.execute(_SET_KEYS, found)
        key = UnitKey(row.workspace, row.trace_id, row.span_id)
        return searchable_of(key, said.attributes, texts, source=row.source)

    def _add(self, found: Sequence[Searchable]) -> None:
        if texts := list(chain.from_iterable(one.texts for one in found)):
            system_of(self._connection).insert_texts(self._connection, texts)
        self._execute(_PUT_FAILURE, list(chain.from_iterable(one.failures for one in found)))

    def _execute(self, statement: TextClause, rows: list[dict[str, object]]) -> None:
        if rows:
            self._connection.execute(statement, rows)


def _listed(attributes: Mapping[str, Value], name: str) -> list[str]:
    found = attributes.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _text(texts: Mapping[str, Value], name: str) -> str | None:
    found = texts.get(name)
    return found if isinstance(found, str) else None
