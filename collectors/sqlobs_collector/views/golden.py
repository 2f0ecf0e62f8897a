"""The golden set of a workspace, as page, API and command show it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from sqlobs_collector.store.golden import GoldenChange, GoldenReader, StoredCase


class GoldenCaseView(BaseModel):
    """A golden case."""

    id: int
    question: str | None
    """None: only its digest was imported."""
    digest: str
    sql: str
    target: str | None
    """None: any target."""
    owner: str
    source: str
    generation_id: str | None
    """The request that it was promoted from."""
    is_in_force: bool
    created_ns: int
    changed_ns: int


class GoldenChangeView(BaseModel):
    """An entry of a case's history."""

    at_ns: int
    author: str
    action: str
    sql: str
    detail: dict[str, Any]
    """What came of a run."""


class GoldenSetView(BaseModel):
    """The cases of a workspace, the latest change first."""

    cases: list[GoldenCaseView]
    in_force: int


class GoldenCaseHistory(BaseModel):
    """A case with its history, the latest entry first."""

    case: GoldenCaseView
    history: list[GoldenChangeView]


def golden_set_view(reader: GoldenReader, workspace: str, *, text: str = "") -> GoldenSetView:
    """Return the cases of a workspace whose question, SQL or owner contains a text."""
    sought = text.strip().casefold()
    cases = [
        case_view(one)
        for one in reader.cases(workspace)
        if sought in f"{one.row.question}\n{one.row.sql}\n{one.row.owner}".casefold()
    ]
    return GoldenSetView(cases=cases, in_force=sum(case.is_in_force for case in cases))


def golden_history(reader: GoldenReader, case: StoredCase) -> GoldenCaseHistory:
    """Return a case with its history."""
    history = [_change_view(one) for one in reader.history(case.case_id)]
    return GoldenCaseHistory(case=case_view(case), history=history)


def golden_lines(reader: GoldenReader, workspace: str) -> str:
    """Return the active cases in the format of a golden file, oldest first."""
    cases = [one.row for one in reader.cases(workspace) if one.row.is_in_force]
    lines = []
    for row in sorted(cases, key=lambda one: one.created_ns):
        named = {"question": row.question} if row.question else {"digest": row.digest}
        document = {**named, "sql": row.sql, **({"target": row.target} if row.target else {})}
        lines.append(json.dumps(document, ensure_ascii=False) + "\n")
    return "".join(lines)


def case_view(stored: StoredCase) -> GoldenCaseView:
    """Return a case as it is shown."""
    row = stored.row
    return GoldenCaseView(
        id=stored.case_id,
        question=row.question,
        digest=row.digest,
        sql=row.sql,
        target=row.target or None,
        owner=row.owner,
        source=row.source,
        generation_id=row.generation_id,
        is_in_force=row.is_in_force,
        created_ns=row.created_ns,
        changed_ns=row.changed_ns,
    )


def _change_view(change: GoldenChange) -> GoldenChangeView:
    return GoldenChangeView(
        at_ns=change.at_ns,
        author=change.author,
        action=change.action,
        sql=change.sql,
        detail=json.loads(change.detail or "{}"),
    )
