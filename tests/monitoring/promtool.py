"""Histories of series that promtool evaluates rules on, and what it must find at which time."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from sqlobs.monitoring.files import rules_document
from sqlobs.monitoring.settings import RuleSettings
from tests.monitoring.expressions import selectors
from tests.servers import installed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

NOTHING: list[float] = []


def values_of(samples: np.ndarray) -> str:
    """Return samples as test files write them; NaN is a sample that a scrape did not find.

    Prometheus marks the first of those as stale.
    """
    runs = [(value, len(list(run))) for value, run in groupby(map(_text, samples))]
    written = [_run(value, times) for value, times in runs]
    written[1:] = [
        _ended(times) if value == "_" else text
        for (value, times), text in zip(runs[1:], written[1:], strict=True)
    ]
    return " ".join(written)


def _text(value: float) -> str:
    return "_" if np.isnan(value) else f"{value:.15g}"


def _run(value: str, times: int) -> str:
    # `_x3` is three samples, but `1x3` is four.
    if value == "_":
        return f"_x{times}"
    return value if times == 1 else f"{value}x{times - 1}"


def _ended(times: int) -> str:
    return f"stale _x{times - 1}" if times > 1 else "stale"


def rules_for(alerts: Collection[str], settings: RuleSettings | None = None) -> dict[str, object]:
    """Return the rule file without the rules that none of some alerts reads, directly or not."""
    groups = rules_document(settings or RuleSettings())["groups"]
    needed: set[str] = set(alerts)
    for group in reversed(groups):
        for rule in reversed(group["rules"]):
            if _name(rule) in needed:
                needed |= {each.name for each in selectors(rule["expr"])}
    kept = [
        {**group, "rules": [rule for rule in group["rules"] if _name(rule) in needed]}
        for group in groups
    ]
    return {"groups": [group for group in kept if group["rules"]]}


def _name(rule: Mapping[str, str]) -> str:
    return rule.get("record") or rule["alert"]


@dataclass
class History:
    """Series by name, and the value that expressions have at times."""

    interval_s: int
    evaluation_s: int
    series: dict[str, np.ndarray] = field(default_factory=dict)
    expected: list[tuple[str, int, list[float]]] = field(default_factory=list)
    """An expression without labels, a time in seconds, and its value; empty: it has none."""

    def expect(self, expression: str, at_s: int, value: float | None) -> None:
        """Expect a value; None: there is no sample."""
        self.expected.append((expression, int(at_s), NOTHING if value is None else [value]))

    def differences(self, directory: Path, rules: Mapping[str, object]) -> str:
        """Return what promtool finds otherwise than expected; empty if nothing is."""
        (directory / "rules.yml").write_text(json.dumps(rules))
        (directory / "test.yml").write_text(json.dumps(self._document(rules)))
        done = subprocess.run(
            [installed("promtool"), "test", "rules", "test.yml"],
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
        )
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def _document(self, rules: Mapping[str, object]) -> dict[str, object]:
        return {
            "rule_files": ["rules.yml"],
            "group_eval_order": [group["name"] for group in rules["groups"]],
            "evaluation_interval": f"{self.evaluation_s}s",
            "tests": [
                {
                    "interval": f"{self.interval_s}s",
                    "input_series": [
                        {"series": name, "values": values_of(samples)}
                        for name, samples in self.series.items()
                    ],
                    "promql_expr_test": [
                        {
                            "expr": expression,
                            "eval_time": f"{at_s}s",
                            "exp_samples": [{"labels": "{}", "value": value} for value in values],
                        }
                        for expression, at_s, values in self.expected
                    ],
                }
            ],
        }
