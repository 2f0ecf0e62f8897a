"""Why cases failed: failure codes, kinds of mistake, and execution buckets."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.failure_codes import CODES, group_of, primary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlobs.runs.case import Bucket, CaseResult, CheckSummary

BUCKET_TITLES: Final[dict[Bucket, str]] = {
    "ok": "Results match",
    "mismatch": "Results differ",
    "skipped": "Not compared",
    "non_select": "Not a query",
    "gold_fail": "Reference fails",
    "pred_fail": "Prediction fails",
    "timeout": "Timeout",
    "other_error": "Undecided",
}
"""Labels of the pipeline's buckets."""

MISTAKE_TITLES: Final = {
    "perfect": "Perfect",
    "over_prediction": "Extra results",
    "under_prediction": "Missing results",
    "partial": "Partially correct",
    "wrong": "Wrong result",
}
"""The diagnosis, from best to worst."""

MISTAKE_HINTS: Final = {
    "perfect": "the result equals the reference's.",
    "over_prediction": "the result contains the reference's, plus extra rows or columns.",
    "under_prediction": "the returned cells are correct, but many are missing.",
    "partial": "some cells are correct, some are missing, some are extra.",
    "wrong": "almost no cell is correct; the structure of the query is probably wrong.",
}


@dataclass(frozen=True, slots=True)
class Share:
    """The number of cases with a property."""

    name: str
    title: str
    count: int
    total: int

    @property
    def share(self) -> float:
        """The count over all cases, in [0, 1]."""
        return self.count / self.total if self.total else 0.0


def codes_of(case: CaseResult) -> tuple[str, ...]:
    """Return the failure codes of a case, the primary first, each once.

    Includes codes of the checker's errors and of the engine's error, and `result.mismatch` if both
    results exist and differ.
    """
    found: dict[str, None] = {}
    if case.check:
        found.update((item.code, None) for item in case.check.findings if item.severity == "error")
    if case.predicted and case.predicted.failure_code:
        found[case.predicted.failure_code] = None
    if case.bucket == "mismatch":
        found["result.mismatch"] = None
    first = primary(code for code in found if code in CODES)
    return tuple(sorted(found, key=lambda code: code != first))


def reason_of(case: CaseResult) -> str:
    """Return why a case fails: its primary failure code, else its bucket."""
    return next(iter(codes_of(case)), case.bucket)


def code_shares(cases: Sequence[CaseResult]) -> list[Share]:
    """Count cases by failure code, the most frequent first; a case may count for several."""
    counts = Counter(code for case in cases for code in codes_of(case))
    return [
        Share(code, CODES[code].definition if code in CODES else "", count, len(cases))
        for code, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]


def bucket_shares(cases: Sequence[CaseResult]) -> list[Share]:
    """Count cases by bucket, in the pipeline's order, empty ones included."""
    counts = Counter(case.bucket for case in cases)
    return [
        Share(bucket, title, counts[bucket], len(cases)) for bucket, title in BUCKET_TITLES.items()
    ]


def was_executed(cases: Iterable[CaseResult]) -> bool:
    """Return whether any statement was executed, so that buckets tell something."""
    return any(
        case.esm is not None or (case.predicted is not None and not case.has_reference)
        for case in cases
    )


def known_counts(cases: Sequence[CaseResult]) -> dict[str, int]:
    """Return the number of cases per bucket and per failure code, for those that were looked for.

    A count that could not have been above 0 is omitted, so that no gate passes because of it:
    buckets without execution, codes that neither the checker nor the engine could have found.
    """
    found = {share.name: share.count for share in code_shares(cases)}
    found |= {code: 0 for code in CODES if code not in found and _may_be_found(code, cases)}
    if was_executed(cases):
        return found | {share.name: share.count for share in bucket_shares(cases)}
    return found | ({"skipped": len(cases)} if cases else {})


def _may_be_found(code: str, cases: Sequence[CaseResult]) -> bool:
    """Return whether any of the code's detectors ran on any of the cases."""
    looked: dict[str, Callable[[CaseResult], bool]] = {
        "static": lambda case: case.check is not None and _was_checked(code, case.check),
        "engine": lambda case: case.predicted is not None,
        "result": lambda case: case.esm is not None,
        "judge": lambda case: case.judge is not None and case.judge.correct is not None,
    }
    return any(looked[who](case) for who in CODES[code].found_by for case in cases)


def _was_checked(code: str, check: CheckSummary) -> bool:
    """Return whether the checker could have found a code: names are only checked with a schema."""
    labels = {"syntax": check.syntactic is not None, "schema": check.schematic is not None}
    return labels.get(group_of(code), check.verdict != "not_evaluated")


def mistake_shares(cases: Iterable[CaseResult]) -> list[Share]:
    """Count diagnosed cases by kind of mistake, from best to worst; none if none was diagnosed."""
    counts = Counter(case.mistake for case in cases if case.mistake is not None)
    total = counts.total()
    return [
        Share(mistake, MISTAKE_TITLES.get(mistake, mistake), counts[mistake], total)
        for mistake in (*MISTAKE_TITLES, *sorted(counts.keys() - MISTAKE_TITLES.keys()))
        if total
    ]


def invented_names(cases: Iterable[CaseResult]) -> list[tuple[str, str, int]]:
    """Return the invented names with the probably intended name ("" if unknown) and the count."""
    counts = Counter(
        (item.identifier, item.suggestion or "")
        for case in cases
        if case.check
        for item in case.check.findings
        if item.severity == "error" and item.identifier and item.code.startswith("schema.unknown_")
    )
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(name, meant, count) for (name, meant), count in ranked]
