"""Changes of a workspace's golden set: effective immediately, and kept in the case's history."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from sqlobs_collector.curation.decisions import (
    DecisionError,
    UnknownSubjectError,
    bounded,
    person,
    unit_key,
)
from sqlobs_collector.evaluation.content import content_of
from sqlobs_collector.evaluation.golden import case_of_line
from sqlobs_collector.store.golden import GoldenChange, GoldenRow, StoredCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlobs_collector.evaluation.golden_set import GoldenSet
    from sqlobs_collector.evaluation.requests import Targets
    from sqlobs_collector.store.golden import GoldenAction, GoldenSource, GoldenWriter
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.rows import Queued
    from sqlobs_collector.store.writing import Store

PromotionSource = Literal["reference", "corrected", "accepted"]

_MISSING: Final[dict[PromotionSource, str]] = {
    "reference": "the request has no reference: correct its SQL, or accept its answer",
    "corrected": "give the corrected SQL",
    "accepted": "the request has no raw SQL: capture it, or give the corrected SQL",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """A request that becomes a golden case."""

    generation_id: str
    source: PromotionSource
    author: str
    sql: str | None = None
    """The corrected SQL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A case as a person gives it."""

    question: str | None
    sql: str
    author: str
    source: GoldenSource
    digest: str | None = None
    """Of the question, where its text is unknown."""
    target: str | None = None
    generation_id: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """A case after a change."""

    case: StoredCase
    outcome: Literal["added", "edited", "unchanged"]


class GoldenEditor:
    """Changes golden sets; a question has one case per target."""

    def __init__(
        self,
        store: Store,
        reader: StoreReader,
        golden: GoldenSet,
        targets: Targets,
        *,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._store = store
        self._reader = reader
        self._golden = golden
        self._targets = targets
        self._clock_ns = clock_ns

    def promote(self, workspace: str, promotion: Promotion) -> Saved:
        """Make a case of a request: its question, its target, and the chosen SQL.

        Raises:
            UnknownSubjectError: The workspace has no such request.
            DecisionError: The request has no question, or not the chosen SQL.
        """
        unit = self._reader.unit(unit_key(workspace, promotion.generation_id))
        if unit is None:
            raise UnknownSubjectError("no such request in this workspace")
        content = content_of(unit)
        if content.question is None and unit.question_digest is None:
            raise DecisionError("the request has no question: capture questions, or write a case")
        found = {
            "reference": content.reference,
            "corrected": promotion.sql,
            "accepted": content.sql if unit.capture == "raw" else None,
        }[promotion.source]
        if not (found or "").strip():
            raise DecisionError(_MISSING[promotion.source])
        draft = Draft(
            question=content.question,
            sql=str(found),
            author=promotion.author,
            source=promotion.source,
            digest=unit.question_digest,
            target=self._target_of(unit),
            generation_id=unit.generation_id,
        )
        return self.save(workspace, draft)

    def save(self, workspace: str, draft: Draft) -> Saved:
        """Add a case, or edit the one that the question has on the target.

        Raises:
            DecisionError: It has no question, no SQL, or an unknown target.
        """
        row = self._row(workspace, draft)
        with self._store.writing() as writer:
            return self._put(writer.golden, row, author=row.owner)

    def edit(
        self, workspace: str, case_id: int, *, sql: str, owner: str, author: str
    ) -> StoredCase:
        """Change the SQL or the owner of a case.

        Raises:
            UnknownSubjectError: The workspace has no such case.
            DecisionError: The SQL is empty.
        """
        statement, keeper, who = _statement(sql), person(owner), person(author)

        def changed(row: GoldenRow) -> GoldenRow:
            source = row.source if statement == row.sql else "corrected"
            return replace(row, sql=statement, owner=keeper, source=source)

        return self._change(workspace, case_id, "edited", changed, author=who)

    def retire(self, workspace: str, case_id: int, *, author: str) -> StoredCase:
        """Take a case out of force; it keeps its history."""
        return self._force(workspace, case_id, author=author, is_in_force=False)

    def restore(self, workspace: str, case_id: int, *, author: str) -> StoredCase:
        """Reactivate a retired case."""
        return self._force(workspace, case_id, author=author, is_in_force=True)

    def delete(self, workspace: str, case_id: int) -> None:
        """Delete a case with its history.

        Raises:
            UnknownSubjectError: The workspace has no such case.
        """
        with self._store.writing() as writer:
            _known(writer.golden, workspace, case_id)
            writer.golden.delete(case_id)

    def note_run(self, case: StoredCase, *, author: str, detail: dict[str, object]) -> None:
        """Add a run of a case to its history."""
        with self._store.writing() as writer:
            if writer.golden.case(case.row.workspace, case.case_id) is not None:
                self._note(writer.golden, case, "run", person(author), json.dumps(detail))

    def import_lines(self, workspace: str, text: str, *, author: str) -> Counter[str]:
        """Save the cases of a golden file: all of them, or none if a line is invalid.

        Of several lines for the same question and target, the first counts, as in the file.

        Returns:
            The number of cases `added`, `edited`, `unchanged` and `skipped`.

        Raises:
            DecisionError: A line is invalid; the message names it.
        """
        rows = list(self._rows_of(workspace, text, author=person(author)))
        counts: Counter[str] = Counter(added=0, edited=0, unchanged=0, skipped=0)
        seen: set[tuple[str, str]] = set()
        with self._store.writing() as writer:
            for row in rows:
                if (row.digest, row.target) in seen:
                    counts["skipped"] += 1
                    continue
                seen.add((row.digest, row.target))
                counts[self._put(writer.golden, row, author=row.owner).outcome] += 1
        return counts

    def _rows_of(self, workspace: str, text: str, *, author: str) -> Iterator[GoldenRow]:
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            place = f"line {number}"
            found = case_of_line(line, place=place, error=DecisionError)
            try:
                yield self._row(
                    workspace,
                    Draft(
                        question=found.get("question"),
                        digest=found.get("digest"),
                        sql=found["sql"],
                        target=found.get("target"),
                        author=author,
                        source="imported",
                    ),
                )
            except DecisionError as error:
                raise DecisionError(f"{place}: {error}") from None

    def _row(self, workspace: str, draft: Draft) -> GoldenRow:
        question = bounded((draft.question or "").strip(), name="the question") or None
        digest = draft.digest if question is None else self._golden.digest_of(question)
        if digest is None:
            raise DecisionError("give the question")
        target = draft.target or ""
        if target and self._targets.alias(workspace, target) is None:
            raise DecisionError(
                f"unknown target {target[:80]!r}: name one of this workspace's targets"
            )
        now_ns = self._clock_ns()
        return GoldenRow(
            workspace=workspace,
            digest=digest,
            question=question,
            target=target,
            sql=_statement(draft.sql),
            owner=person(draft.author),
            source=draft.source,
            generation_id=draft.generation_id,
            is_in_force=True,
            created_ns=now_ns,
            changed_ns=now_ns,
        )

    def _put(self, writer: GoldenWriter, row: GoldenRow, *, author: str) -> Saved:
        known = writer.of_question(row.workspace, row.digest, row.target)
        if known is None:
            case = StoredCase(writer.add(row), row)
            self._note(writer, case, "added", author)
            return Saved(case, "added")
        if known.row.is_in_force and known.row.sql == row.sql:
            return Saved(known, "unchanged")
        case = StoredCase(known.case_id, replace(row, created_ns=known.row.created_ns))
        writer.replace(known.case_id, case.row)
        self._note(writer, case, "edited", author)
        return Saved(case, "edited")

    def _force(self, workspace: str, case_id: int, *, author: str, is_in_force: bool) -> StoredCase:
        action: GoldenAction = "restored" if is_in_force else "retired"
        return self._change(
            workspace,
            case_id,
            action,
            lambda row: replace(row, is_in_force=is_in_force),
            author=person(author),
        )

    def _change(
        self,
        workspace: str,
        case_id: int,
        action: GoldenAction,
        changed: Callable[[GoldenRow], GoldenRow],
        *,
        author: str,
    ) -> StoredCase:
        with self._store.writing() as writer:
            known = _known(writer.golden, workspace, case_id)
            row = changed(known.row)
            if row == known.row:
                return known
            case = StoredCase(case_id, replace(row, changed_ns=self._clock_ns()))
            writer.golden.replace(case_id, case.row)
            self._note(writer.golden, case, action, author)
        return case

    def _note(
        self,
        writer: GoldenWriter,
        case: StoredCase,
        action: GoldenAction,
        author: str,
        detail: str | None = None,
    ) -> None:
        writer.note(
            GoldenChange(
                case_id=case.case_id,
                at_ns=self._clock_ns(),
                author=author,
                action=action,
                sql=case.row.sql,
                detail=detail,
            )
        )

    def _target_of(self, unit: Queued) -> str | None:
        """Return the target that a request names, if its workspace has it."""
        return self._targets.alias(unit.workspace, unit.target) if unit.target else None


def _known(writer: GoldenWriter, workspace: str, case_id: int) -> StoredCase:
    found = writer.case(workspace, case_id)
    if found is None:
        raise UnknownSubjectError("no such golden case in this workspace")
    return found


def _statement(sql: str) -> str:
    stripped = bounded(sql.strip(), name="the SQL")
    if not stripped:
        raise DecisionError("give the SQL")
    return stripped
