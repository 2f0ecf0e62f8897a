"""The golden set of each workspace: cases with their history, looked up at each evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import delete, insert, select, update

from sqlobs_collector.store.rows import Row
from sqlobs_collector.store.tables import GOLDEN_CASE, GOLDEN_CHANGE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Engine

GoldenSource = Literal["reference", "corrected", "accepted", "written", "imported"]
"""Where a case's SQL is from: the request's own reference, a user's or an editor's correction, the
accepted answer, or a case without a request."""
GoldenAction = Literal["added", "edited", "retired", "restored", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenRow(Row):
    """A case, but for its id."""

    workspace: str
    digest: str
    question: str | None
    target: str
    """Empty: any target."""
    sql: str
    owner: str
    source: GoldenSource
    generation_id: str | None
    is_in_force: bool
    created_ns: int
    changed_ns: int


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case in the store."""

    case_id: int
    row: GoldenRow


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenChange(Row):
    """An entry of a case's history."""

    case_id: int
    at_ns: int
    author: str
    action: GoldenAction
    sql: str
    detail: str | None = None


_ROW: Final = tuple(GOLDEN_CASE.c[name] for name in GoldenRow.__slots__)
_CHANGE: Final = tuple(GOLDEN_CHANGE.c[name] for name in GoldenChange.__slots__)


class GoldenReader:
    """Reads cases; each call is one query in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def cases(self, workspace: str) -> list[StoredCase]:
        """Return the cases of a workspace, the latest change first."""
        order = (GOLDEN_CASE.c.changed_ns.desc(), GOLDEN_CASE.c.id.desc())
        return self._found(GOLDEN_CASE.c.workspace == workspace, *order)

    def case(self, workspace: str, case_id: int) -> StoredCase | None:
        """Return a case of a workspace; None: the workspace has no such case."""
        of = (GOLDEN_CASE.c.workspace == workspace) & (GOLDEN_CASE.c.id == case_id)
        return next(iter(self._found(of)), None)

    def in_force(self, workspace: str, digests: Sequence[str]) -> list[StoredCase]:
        """Return the active cases whose question has one of the digests, oldest first."""
        of = (
            (GOLDEN_CASE.c.workspace == workspace)
            & GOLDEN_CASE.c.digest.in_(digests)
            & GOLDEN_CASE.c.is_in_force
        )
        return self._found(of, GOLDEN_CASE.c.id)

    def history(self, case_id: int) -> list[GoldenChange]:
        """Return what happened to a case, the latest first."""
        query = (
            select(*_CHANGE)
            .where(GOLDEN_CHANGE.c.case_id == case_id)
            .order_by(GOLDEN_CHANGE.c.at_ns.desc(), GOLDEN_CHANGE.c.id.desc())
        )
        with self._engine.connect() as connection:
            return [GoldenChange(**row) for row in connection.execute(query).mappings()]

    def _found(self, of: ColumnElement[bool], *order: ColumnElement[int]) -> list[StoredCase]:
        query = select(GOLDEN_CASE.c.id, *_ROW).where(of).order_by(*order)
        with self._engine.connect() as connection:
            return [_stored(dict(row)) for row in connection.execute(query).mappings()]


class GoldenWriter:
    """Writes cases and their history on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def case(self, workspace: str, case_id: int) -> StoredCase | None:
        """Return a case of a workspace; None: the workspace has no such case."""
        return self._one(GOLDEN_CASE.c.workspace == workspace, GOLDEN_CASE.c.id == case_id)

    def of_question(self, workspace: str, digest: str, target: str) -> StoredCase | None:
        """Return the case of a question on a target, active or retired."""
        return self._one(
            GOLDEN_CASE.c.workspace == workspace,
            GOLDEN_CASE.c.digest == digest,
            GOLDEN_CASE.c.target == target,
        )

    def add(self, row: GoldenRow) -> int:
        """Add a case; returns its id."""
        added = self._connection.execute(insert(GOLDEN_CASE).values(row.values))
        key = added.inserted_primary_key
        if key is None:
            raise AssertionError("databases return the id of an inserted row")
        return int(key[0])

    def replace(self, case_id: int, row: GoldenRow) -> None:
        """Replace a case by its new state."""
        self._connection.execute(
            update(GOLDEN_CASE).where(GOLDEN_CASE.c.id == case_id).values(row.values)
        )

    def note(self, change: GoldenChange) -> None:
        """Add to a case's history."""
        self._connection.execute(insert(GOLDEN_CHANGE).values(change.values))

    def delete(self, case_id: int) -> None:
        """Delete a case with its history."""
        self._connection.execute(delete(GOLDEN_CASE).where(GOLDEN_CASE.c.id == case_id))

    def rekey(self, digest_of: Callable[[str], str]) -> int:
        """Look cases up under another key from now on; returns how many had an older one."""
        query = select(GOLDEN_CASE.c.id, GOLDEN_CASE.c.question, GOLDEN_CASE.c.digest)
        query = query.order_by(GOLDEN_CASE.c.id)
        stale = [
            (case_id, digest_of(question))
            for case_id, question, digest in self._connection.execute(query)
            if question is not None and digest_of(question) != digest
        ]
        for case_id, digest in stale:
            self._connection.execute(
                update(GOLDEN_CASE).where(GOLDEN_CASE.c.id == case_id).values(digest=digest)
            )
        return len(stale)

    def _one(self, *of: ColumnElement[bool]) -> StoredCase | None:
        found = self._connection.execute(select(GOLDEN_CASE.c.id, *_ROW).where(*of)).mappings()
        row = found.one_or_none()
        return None if row is None else _stored(dict(row))


def _stored(row: Mapping[str, Any]) -> StoredCase:
    values = dict(row)
    return StoredCase(values.pop("id"), GoldenRow(**values))
