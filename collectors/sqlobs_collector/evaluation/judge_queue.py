"""Requests to the judge about an evaluated unit, or the reason why there are none."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlobs import check_sql, semconv
from sqlobs.check.fallback import open_labels, request_of
from sqlobs.errors import SqlobsError
from sqlobs.execution.fan_out import fan_outs
from sqlobs.failure_codes import CODES
from sqlobs.judge.item import JudgeItem
from sqlobs.judge.verdicts.facts import facts_of
from sqlobs.judge.verdicts.rendering import render
from sqlobs.judge.verdicts.roster import JUDGE_FAILED, needs_of
from sqlobs_collector.evaluation.evaluation_selection import EvaluationSelection
from sqlobs_collector.evaluation.requests import Skip
from sqlobs_collector.settings.judging import CORRECTNESS, FLEX, FLEX_NOREF
from sqlobs_collector.store.judge_rows import Inquiry
from sqlobs_collector.store.question import pack_question
from sqlobs_collector.store.rows import Evaluated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs.check.report.model import CheckReport
    from sqlobs.execution.executor import Executor
    from sqlobs.failure_codes import Reason
    from sqlobs_collector.evaluation.judge_items import Findings, JudgeItems

_NOT_READ_ONLY: Final = "not_read_only"
_RANDOMNESS_BYTES: Final = 7


class JudgeQueue:
    """Builds requests to the judge."""

    def __init__(
        self,
        items: JudgeItems,
        *,
        version: str,
        rates: Callable[[str], float],
        further: Sequence[str] = (),
        wanted: EvaluationSelection | None = None,
    ) -> None:
        """Set up.

        Args:
            items: Builds what the judge is shown.
            version: Part of a verdict's key, which differs by model.
            rates: Returns the share of a workspace's evaluated units to judge, as it is now.
            further: Additional evaluations without a reference.
            wanted: The selection of evaluations by workflow; None = all.
        """
        self._wanted = wanted or EvaluationSelection()
        self._further = tuple(metric for metric in further if metric != CORRECTNESS)
        self._asks_labels = CORRECTNESS in further
        self._items = items
        self._version = version
        self._rates = rates

    def inquire(
        self, findings: Findings, *, at_ns: int, executor: Executor | None = None
    ) -> list[Inquiry | Evaluated]:
        """Return the inquiries about a unit, or the evaluations that say why there are none.

        Args:
            findings: The findings on the unit.
            at_ns: Current time.
            executor: Runs the proofs for a judge without a reference; `None` = no proofs.
        """
        metrics, sql = self._metrics(findings), findings.content.sql
        rate = self._rates(findings.unit.workspace)
        ask = partial(self._inquiry, findings, rate=rate, at_ns=at_ns)
        reason = self._obstacle(findings, rate)
        if reason is not None or sql is None:
            why = reason or "content_not_captured"
            return [self._unasked(findings, metric, why, at_ns=at_ns) for metric in metrics]
        item = self._items.item(findings, sql)
        bars = {metric: _bar(metric, item, findings) for metric in metrics}
        is_alone = any(bars[metric] is None for metric in metrics if metric != FLEX)
        bare = self._alone(item, findings, executor) if is_alone else item
        inquiries = [
            ask(metric, item if metric == FLEX else bare)
            if bar is None
            else self._unasked(findings, metric, bar, at_ns=at_ns)
            for metric, bar in bars.items()
        ]
        return inquiries + self._undecided(item, findings, ask)

    def _undecided(
        self, item: JudgeItem, findings: Findings, ask: Callable[[str, JudgeItem], Inquiry]
    ) -> list[Inquiry | Evaluated]:
        """Return the inquiries about labels that neither application nor collector could decide."""
        report = self._report(item, findings) if self._asks_labels else None
        if report is None:
            return []
        known = self._items.schema(findings)
        unit = findings.unit
        known_labels = {"syntactic": unit.syntactic, "schematic": unit.schematic}
        wanted = self._wanted.of(unit.workflow)
        asked = [
            name for name in open_labels(report) if name in wanted and known_labels[name] is None
        ]
        facts = request_of(report, known.schema if known else None, item.hints).facts
        bare = JudgeItem(
            sql=item.sql, dialect=item.dialect, schema=item.schema, hints=item.hints, facts=facts
        )
        return [ask(name, bare) for name in asked]

    def _metrics(self, findings: Findings) -> list[str]:
        """Return the judge's evaluations: FLEX if a reference is known, and the additional ones."""
        wanted = self._wanted.of(findings.unit.workflow)
        has_reference = findings.reference is not None and FLEX in wanted
        first = FLEX if has_reference else FLEX_NOREF
        return [metric for metric in (first, *self._further) if metric in wanted]

    def _inquiry(
        self, findings: Findings, metric: str, item: JudgeItem, *, rate: float, at_ns: int
    ) -> Inquiry:
        unit_id, document = findings.unit.unit_id, pack_question(self._items.storable(item))
        return Inquiry(unit_id, metric, self._version, document, rate, queued_ns=at_ns)

    def _unasked(self, findings: Findings, metric: str, reason: Reason, *, at_ns: int) -> Evaluated:
        return Evaluated(
            findings.unit.unit_id,
            metric,
            self._version,
            "not_evaluated",
            "llm",
            created_ns=at_ns,
            reason=reason,
            emitted_ns=at_ns,
        )

    def _alone(self, item: JudgeItem, findings: Findings, executor: Executor | None) -> JudgeItem:
        """Return the item for a judge without a reference, with the automatic findings."""
        outcome = findings.pair.prediction.outcome if findings.pair is not None else None
        proofs = self._proofs(item, findings, executor)
        ran = outcome is not None and outcome.status == "ok"
        return replace(
            item,
            reference=None,
            reference_result=None,
            results_equal=None,
            predicted_result=render(outcome.table) if outcome and ran else None,
            facts=(*self._checked(item, findings), *facts_of(None, outcome, proofs=proofs)),
        )

    def _checked(self, item: JudgeItem, findings: Findings) -> list[str]:
        """Return the checker's findings, and the definitions of the application's codes.

        A unit has only codes: its SQL is checked again here, with the same schema.
        """
        report = self._report(item, findings)
        facts = [] if report is None else list(facts_of(report))
        seen = set() if report is None else {finding.code for finding in report.findings}
        known = _known(findings.content.attributes.get(semconv.SQLOBS_FAILURE_CODES))
        others = [code for code in known if code not in seen]
        return facts + [f"checker: {CODES[code].definition} ({code})" for code in others]

    def _report(self, item: JudgeItem, findings: Findings) -> CheckReport | None:
        """Check the statement; `None` where its schema or dialect is unknown."""
        known = self._items.schema(findings)
        if known is None:
            return None
        try:
            return check_sql(item.sql, schema=known.schema, dialect=item.dialect, native=False)
        except SqlobsError:
            return None

    def _proofs(self, item: JudgeItem, findings: Findings, executor: Executor | None) -> list[str]:
        """Return the proofs by execution that a join inflates an aggregate, if keys are known."""
        request = findings.request
        known = self._items.schema(findings)
        ran = findings.pair is not None and findings.pair.prediction.outcome.status == "ok"
        if executor is None or isinstance(request, Skip) or known is None or not ran:
            return []
        found = fan_outs(
            executor,
            item.sql,
            schema=known.schema,
            dialect=item.dialect or "",
            target=request.target,
            limits=request.limits,
            session=request.session,
        )
        return [proof.sentence for proof in found]

    def _obstacle(self, findings: Findings, rate: float) -> Reason | None:
        """Return why no judge is called for this unit at all."""
        request = findings.request
        if isinstance(request, Skip) and request.reason != "no_target":
            return request.reason
        return None if _is_chosen(findings.unit.trace_id, rate) else "sampled_out"


