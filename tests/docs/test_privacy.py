"""The privacy page against what is really sent."""

from __future__ import annotations

import re
from pathlib import Path

import sqlobs
from sqlobs.testing import capture_spans

PAGE = (Path(__file__).parents[2] / "docs" / "privacy.md").read_text(encoding="utf-8")
SCHEMA = sqlobs.Schema.from_mapping({"customers": ["id", "email", "city"]}, dialect="postgres")
ANSWER = "SELECT mail FROM customers WHERE city = 'Oslo' AND id > 47110815 -- for Ada"


@sqlobs.trace_generation(schema=SCHEMA)
def generate_sql(question):
    """Stand for a model that was told a secret."""
    return ANSWER


def _shown(value):
    return value if isinstance(value, str) else repr(value)


def test_the_page_shows_every_attribute_of_a_default_span():
    """What the page quotes is what is on the span, all of it; times and versions apart."""
    with capture_spans() as spans:
        generate_sql("Where does Ada Lovelace live?")
    seen = dict(spans.generation.attributes)
    (quoted,) = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
    expected = dict(line.split(maxsplit=1) for line in quoted.splitlines())
    varies = {name for name, value in expected.items() if value == "..."}
    assert {name: "..." if name in varies else _shown(seen[name]) for name in seen} == expected


def test_nothing_of_question_literal_or_comment_is_on_the_span_or_in_a_counter():
    """The values of the example occur nowhere but in the unit, which goes to a collector alone."""
    with capture_spans() as spans:
        generate_sql("Where does Ada Lovelace live?")
        unit = spans.units[0]
    exported = "".join(span.to_json() for span in spans)
    assert [word for word in ("Ada", "Oslo", "47110815") if word in exported] == []
    assert "47110815" in unit.query_text
