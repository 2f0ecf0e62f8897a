"""The pages of the failure codes: definition, who finds it, and the rules behind it."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

from sqlobs.check.rules import RULES, STRICT_RULES
from sqlobs.failure_codes import CODES, SCHEMA_HALLUCINATION_CODES, SQLSTATE_CODES

if TYPE_CHECKING:
    from sqlobs.check.rules.rule import Rule
    from sqlobs.failure_codes import FailureCode

_PAGE = """\
# `{code}`

<!-- Made by scripts/docs.py from sqlobs/failure_codes.py and sqlobs/check/rules: do not edit. -->

{definition}

| | |
|---|---|
| group | `{group}` |
| effect | {effect} |
| found by | {found_by} |
| SQLSTATE | {states} |

{rules}

[All codes](../failure-codes.md) · [How dialects differ](../dialects.md)
"""

_EFFECTS = {
    "syntax": "fails the label `syntactic`",
    "schema": "fails the label `schematic`",
    "safety": "fails the verdict; both labels stay as they are",
    "efficiency": "a warning makes the verdict `suspect`; a hint does not change the verdict",
    "semantics": "a static warning makes the verdict `suspect`; judged by the collector",
    "execution": "set after the statement has run, by the application or the collector",
    "result": "set after the statement has run, by the application or the collector",
}
_HEADINGS = re.compile(r"^(What it finds|Why it matters|Known limits|Example|Instead|Options): ")
_OTHERWISE = {
    "syntax.no_sql": "No rule finds this code. The checker removes code fences, prose and reasoning"
    " around a statement (`report.extracted`); an answer that contains no statement has this code.",
}


def code_pages() -> dict[str, str]:
    """Return the page of every code, by file name."""
    return {f"codes/{code}.md": _page(entry) for code, entry in CODES.items()}


def _page(entry: FailureCode) -> str:
    states = [f"`{state}`" for state, code in SQLSTATE_CODES.items() if code == entry.code]
    effect = _EFFECTS[entry.group]
    if entry.code in SCHEMA_HALLUCINATION_CODES:
        effect += ", and the evaluation `schema_hallucination`"
    return _PAGE.format(
        code=entry.code,
        definition=entry.definition,
        group=entry.group,
        effect=effect,
        found_by=", ".join(entry.found_by),
        states=", ".join(states) or "-",
        rules=_rules(entry.code),
    )


def _rules(code: str) -> str:
    parts = [_rule(rule, "") for rule in RULES if rule.code == code]
    parts += [_rule(rule, " (strict mode)") for rule in STRICT_RULES if rule.code == code]
    return "\n\n".join(parts) or _OTHERWISE.get(code, "No static rule finds this code.")


def _rule(rule: Rule, when: str) -> str:
    page = inspect.getdoc(type(rule)) or ""
    begins, _, rest = page.partition("\n\n")
    lines = [
        _HEADINGS.sub(r"- **\1:** ", line) if _HEADINGS.match(line) else f"  {line}"
        for line in rest.splitlines()
    ]
    return "\n".join([f"## `{rule.name}`{when}", "", begins, "", *lines])
