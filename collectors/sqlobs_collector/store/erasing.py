"""Erases requests with all that is stored of them, some at a time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qsl

from sqlalchemy import and_, delete, func, or_, select

from sqlobs import semconv
from sqlobs_collector.store.payload import unpack
from sqlobs_collector.store.portable import indexable
from sqlobs_collector.store.reports import ReportWriter
from sqlobs_collector.store.rollup_writing import RollupWriter
from sqlobs_collector.store.rows import UnitKey
from sqlobs_collector.store.tables import (
    EVALUATION,
    FAILURE,
    FAILURE_GROUP,
    GOLDEN_CASE,
    INQUIRY,
    REPORT,
    REVIEW_ITEM,
    REVIEW_LABEL,
    SAVED_VIEW,
    UNIT,
    WRONG_FINDING,
)
from sqlobs_collector.subjects import pseudonym

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Table

    from sqlobs_collector.subjects import SubjectDigests, SubjectKind

AT_ONCE: Final = 500
"""Requests that one transaction erases: writers wait for no more."""
_WITH_UNIT: Final[Mapping[str, Table]] = {
    "evaluations": EVALUATION,
    "judge_questions": INQUIRY,
    "review_items": REVIEW_ITEM,
    "critiques": WRONG_FINDING,
}
"""What is deleted with a request, and counted."""
_GROUPED: Final = ("workspace", "failure_code", "name", "model", "prompt_version")
_IDENTITY: Final = len("00-") + 32 + len("-") + 16
"""Characters of a generation's id without its flags."""


class Subject(NamedTuple):
    """Whose requests are to be erased."""

    kind: SubjectKind
    workspace: str
    value: str


class Chosen(NamedTuple):
    """Some requests of a subject."""

    workspace: str
    keys: list[UnitKey]
    ids: list[int]
    last: int
    """The highest id that was looked at."""


