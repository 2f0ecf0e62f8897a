"""The rules' unit tests, cheap enough for the suite: histories side by side in one.

promtool spends its time on evaluations, whatever there is to evaluate. Here each history is a
service of its own in one long history, so that the whole rule file is evaluated once for all.
`python -m tests.monitoring.side_by_side` runs each alone, as users get them: ten times as slow.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlobs.monitoring.files import RULE_TESTS, RULES, SLOW_RULE_TESTS, generate, rules_document
from sqlobs.monitoring.promql import SERVICE
from sqlobs.monitoring.rule_cases import SLOW_STEP_S, STEP_S, cases, slow_cases
from sqlobs.monitoring.rule_tests import SHOP, tests_document
from sqlobs.monitoring.settings import RuleSettings
from tests.monitoring.month import PAGES
from tests.monitoring.promtool import rules_for
from tests.servers import installed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlobs.monitoring.rule_tests import Case

    Rules = Mapping[str, Any]

SETTINGS = RuleSettings()
SHORT, MEDIUM = 40, 100
"""Steps: a history that is over goes on costing."""
_USUAL = f'{SERVICE[0]}="{SHOP[SERVICE[0]]}"'


def short() -> tuple[Sequence[Case], Rules]:
    """Return the histories of services that are over soon, and the whole rule file."""
    return _of_services(0, SHORT), rules_document(SETTINGS)


def medium() -> tuple[Sequence[Case], Rules]:
    """Return those that last longer, and the whole rule file."""
    return _of_services(SHORT, MEDIUM), rules_document(SETTINGS)


def long() -> tuple[Sequence[Case], Rules]:
    """Return those that last longest, with the rules of what pages and what fires in one."""
    found = _of_services(MEDIUM, 10**9)
    return found, _rules_of(found, *PAGES)


def of_collector() -> tuple[Sequence[Case], Rules]:
    """Return the histories of the collector alone, with the rules that read nothing else."""
    found = [case for case in cases(SETTINGS) if not _is_of_service(case)]
    return found, _rules_of(found)


def of_days() -> tuple[Sequence[Case], Rules]:
    """Return the histories of days, with the rules of the alerts that fire in one of them."""
    found = [*slow_cases(SETTINGS)]
    return found, _rules_of(found)


GROUPS: Mapping[str, Callable[[], tuple[Sequence[Case], Rules]]] = {
    "short": short,
    "medium": medium,
    "long": long,
    "collector": of_collector,
    "days": of_days,
}


def differences(group: str) -> str:
    """Return what promtool finds otherwise than a group's histories expect."""
    found, rules = GROUPS[group]()
    step_s = SLOW_STEP_S if group == "days" else STEP_S
    names = [each["name"] for each in rules["groups"]]
    document = tests_document(found, SETTINGS, rules=RULES, groups=names, step_s=step_s)
    if group != "collector":
        document["tests"] = [_merged(document["tests"])]
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / RULES).write_text(json.dumps(rules))
        (Path(directory) / RULE_TESTS).write_text(json.dumps(document))
        return _said(Path(directory), RULE_TESTS)


def _of_services(above: int, most: int) -> Sequence[Case]:
    found = [case for case in cases(SETTINGS) if _is_of_service(case)]
    return [case for case in found if above < _steps(case) <= most]


def _is_of_service(case: Case) -> bool:
    fired = [one for firing in case.firing.values() for one in firing]
    has_own_up = any(name.startswith("up{") for name in case.series)
    return (
        case.is_collector_up and not has_own_up and all(SERVICE[0] in one.labels for one in fired)
    )


def _steps(case: Case) -> int:
    return max(case.firing.keys() | case.values.keys())


def _merged(tests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return tests as one, in which each is about a service of its own."""
    named = [_named(test, f"shop{place}") for place, test in enumerate(tests)]
    series = {one["series"]: one for test in named for one in test["input_series"]}
    return {
        **named[0],
        "name": "side by side",
        "input_series": [*series.values()],
        "promql_expr_test": [one for test in named for one in test["promql_expr_test"]],
    }


def _named(test: Mapping[str, Any], service: str) -> dict[str, Any]:
    """Return a test as one of another service."""
    own = f'{SERVICE[0]}="{service}"'
    found: dict[str, Any] = json.loads(
        json.dumps(test).replace(json.dumps(_USUAL)[1:-1], json.dumps(own)[1:-1])
    )
    for one in found["promql_expr_test"]:
        # ALERTS{alertstate="firing"}, or sum(workflow:sqlobs_schema_hallucination:ratio1h)
        is_alert = one["expr"].startswith("ALERTS{")
        before = "}" if is_alert else ")"
        matcher = f", {own}}}" if is_alert else f"{{{own}}})"
        one["expr"] = one["expr"].removesuffix(before) + matcher
    return found


def _rules_of(found: Iterable[Case], *more: str) -> Rules:
    fired = {one.name for case in found for firing in case.firing.values() for one in firing}
    return rules_for({*fired, *more})


def _said(directory: Path, *files: str) -> str:
    command = [installed("promtool"), "test", "rules", *files]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main() -> int:
    """Print what promtool says of the generated files; 1 if a test fails."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in generate(SETTINGS).items():
            (Path(directory) / name).write_text(text)
        found = _said(Path(directory), RULE_TESTS, SLOW_RULE_TESTS)
    count = sum(1 for _ in cases(SETTINGS)) + sum(1 for _ in slow_cases(SETTINGS))
    print(found or f"{count} histories, each alone: as expected")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
