"""The page of metrics of the program `tests.monitoring.outages`; the program itself takes minutes."""

from __future__ import annotations

from collections import defaultdict

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.monitoring.outages import CREEPING, EXPECTED, Shops


def sums(shops, **wanted):
    """The sum of a metric's series by service."""
    found = defaultdict(float)
    name = wanted.pop("name")
    for family in text_string_to_metric_families(shops.text()):
        for sample in family.samples:
            if sample.name == name and wanted.items() <= sample.labels.items():
                found[sample.labels["service_name"]] += sample.value
    return found


@pytest.mark.parametrize(
    ("name", "labels", "services"),
    [
        ("sqlobs_evaluations_total", {"gen_ai_evaluation_name": "syntactic", "gen_ai_evaluation_score_label": "fail"}, {"unparsable"}),
        ("sqlobs_generations_total", {"sqlobs_outcome": "error"}, {"raising"}),
        ("sqlobs_schema_stale", {}, {"loader"}),
        ("sqlobs_evaluations_total", {"gen_ai_evaluation_name": "schema_hallucination", "gen_ai_evaluation_score_label": "fail"}, {"inventing", CREEPING}),
    ],
    ids=["syntax", "application", "schema", "invented names"],
)  # fmt: skip
def test_an_outage_moves_its_own_counter(name, labels, services):
    """And no other service's; before it, nothing is wrong."""
    shops = Shops()
    shops.export()
    assert not any(sums(shops, name=name, **labels).values())
    shops.is_out = True
    shops.export()
    moved = {service for service, value in sums(shops, name=name, **labels).items() if value}
    assert moved == services
    asked = sums(shops, name="sqlobs_generations_total")
    assert set(asked) == {"healthy", CREEPING, *EXPECTED}
    assert asked["silent"] == asked["healthy"] / 2
