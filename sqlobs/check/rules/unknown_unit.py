from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqlglot.tokenizer_core import Token

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.forms import Literals
from sqlobs.check.parsing.tokens import LITERALS, spelled
from sqlobs.check.rules.rule import Case, Findings, Rule

_FROM: Final = spelled("FROM")
_ENDS_ITEM: Final = frozenset(spelled("COMMA FROM"))
_EXTRACTED: Final = re.compile(spelled("VAR open . FROM"))
_COUNTED: Final = re.compile(spelled("INTERVAL [STRING NUMBER] VAR"))
_CALLED: Final = re.compile(spelled("VAR open . (?=COMMA)"))
_UNIT_FIRST: Final = frozenset(
    "TIMESTAMPDIFF TIMESTAMPADD DATEADD DATEDIFF DATEDIFF_BIG DATENAME DATEPART DATETRUNC DATE_ADD"
    " DATE_DIFF DATE_TRUNC DATE_PART TIMEADD TIMEDIFF".split()
)
"""Calls whose first argument is a unit in some dialect."""
_QUOTED: Final = "A time unit cannot be quoted here."
_WRITTEN: Final = re.compile(spelled("INTERVAL STRING (?!VAR)"))
_WORD: Final = re.compile(r"[A-Za-z_]+")
_ISO: Final = re.compile(r"\s*[-+]?P", re.IGNORECASE)
_OF_FRAME: Final = frozenset({"PRECEDING", "FOLLOWING"})
_OTHER_WORDS: Final = frozenset({"ago"})


class UnknownUnit(
    Rule, code="syntax.dialect_mismatch", triggers=frozenset({"INTERVAL", "EXTRACT"}) | _UNIT_FIRST
):
    """A unit of time that the engine does not support.

    What it finds: `extract(DOW FROM d)` and `INTERVAL 3 MONTHS` in MySQL, `INTERVAL '1 fortnight'`.
    Why it matters: the engine rejects the statement.
    Known limits: in a literal, only words are checked, not their order; a word after a literal that
    contains a unit is an alias.
    Example: `SELECT born + INTERVAL 3 MONTHS FROM customers` in MySQL
    Instead: `SELECT born + INTERVAL 3 MONTH FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        if case.statement.fault is not None:
            return
        for place, token, word in (*_units(case), *_called_units(case)):
            unit = word.lower()
            is_unknown = case.knowledge.has_unit(unit, place) is Answer.NO
            if is_unknown and unit not in _OTHER_WORDS:
                shown = f"Unknown time unit {word}." if word else _QUOTED
                yield self.at(token, shown, word or None)


def _ends_item(shape: str, place: int) -> bool:
    """Return whether an item of a SELECT list may end here: the token before is then an alias."""
    is_last = place == len(shape) and _FROM not in shape
    return is_last or shape[place : place + 1] in _ENDS_ITEM


def _called_units(case: Case) -> Iterator[tuple[str, Token, str]]:
    """Yield the first argument of calls that start with a unit: a word, or a text (`quoted`)."""
    statement, calls = case.statement, case.knowledge.unit_calls
    if calls.isdisjoint(statement.words):
        return
    takes_text = "quoted" in case.knowledge.units
    for found in _CALLED.finditer(statement.shape):
        unit = statement.tokens[found.end() - 1]
        if statement.tokens[found.start()].text.upper() not in calls:
            continue
        if statement.shape.startswith(_INTERVAL_SECOND, found.end()):
            continue  # `timestampAdd(at, INTERVAL 1 DAY)`
        if unit.token_type not in LITERALS:
            yield "called", unit, unit.text
        elif takes_text:
            yield "quoted", unit, unit.text
        else:
            yield "called", unit, ""


_INTERVAL_SECOND: Final = spelled("COMMA INTERVAL")


def _units(case: Case) -> Iterator[tuple[str, Token, str]]:
    """Yield the units: the catalog's name of the position, the token, and the word."""
    statement = case.statement
    tokens = statement.tokens
    may_be_alias = case.accepts(Literals.interval_in_string)
    for found in _EXTRACTED.finditer(statement.shape):
        if tokens[found.start()].text.upper() == "EXTRACT":
            unit = tokens[found.start() + 2]
            yield "extracted", unit, unit.text
    for found in _COUNTED.finditer(statement.shape):
        unit = tokens[found.end() - 1]
        is_whole = _WORD.search(tokens[found.start() + 1].text) is not None
        if may_be_alias and _ends_item(statement.shape, found.end()):
            continue
        if unit.text.upper() not in _OF_FRAME and not is_whole:
            yield "counted", unit, unit.text
    for found in _WRITTEN.finditer(statement.shape):
        literal = tokens[found.start() + 1]
        if not _ISO.match(literal.text):
            for word in _WORD.findall(literal.text):
                yield "written", literal, word
