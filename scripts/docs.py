"""Write the generated pages of docs/ and the layers of the rules: `python -m scripts.docs`.

A test fails if a page differs from the table in the code that it is generated from.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from scripts.accuracy_page import accuracy_page
from scripts.api_page import api_page
from scripts.code_pages import code_pages
from scripts.dialect_page import dialect_page
from scripts.rule_layers import PROJECT, project_with_layers
from scripts.scores_page import scores_page
from scripts.telemetry_page import telemetry_page
from sqlobs.check.rules import MOST_OF_A_RULE
from sqlobs.config import LlmSettings, Settings, variable_of
from sqlobs.failure_codes import (
    CODES,
    CONTRACT_VERSION,
    PRECEDENCE,
    SCHEMA_HALLUCINATION_CODES,
    SQLSTATE_CODES,
    Reason,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic.fields import FieldInfo
    from pydantic_settings import BaseSettings

DOCS = Path(__file__).parents[1] / "docs"

REASONS = {
    "no_dialect": "No dialect was given and none could be derived from the schema.",
    "no_schema": "No schema was given, so names cannot be checked.",
    "schema_unknown": "The schema's version is not known to the collector.",
    "schema_stale": "A name is unknown, but the schema is older than its `max_age`.",
    "undecided": "The checker cannot decide, for example a name in a table with unknown columns.",
    "too_large": "The statement exceeds the checker's size limit.",
    "too_deep": "The statement exceeds the checker's nesting limit.",
    "abstained": "The application, or the model's answer, declined to give SQL.",
    "clarified": "The application, or the model's answer, asked a clarifying question.",
    "check_off": 'Checking is disabled (`check="off"`).',
    "budget": "The time or money budget was used up.",
    "workspace_budget": "The collector's workspace has used up its own daily budget of the judge.",
    "queue_full": "The queue of deferred checks was full.",
    "pending": "The check has not finished yet.",
    "content_not_captured": "The telemetry that the collector received does not have the text.",
    "no_target": "No database is configured on which to run the statement.",
    "no_reference": "No reference is known to compare with.",
    "refused": "The statement is not allowed to be executed.",
    "sampled_out": "The request was not sampled for this evaluation.",
    "cancelled": "The caller canceled the request before the answer was complete.",
    "call_failed": "The traced function raised an exception.",
    "timeout": "The evaluation exceeded its time limit.",
    "reference_failed": "The reference statement failed.",
    "target_unavailable": "The database was unreachable.",
    "truncated": "The text or the result was truncated at its size limit.",
    "nondeterministic": "The statement may return a different result each time.",
    "judge_unavailable": "The judge's model was unreachable.",
    "judge_malformed": "The judge's answer contained no valid verdict.",
    "error": "An internal error of sqlobs; counted, and logged once per kind.",
}


_FAILURE_CODES = """\
# Failure codes

<!-- Made by scripts/docs.py from sqlobs/failure_codes.py: do not edit. -->

Contract version {version}: {count} codes, never renamed, never reused. A span carries all codes
found in `sqlobs.failure.codes`, the primary one in `sqlobs.failure.code` and its group in
`sqlobs.failure.group`; codes of warnings are in `sqlobs.warning.codes`. Metrics carry only the
primary code, the first one in this order of groups: {precedence}.

The label `syntactic` fails on `syntax.*`, `schematic` on `schema.*`, each on its own. The
evaluation `schema_hallucination`, which alerts read, fails only on {hallucination}.

A report has at most {most} findings of one rule; more findings do not change the labels.

{groups}

Found by: static = from the text and the schema alone; engine = the database's own error or plan;
result = from the rows; judge = by a model. The preferred source comes first.

## Errors of engines

| SQLSTATE | code |
|---|---|
{states}

Every other state is `execution.engine_error`. 42883 is `schema.type_mismatch` if a function of
that name exists for other types.

## Why something is not evaluated

sqlobs never guesses a verdict. What it could not evaluate is `not_evaluated` with one of these
reasons, and counts in no rate.

| reason | meaning |
|---|---|
{reasons}
"""


def failure_codes_page() -> str:
    """Return the page of failure codes, generated from `sqlobs.failure_codes`."""
    hallucination = [f"`{code}`" for code in CODES if code in SCHEMA_HALLUCINATION_CODES]
    return _FAILURE_CODES.format(
        version=CONTRACT_VERSION,
        count=len(CODES),
        most=MOST_OF_A_RULE,
        precedence=" > ".join(PRECEDENCE),
        hallucination=", ".join(hallucination),
        groups="\n\n".join(_group(group) for group in PRECEDENCE),
        states="\n".join(f"| {state} | `{code}` |" for state, code in SQLSTATE_CODES.items()),
        reasons="\n".join(f"| `{word}` | {REASONS[word]} |" for word in get_args(Reason)),
    )


def _group(group: str) -> str:
    rows = [
        f"| [`{code.code}`](codes/{code.code}.md) | {code.definition}"
        f" | {', '.join(code.found_by)} |"
        for code in CODES.values()
        if code.group == group
    ]
    return "\n".join(
        [f"## {group}", "", "| code | definition | found by |", "|---|---|---|", *rows]
    )


_SETTINGS = """\
# Settings

<!-- Made by scripts/docs.py from sqlobs/config.py: do not edit. -->

An argument of `configure` takes precedence over the environment, and the environment over the
default. The standard `OTEL_*` variables set where traces and metrics are sent.

| variable | default | meaning |
|---|---|---|
{rows}

## The LLM fallback

`LlmFallback.from_environment()` and `sqlobs check --llm` read these variables. They name the model
that is called if a label is undecided. Statement, schema and hints are sent to it.

| variable | default | meaning |
|---|---|---|
{llm_rows}
"""


def settings_page() -> str:
    """Return the page of settings, generated from the fields of `sqlobs.config.Settings`."""
    return _SETTINGS.format(rows=_settings(Settings), llm_rows=_settings(LlmSettings))


def _settings(model: type[BaseSettings]) -> str:
    rows = (
        f"| `{variable_of(name, model)}` | {_default(field)} | {field.description} |"
        for name, field in model.model_fields.items()
    )
    return "\n".join(rows)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    return f"`{str(field.default).lower()}`" if field.default not in (None, (), {}) else ""


PAGES: dict[str, Callable[[], str]] = {
    "accuracy.md": accuracy_page,
    "api.md": api_page,
    "dialects.md": dialect_page,
    "failure-codes.md": failure_codes_page,
    "scores.md": scores_page,
    "settings.md": settings_page,
    "telemetry.md": telemetry_page,
    **{name: partial(str, page) for name, page in code_pages().items()},
}
"""The generated pages by file name."""


def main() -> None:
    """Write every generated page, and the layers of the rules."""
    for name, page in PAGES.items():
        path = DOCS / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(page(), encoding="utf-8")
    PROJECT.write_text(project_with_layers(), encoding="utf-8")


if __name__ == "__main__":
    main()
