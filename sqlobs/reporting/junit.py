"""A run as JUnit XML for CI servers: one test per case and per gate."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from sqlobs.reporting.failures import BUCKET_TITLES, codes_of
from sqlobs.reporting.judge_cost import judge_cost, verdicts_by_judge
from sqlobs.reporting.judge_rates import judge_rates
from sqlobs.reporting.judged import OVERALL, VERDICT_WORDS, judge_of, judged_groups, score_title
from sqlobs.reporting.rates import has_passed_alone
from sqlobs.reporting.wording import one_line, shortened
from sqlobs.runs.case import NO_REFERENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sqlobs.reporting.gates import GateVerdict
    from sqlobs.runs.case import CaseResult, JudgeVerdict
    from sqlobs.runs.run import Run

_NO_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAME: Final = 120
_MESSAGE: Final = 300
_NO_PROPERTIES: Final[Mapping[str, str]] = MappingProxyType({})


def junit_document(run: Run, verdicts: Sequence[GateVerdict] = ()) -> str:
    """Return the XML. A wrong prediction is a failure; an undecided case is an error.

    Args:
        run: The run; its cases become one suite.
        verdicts: Gate results; they become a separate suite.
    """
    root = ET.Element("testsuites", name="sqlobs")
    tests = [_case(run, case) for case in run.cases]
    _suite(root, _clean(run.name), tests, run.started_at, properties=_properties(run))
    if verdicts:
        _suite(root, "gates", [_gate(verdict) for verdict in verdicts], run.started_at)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def write_junit(run: Run, path: Path, *, verdicts: Sequence[GateVerdict] = ()) -> None:
    """Write the XML to a file."""
    path.write_text(junit_document(run, verdicts), encoding="utf-8", newline="\n")


def _suite(
    root: ET.Element,
    name: str,
    tests: list[ET.Element],
    started_at: str | None,
    *,
    properties: Mapping[str, str] = _NO_PROPERTIES,
) -> None:
    seconds = sum(float(test.get("time", 0)) for test in tests)
    suite = ET.SubElement(root, "testsuite", name=name, tests=str(len(tests)))
    for kind, counted in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(counted, str(sum(test.find(kind) is not None for test in tests)))
    suite.set("time", f"{seconds:.3f}")
    if started_at:
        suite.set("timestamp", _clean(started_at))
    if properties:
        listed = ET.SubElement(suite, "properties")
        for key, value in properties.items():
            ET.SubElement(listed, "property", name=key, value=_clean(value))
    suite.extend(tests)


def _properties(run: Run) -> dict[str, str]:
    """Return the rates of the judges and what they cost, by name."""
    rates = {f"judge.{found.name}": one_line(found.sentence) for found in judge_rates(run)}
    groups = [group for group in judged_groups(run.cases) if group.title == OVERALL]
    for group in groups:
        rates[f"judge.{score_title(judge_of(run.cases)).lower()}"] = one_line(
            f"{group.flex.count} of {group.flex.total} judged correct, EX {group.ex.count};"
            f" {group.false_positives.count} false positives,"
            f" {group.false_negatives.count} false negatives"
        )
    cost = judge_cost(run)
    if cost is None:
        return rates
    price = {} if cost.usd is None else {"judge.cost_usd": f"{cost.usd:.6f}"}
    calls = {"judge.repeated_calls": str(cost.repeated)} if cost.repeated else {}
    return {**rates, "judge.tokens": str(cost.tokens), **price, **calls}


def _case(run: Run, case: CaseResult) -> ET.Element:
    group = case.difficulty or case.db
    test = ET.Element(
        "testcase",
        classname=_clean(f"{run.name}.{group}" if group else run.name),
        name=_clean(shortened(_name(case), _NAME)),
        time=f"{_seconds(case):.3f}",
    )
    if not case.has_reference:
        _alone(test, case)
    elif case.esm is None and case.em is not None:
        _exact(test, case)
    elif case.bucket != "ok":
        kind = _kind(case)
        codes = ", ".join(codes_of(case))
        found = ET.SubElement(test, kind, message=_message(case))
        if kind != "skipped":
            found.set("type", _clean(codes or case.bucket))
        found.text = _clean(_statements(case))
    said = [_verdict(name, found) for name, found in verdicts_by_judge(case).items()]
    if said:
        ET.SubElement(test, "system-out").text = _clean("\n".join(said))
    return test


def _verdict(name: str, found: JudgeVerdict) -> str:
    why = found.explanation or found.reason
    return f"{name}: {VERDICT_WORDS[found.correct]}" + (f": {one_line(why)}" if why else "")


def _alone(test: ET.Element, case: CaseResult) -> None:
    """Decide a case without a reference by its labels, its execution and its judges."""
    has_passed = has_passed_alone(case)
    if has_passed:
        return
    if has_passed is None:
        ET.SubElement(test, "skipped", message=_message(case))
        return
    rejecting = [name for name, found in case.verdicts.items() if found.correct is False]
    codes = ", ".join((*codes_of(case), *rejecting)) or case.bucket
    why = f"Failed: {codes}" if case.reason == NO_REFERENCE else _message(case)
    found = ET.SubElement(test, "failure", message=_clean(shortened(why, _MESSAGE)))
    found.set("type", _clean(codes))
    found.text = _clean(f"predicted: {case.predicted_sql}")


def _exact(test: ET.Element, case: CaseResult) -> None:
    """Decide by exact match if execution is disabled."""
    if not case.em:
        found = ET.SubElement(test, "failure", message="the texts differ", type="exact_match")
        found.text = _clean(_statements(case))


def _kind(case: CaseResult) -> str:
    if case.bucket == "skipped":
        return "failure" if case.is_empty_prediction else "skipped"
    reference_failed = case.reference is not None and case.reference.status != "ok"
    undecided = case.bucket in {"gold_fail", "other_error"} or reference_failed
    return "error" if undecided else "failure"


def _gate(verdict: GateVerdict) -> ET.Element:
    test = ET.Element("testcase", classname="gates", name=verdict.gate.text, time="0.000")
    if verdict.is_failed:
        ET.SubElement(test, "failure", message=verdict.sentence, type="gate")
    return test


def _name(case: CaseResult) -> str:
    words = (case.id or f"case {case.index}", case.question and one_line(case.question))
    return ": ".join(word for word in words if word)


def _seconds(case: CaseResult) -> float:
    return (case.predicted.elapsed_ms if case.predicted else 0.0) / 1000


def _message(case: CaseResult) -> str:
    title = BUCKET_TITLES[case.bucket]
    text = f"{title}: {one_line(case.reason)}" if case.reason else title
    return _clean(shortened(text, _MESSAGE))


def _statements(case: CaseResult) -> str:
    return f"reference: {case.closest_sql}\npredicted: {case.predicted_sql}"


def _clean(text: str) -> str:
    """Return text without the characters that are not allowed in XML."""
    return _NO_XML.sub("\ufffd", text)
