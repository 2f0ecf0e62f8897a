"""The price table: cost of requests whose application reports none."""

from __future__ import annotations

import pytest

from sqlobs import current_generation
from sqlobs.config import load_settings
from sqlobs.errors import ConfigError
from sqlobs.prices import Price
from sqlobs.testing import capture_spans
from sqlobs.tracing.instance import Sqlobs

TABLE = {"gpt-4o": {"input": 2.5, "output": 10}, "local": Price(0, 0)}


def cost_of(*, model, prices=TABLE, **usage):
    """Trace one request and return its cost attribute."""
    instance = Sqlobs(dialect="sqlite", prices=prices)
    with capture_spans(instance) as spans, instance.context(model=model):

        @instance.trace_generation
        def generate():
            current_generation().set(**usage)
            return "SELECT 1"

        generate()
        return spans.generation.attributes.get("sqlobs.usage.cost")


@pytest.mark.parametrize("model", ["gpt-4o", "openai/GPT-4o-2024-08-06"])
def test_tokens_cost_what_the_table_says(model):
    """Provider prefix, case and release date do not matter."""
    assert cost_of(model=model, input_tokens=1_000_000, output_tokens=100_000) == 3.5


def test_a_reported_cost_wins():
    assert cost_of(model="gpt-4o", input_tokens=1000, cost_usd=0.25) == 0.25


@pytest.mark.parametrize(
    ("model", "usage"), [("unlisted", {"input_tokens": 5}), ("gpt-4o", {}), (None, {})]
)
def test_an_unknown_cost_stays_unknown(model, usage):
    """Never zero: a missing price is not a price of nothing."""
    assert cost_of(model=model, **usage) is None


def test_a_free_model_costs_nothing():
    assert cost_of(model="local", input_tokens=5) == 0


def test_the_table_is_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("SQLOBS_PRICES", "gpt-4o=2.5:10, my-model = 1 : 4")
    assert load_settings().prices == {"gpt-4o": Price(2.5, 10), "my-model": Price(1, 4)}


@pytest.mark.parametrize("text", ["gpt-4o", "gpt-4o=2.5", "gpt-4o=a:b", "=1:2", "gpt-4o=-1:2"])
def test_an_unreadable_table_gives_one_error_sentence(monkeypatch, text):
    monkeypatch.setenv("SQLOBS_PRICES", text)
    with pytest.raises(ConfigError, match="SQLOBS_PRICES: write it as model=input:output"):
        load_settings()


def test_a_negative_price_is_one_sentence():
    with pytest.raises(ConfigError, match="argument prices: a price must be a number"):
        Sqlobs(prices={"gpt-4o": {"input": -1, "output": 2}})
