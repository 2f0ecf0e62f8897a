"""Units that can be evaluated offline, in pages: generated SQL with its reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs_collector.evaluation.content import content_of
from sqlobs_collector.evaluation.references import reference_of
from sqlobs_collector.evaluation.requests import target_of

if TYPE_CHECKING:
    from sqlobs_collector.evaluation.content import Content
    from sqlobs_collector.evaluation.golden_set import GoldenSet
    from sqlobs_collector.evaluation.requests import Targets
    from sqlobs_collector.store.reading import PageSelection, StoreReader
    from sqlobs_collector.store.rows import Queued

_UNITS: Final = 200
_BYTES: Final = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CasePage:
    """A page of cases in order of arrival."""

    cases: list[dict[str, object]]
    units: int
    """Number of units read for this page."""
    last: int | None
    """ID of the last unit read; `None` = there are no more units."""


class CaseReader:
    """Reads pages of cases, with the reference that the evaluator would use."""

    def __init__(self, store: StoreReader, *, golden: GoldenSet | None, targets: Targets) -> None:
        self._store = store
        self._golden = golden
        self._targets = targets

    def page(self, workspace: str, selection: PageSelection) -> CasePage:
        """Return the next page of a workspace; one without cases need not be the last."""
        units = self._store.page(workspace, selection, limit=_UNITS, max_bytes=_BYTES)
        found = map(self._case, units)
        cases = [case for case in found if case is not None]
        return CasePage(cases, len(units), units[-1].unit_id if units else None)

    def _case(self, unit: Queued) -> dict[str, object] | None:
        content = content_of(unit)
        if not _is_whole(unit, content):
            return None
        target = target_of(unit, self._targets)
        reference = reference_of(unit, content, golden=self._golden, target=target)
        if reference is None:
            return None
        return {
            "id": unit.generation_id,
            "question": content.question,
            "sql": content.sql,
            "reference": reference.sql,
            "reference_source": reference.source,
            "hint": content.hints,
            "target": unit.target or target,
            "dialect": unit.dialect,
        }


def _is_whole(unit: Queued, content: Content) -> bool:
    """Return whether the SQL is complete: not masked, redacted or truncated."""
    is_cut = content.attributes.get(semconv.SQLOBS_QUERY_TRUNCATED) is True
    return unit.capture == "raw" and content.sql is not None and not is_cut
