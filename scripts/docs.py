"""Write the generated pages of docs/ and the layers of the rules again: `python -m scripts.docs`.

A test fails when a page differs from the table in the code that it is made from.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

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
    "no_schema": "No schema was given: grounding cannot be judged.",
    "schema_unknown": "The schema's version is not known to the collector.",
    "schema_stale": "A name is unknown, but the schema is older than its `max_age`.",
    "undecided": "The checker cannot tell, e.g. a name from a relation whose columns are unknown.",
    "too_large": "The statement is larger than the checker reads.",
    "too_deep": "The statement is nested deeper than the checker follows.",
    "abstained": "The application, or the model's answer, declined to give SQL.",
    "clarified": "The application, or the model's answer, asked back.",
    "check_off": 'Checking is switched off (`check="off"`).',
    "budget": "The time for this check was used up.",
    "queue_full": "The queue of deferred checks was full.",
    "pending": "The check has not come to its end yet.",
    "content_not_captured": "The text is not in the telemetry that the collector received.",
    "no_target": "There is no database to run the statement on.",
    "no_reference": "There is no reference to compare with.",
    "refused": "The statement may not be executed.",
    "sampled_out": "The request was not drawn for this evaluation.",
    "cancelled": "The caller left before the answer was complete.",
    "call_failed": "The traced function raised.",
    "timeout": "The evaluation took too long.",
    "reference_failed": "The reference itself does not run.",
    "target_unavailable": "The database could not be reached.",
    "truncated": "The text or the result was cut at its cap.",
    "nondeterministic": "The result differs from run to run.",
    "judge_unavailable": "The judge's model could not be reached.",
    "judge_malformed": "The judge's answer was not on the menu.",
    "error": "sqlobs itself failed; counted and logged once per kind.",
}


_FAILURE_CODES = """\
# Failure codes

<!-- Made by scripts/docs.py from sqlobs/failure_codes.py: do not edit. -->

Contract version {version}: {count} codes, never renamed, never reused. A span carries all codes
found in `sqlobs.failure.codes`, the primary one in `sqlobs.failure.code` and its group in
`sqlobs.failure.group`; codes of warnings stand in `sqlobs.warning.codes`. Metrics carry the primary
code only: the first by this precedence of groups: {precedence}.

The label `syntactic` fails on `syntax.*`, `schematic` on `schema.*`, each on its own. The
evaluation `schema_hallucination`, which alerts read, fails only on {hallucination}.

A report holds {most} findings of one rule at most; a statement with more fails the same labels.

{groups}

Found by: static = from the text and the schema alone; engine = the database's own error or plan;
result = from the rows; judge = by a model. The preferred way stands first.

## Errors of engines

| SQLSTATE | code |
|---|---|
{states}

Every other state is `execution.engine_error`. 42883 is `schema.type_mismatch` where a function of
that name exists for other types.

## Why something is not evaluated

A verdict is never a guess: what was not evaluated says so, with one of these reasons, and counts in
no rate.

| reason | meaning |
|---|---|
{reasons}
"""


def failure_codes_page() -> str:
    """Return the page of failure codes, made from the table in `sqlobs.failure_codes`."""
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

An argument of `configure` wins over the environment, the environment over the default. Where traces
and metrics go is not set here but by the standard `OTEL_*` variables.

| variable | default | meaning |
|---|---|---|
{rows}

## The LLM fallback

Read by `LlmFallback.from_environment()` and `sqlobs check --llm`: whom to ask where a label is
undecided. Statement, schema and hints are sent there.

| variable | default | meaning |
|---|---|---|
{llm_rows}
"""


def settings_page() -> str:
    """Return the page of settings, made from the fields of `sqlobs.config.Settings`."""
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
