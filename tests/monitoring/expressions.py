"""What an expression of PromQL refers to, read from its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import promql_parser

from sqlobs import semconv
from sqlobs.semconv.collector import COLLECTOR_METRICS
from sqlobs.semconv.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

OF_PROMETHEUS = {"up", "ALERTS"}
VARIABLES = {
    "$__rate_interval_ms": "240000",
    "$__rate_interval": "4m",
    "$__interval_ms": "60000",
    "$__interval": "1m",
    "$__range_s": "21600",
    "$__range": "6h",
    "$window": "1h",
}
"""In this order: no name is the beginning of a later one."""


def substituted(expression: str, **values: str) -> str:
    """Return a dashboard's query as Grafana sends it."""
    for name, value in {**VARIABLES, **values}.items():
        expression = expression.replace(name, value)
    for name in ("$service", "$environment", "$workflow", "$model", "$prompt_version"):
        expression = expression.replace(name, ".*")
    return expression


def selectors(expression: str) -> Iterator[promql_parser.VectorSelector]:
    """Yield the selectors of an expression."""
    yield from _selectors(promql_parser.parse(expression))


def _selectors(node) -> Iterator[promql_parser.VectorSelector]:
    if isinstance(node, promql_parser.VectorSelector):
        yield node
        return
    for name in ("expr", "lhs", "rhs", "vector_selector", "args", "param"):
        inner = getattr(node, name, None)
        for each in inner if isinstance(inner, list) else [inner]:
            if isinstance(each, promql_parser.Expr):
                yield from _selectors(each)


def known_series() -> dict[str, set[str]]:
    """Return the labels of every series that the contract names, by its name."""
    resource = {name.replace(".", "_") for name in semconv.IDENTITY}
    known = {name: {*metric.labels} for name, metric in COLLECTOR_METRICS.items()}
    for metric in METRICS.values():
        labels = {*metric.prometheus_labels, *resource}
        name = metric.prometheus_name
        known[name] = labels
        if metric.kind == "histogram":
            known |= {f"{name}_bucket": {*labels, "le"}, f"{name}_count": labels}
    return known