def _bar(metric: str, item: JudgeItem, findings: Findings) -> Reason | None:
    """Return why a given judge is not called for an item."""
    needs = needs_of(metric)
    if item.question is None and "question" in needs:
        return "content_not_captured"
    refusal = findings.pair.prediction.refusal if findings.pair else None
    is_wrong = refusal == _NOT_READ_ONLY and findings.reference is not None
    if refusal is not None and not is_wrong and metric not in JUDGE_FAILED:
        return "refused"
    compared = next((one.reason for one in findings.scores if one.name == "ex"), None)
    if metric == FLEX and compared is not None:
        return compared
    return "schema_unknown" if item.schema is None and "schema" in needs else None


def _known(codes: object) -> list[str]:
    """Return the failure codes of a unit that this version knows."""
    listed = codes if isinstance(codes, list | tuple) else ()
    return [code for code in listed if isinstance(code, str) and code in CODES]


def _is_chosen(trace_id: str, rate: float) -> bool:
    """Decide by a hash of the trace: independent of the unit's sampling, the same in a replay."""
    digest = hashlib.blake2b(trace_id.encode(), digest_size=_RANDOMNESS_BYTES, person=b"judge")
    share = int.from_bytes(digest.digest(), "big") / (1 << 8 * _RANDOMNESS_BYTES)
    return share < rate
