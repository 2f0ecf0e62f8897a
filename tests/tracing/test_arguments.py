"""Arguments of the wrong type are rejected where they are given, in one sentence."""

from __future__ import annotations

import asyncio

import pytest

from sqlobs import (
    Policy,
    Sqlobs,
    check_sql,
    check_sql_async,
    trace_execution,
    trace_generation,
    trace_llm,
    trace_retrieval,
)
from sqlobs.errors import ConfigError

POLICY = r"give a Policy, such as Policy\(denied_tables={'salaries'}\)"


class OtherPolicy:
    """A class with the right name only."""


OtherPolicy.__name__ = "Policy"


@pytest.mark.parametrize(
    ("argument", "given", "sentence"),
    [
        ("service_name", 5, r"is an int \(5\); give a string"),
        ("schema", "CREATE TABLE a (b int)", "is a str; give a Schema, such as"),
        ("schema", {"a": ["b"]}, "is a dict; give a Schema, such as"),
        ("dialect", 15, r"is an int \(15\); give a dialect such as 'postgres'"),
        ("dialect", ["postgres"], "is a list; give a dialect such as"),
        ("collector", 4318, r"is an int \(4318\); give a string"),
        ("mode", "fast", "is 'fast'; give 'auto', 'inline' or 'deferred'"),
        ("mode", True, r"is a bool \(True\); give 'auto'"),
        ("check", False, r"is a bool \(False\); give 'auto', 'application', 'process' or 'off'"),
        ("native", "yes", "is a str; give True, False or an Engine"),
        ("native", 1, r"is an int \(1\); give True, False or an Engine"),
        ("strict", "all", "is 'all'; give 'sql_correctness'"),
        ("policy", {"denied_tables": ["salaries"]}, f"is a dict; {POLICY}"),
        ("policy", OtherPolicy(), f"is a Policy; {POLICY}"),
        ("policy", Policy, f"is the class Policy; {POLICY}"),
        ("redact", "sql", "is a str; give a function of kind and text"),
        ("fallback", object(), r"is an object; give an LlmFallback"),
        ("fallback_mode", "later", "is 'later'; give 'late', 'wait' or 'always'"),
        ("mark_failures_as_errors", "yes", "is a str; give True or False"),
        ("set_global", 1, r"is an int \(1\); give True or False"),
        ("tracer_provider", "otel", "is a str; give a TracerProvider"),
        ("delivers_inline", "yes", "is a str; give True or False"),
    ],
)
def test_configure_rejects_the_wrong_type(argument: str, given: object, sentence: str):
    """At once, not as a report that was not evaluated."""
    with pytest.raises(ConfigError, match=f"^argument {argument}: {sentence}"):
        Sqlobs(**{argument: given})


@pytest.mark.parametrize(
    ("decorate", "argument", "given", "sentence"),
    [
        (trace_generation, "name", 5, "give a string"),
        (trace_generation, "schema", "ddl", "is a str; give a Schema"),
        (trace_generation, "dialect", 5, "or a Profile, or a callable"),
        (trace_generation, "sql", 5, "give the name of a field, a callable of the result, or None"),
        (trace_generation, "collect", "join", "is a str; give a function"),
        (trace_execution, "kind", "server", "is 'server'; give 'internal' or 'client'"),
        (trace_llm, "provider", b"openai", "is a bytes; give a string"),
        (trace_retrieval, "source", 5, "give a string"),
    ],
)
def test_a_decorator_rejects_the_wrong_type(decorate, argument: str, given, sentence: str):
    """Where the function is decorated."""
    with pytest.raises(ConfigError, match=f"^argument {argument}: .*{sentence}"):
        decorate(**{argument: given})


@pytest.mark.parametrize(
    ("argument", "given", "sentence"),
    [
        ("dialect", 5, r"is an int \(5\); give a dialect"),
        ("native", "yes", "is a str; give True"),
        ("policy", {"denied_tables": ["salaries"]}, f"is a dict; {POLICY}"),
    ],
)
def test_a_check_rejects_the_wrong_type(argument: str, given: object, sentence: str):
    """The same sentence from both forms."""
    with pytest.raises(ConfigError, match=f"^argument {argument}: {sentence}"):
        check_sql("SELECT 1", **{"dialect": "sqlite", argument: given})
    with pytest.raises(ConfigError, match=f"^argument {argument}: {sentence}"):
        asyncio.run(check_sql_async("SELECT 1", **{"dialect": "sqlite", argument: given}))


@pytest.mark.parametrize(
    ("argument", "given"), [("fallback", "gpt"), ("fallback_mode", "soon"), ("hints", 5)]
)
def test_an_asynchronous_check_rejects_a_wrong_fallback(argument: str, given: object):
    """Before anything is checked."""
    with pytest.raises(ConfigError, match=f"^argument {argument}: "):
        asyncio.run(check_sql_async("SELECT 1", dialect="sqlite", **{argument: given}))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("orders", "denied_tables takes a set of names: write {'orders'}"),
        (5, "denied_tables takes a set of names, not int"),
        ({"orders": 1}, "denied_tables takes a set of names, not dict"),
        (None, "denied_tables takes a set of names, not NoneType"),
        ([5], "denied_tables takes names as non-empty strings, not 5"),
        ([""], "denied_tables takes names as non-empty strings, not ''"),
    ],
)
def test_a_policy_rejects_values_that_are_not_names(given: object, sentence: str):
    """A field of the policy is a collection of names."""
    with pytest.raises(ConfigError, match=sentence):
        Policy(denied_tables=given)