class Eraser:
    """Deletes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def count(self, subject: Subject, digests: SubjectDigests) -> int:
        """Return how many requests a subject has."""
        found, last = 0, 0
        while (chosen := self.choose(subject, digests, after=last)) is not None:
            found, last = found + len(chosen.ids), chosen.last
        return found

    def choose(self, subject: Subject, digests: SubjectDigests, *, after: int) -> Chosen | None:
        """Return the next requests of a subject behind an id; None: there are no more."""
        known = digests.known(subject.kind, subject.workspace, subject.value)
        query = select(UNIT.c.id, UNIT.c.workspace, UNIT.c.trace_id, UNIT.c.span_id)
        if subject.kind == "user":  # rows of earlier versions have no digest: their texts tell
            query = query.add_columns(UNIT.c.user_digest, UNIT.c.payload)
        query = query.where(UNIT.c.workspace == subject.workspace, UNIT.c.id > after)
        query = query.where(_may_be(subject, known)).order_by(UNIT.c.id).limit(AT_ONCE)
        rows = self._connection.execute(query).all()
        if not rows:
            return None
        of_subject = [row for row in rows if subject.kind != "user" or _is_of(row, subject.value)]
        keys = [UnitKey(row.workspace, row.trace_id, row.span_id) for row in of_subject]
        return Chosen(subject.workspace, keys, [row.id for row in of_subject], rows[-1].id)

    def erase(self, chosen: Chosen) -> Counter[str]:
        """Delete requests with all that is stored of them; return how much of each kind."""
        removed = self._counted(chosen.ids)
        groups, conversations = self._groups(chosen.ids), self._conversations(chosen.ids)
        removed["golden_cases"] = self._delete_golden_cases(chosen.workspace, chosen.keys)
        removed["reports"] = ReportWriter(self._connection).delete(chosen.keys)
        deleted = delete(UNIT).where(UNIT.c.id.in_(chosen.ids))
        removed["requests"] = self._connection.execute(deleted).rowcount
        gone = [group for group in groups if not self._has_failures(group)]
        removed["failure_decisions"] = self._delete_decisions(gone)
        names = {name for _, _, name, *_ in gone}
        removed["saved_views"] = self._delete_views(chosen.workspace, conversations | names)
        return removed

    def erase_rest(self, subject: Subject, digests: SubjectDigests) -> Counter[str]:
        """Delete what names a subject outside its requests; return how much of each kind."""
        views = self._delete_views(subject.workspace, {subject.value})
        removed = Counter(saved_views=views)
        if subject.kind == "tenant":
            tenants = _tenants(subject, digests)
            RollupWriter(self._connection).forget_tenant(subject.workspace, tenants)
        if subject.kind == "trace":
            of_trace = and_(
                REPORT.c.workspace == subject.workspace, REPORT.c.trace_id == subject.value
            )
            removed["reports"] = self._connection.execute(delete(REPORT).where(of_trace)).rowcount
        return removed

    def _counted(self, ids: Sequence[int]) -> Counter[str]:
        counts = {
            name: select(func.count()).select_from(table).where(table.c.unit_id.in_(ids))
            for name, table in _WITH_UNIT.items()
        }
        labels = select(func.count()).select_from(REVIEW_LABEL).join(REVIEW_ITEM)
        counts["labels"] = labels.where(REVIEW_ITEM.c.unit_id.in_(ids))
        return Counter(
            {name: self._connection.execute(query).scalar_one() for name, query in counts.items()}
        )

    def _groups(self, ids: Sequence[int]) -> list[Sequence[Any]]:
        """Return the groups of failures that the requests are in."""
        query = select(*(FAILURE.c[name] for name in _GROUPED)).distinct()
        rows = self._connection.execute(
            query.where(FAILURE.c.unit_id.in_(ids), FAILURE.c.name != "")
        )
        return [tuple(row) for row in rows]

    def _delete_golden_cases(self, workspace: str, keys: Sequence[UnitKey]) -> int:
        promoted = [f"00-{key.trace_id}-{key.span_id}" for key in keys]
        is_of = and_(
            GOLDEN_CASE.c.workspace == workspace,
            func.substr(GOLDEN_CASE.c.generation_id, 1, _IDENTITY).in_(promoted),
        )
        return self._connection.execute(delete(GOLDEN_CASE).where(is_of)).rowcount

    def _conversations(self, ids: Sequence[int]) -> set[str]:
        query = select(UNIT.c.conversation).where(UNIT.c.id.in_(ids))
        found = self._connection.execute(query.where(UNIT.c.conversation.is_not(None)))
        return set(found.scalars())

    def _has_failures(self, group: Sequence[Any]) -> bool:
        query = select(FAILURE.c.unit_id).where(_equals(FAILURE, group)).limit(1)
        return self._connection.execute(query).first() is not None

    def _delete_decisions(self, groups: Sequence[Sequence[Any]]) -> int:
        """Delete what people decided about groups of failures: names, and notes."""
        return sum(
            self._connection.execute(
                delete(FAILURE_GROUP).where(_equals(FAILURE_GROUP, group))
            ).rowcount
            for group in groups
        )

    def _delete_views(self, workspace: str, values: set[str]) -> int:
        """Delete the saved views that filter by one of some values."""
        of_workspace = SAVED_VIEW.c.workspace == workspace
        saved = select(SAVED_VIEW.c.name, SAVED_VIEW.c.query).where(of_workspace)
        names = [
            name
            for name, query in self._connection.execute(saved)
            if not values.isdisjoint(value for _, value in parse_qsl(query))
        ]
        deleted = delete(SAVED_VIEW).where(of_workspace, SAVED_VIEW.c.name.in_(names))
        return self._connection.execute(deleted).rowcount


def _may_be(subject: Subject, known: Sequence[str]) -> ColumnElement[bool]:
    """Return the condition that all requests of a subject meet, and only for users others, too."""
    if subject.kind == "user":
        has_digest = UNIT.c.user_digest.is_not(None)
        return or_(UNIT.c.user_digest.in_(known), and_(~has_digest, UNIT.c.payload.is_not(None)))
    if subject.kind == "trace":
        return UNIT.c.trace_id == subject.value
    values = (indexable(subject.value), *map(pseudonym, known))
    if subject.kind == "tenant":
        return UNIT.c.tenant.in_(values)
    return or_(UNIT.c.conversation.in_(values), UNIT.c.conversation_digest.in_(known))


def _tenants(subject: Subject, digests: SubjectDigests) -> list[str]:
    known = digests.known(subject.kind, subject.workspace, subject.value)
    return [indexable(subject.value), *map(pseudonym, known)]


def _is_of(row: Any, user: str) -> bool:  # noqa: ANN401 - a row with the columns asked for
    if row.user_digest is not None:
        return True
    return unpack(row.payload).attributes.get(semconv.USER_ID) == user


def _equals(table: Table, group: Sequence[Any]) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in zip(_GROUPED, group, strict=True)))
