"""What a form is: a way to write SQL that at least one engine rejects, and how to recognize it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.tokens import spelled

Condition = Callable[[exp.Expr], object]
"""Returns something true for the nodes that are the form."""
FOREIGN: Final = "syntax.dialect_mismatch"
"""The code of forms that belong to other dialects."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Recognizes a form by a node of the syntax tree."""

    node: type[exp.Expr]
    words: tuple[str, ...]
    """Upper-case tokens that every use of the form contains, the rarest first."""
    where: Condition | None
    """Tells the form from other uses of the node; None: every such node is the form."""
    is_disorder: bool
    """Its words are out of order in a plain query (`Statement.is_orderly`)."""
    is_call: bool
    """It looks like a call: an engine without it reports an unknown function."""

    @property
    def triggers(self) -> tuple[str, ...]:
        """Tokens: a statement with the form contains at least one of them."""
        return self.words[:1]


@dataclass(frozen=True, slots=True)
class Word:
    """Recognizes a form by a single token."""

    kind: TokenType
    text: str
    """In upper case."""

    @property
    def triggers(self) -> tuple[str, ...]:
        """As for `Tree`."""
        return (self.text,)


@dataclass(frozen=True)
class Tokens:
    """Recognizes a form by a pattern of tokens, which its probe matches."""

    shape: str
    """In the notation of `spelled`; a finding underlines the first token of the match."""
    rare: str = ""
    """A pattern that every match contains and few statements do; empty: the shape itself."""
    words: tuple[str, ...] = ()
    """Upper-case tokens; the pattern is searched for only where the statement has one of them."""
    text: re.Pattern[str] | None = None
    """Must match the text from the first token on, if the kinds of tokens do not decide."""
    marks_last: bool = False
    """A finding underlines the last token of the match instead."""
    is_call: bool = False
    """Reported only for functions that the engine has; otherwise the name is the problem."""
    unless: tuple[str, ...] = ()
    """Upper-case tokens: a statement with one may have the pattern in another meaning."""
    is_of_queries: bool = False
    """Not reported in definitions, where it is valid: `name text NOT NULL`."""

    @property
    def triggers(self) -> tuple[str, ...]:
        """As for `Tree`; empty: the pattern alone decides."""
        return self.words

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern over the shape of a statement."""
        return re.compile(spelled(self.shape))


@dataclass(frozen=True, eq=False)
class Form:
    """One form: an attribute of the table of its clause, which gives it its name."""

    probe: str
    """A statement over `probe (x)` and `keyed (x PRIMARY KEY)` that is valid where the form is
    supported. `scripts/catalog` runs it on every engine; the verdict goes into the data files."""
    message: str = ""
    """What a finding says; empty: "<title> is not supported by <engine>."."""
    recognizer: Tree | Word | Tokens | None = None
    """None: the resolver reports the form, or looks up whether the engine supports it."""
    code: str = "syntax.parse_error"
    title: str = ""
    """The form as a phrase; empty: made from the name."""
    name: str = ""
    """Its key in the data files."""

    def __set_name__(self, _clause: type, name: str) -> None:
        object.__setattr__(self, "name", name)

    @property
    def label(self) -> str:
        """The form as a phrase, for documentation."""
        if self.title or self.code != FOREIGN:
            return self.title or self.name.replace("_", " ")
        return f"`{self.name.replace('_', ' ').upper()}`"

    def says(self, engine: str) -> str:
        """Return the message of a finding for an engine's name and version."""
        if self.message:
            return self.message
        label = self.label
        return f"{label[0].upper()}{label[1:]} is not supported by {engine}."


def foreign(probe: str, recognizer: Tree | Word, title: str = "") -> Form:
    """Return a form of other dialects."""
    return Form(probe, recognizer=recognizer, code=FOREIGN, title=title)


def family(prefix: str, message: str, probes: Mapping[str, str]) -> dict[str, Form]:
    """Return one form for each call, by its lower-case name."""
    return {
        call: Form(probe, message.replace("{call}", call), name=f"{prefix}_{call}")
        for call, probe in probes.items()
    }


def tree(
    node: type[exp.Expr],
    words: str,
    where: str | Condition | None = None,
    *,
    is_disorder: bool = False,
    is_call: bool = False,
) -> Tree:
    """Return the recognizer of a node; `where` names an argument that it must have, or tests it."""
    condition = None if where is None else _condition(where)
    return Tree(node, tuple(words.split(" & ")), condition, is_disorder, is_call)


def _condition(where: str | Condition) -> Condition:
    return where if callable(where) else lambda node: node.args.get(where)


def both(first: str | Condition, second: str | Condition) -> Condition:
    """Return the conjunction of two conditions."""
    left, right = _condition(first), _condition(second)
    return lambda node: left(node) and right(node)


def unless(where: str | Condition) -> Condition:
    """Return the negation of a condition."""
    condition = _condition(where)
    return lambda node: not condition(node)


def of(*kinds: type[exp.Expr]) -> Condition:
    """Return the condition that the argument `this` of a node is one of these."""
    return lambda node: isinstance(node.this, kinds)


def within(*kinds: type[exp.Expr]) -> Condition:
    """Return the condition that the parent of a node is one of these."""
    return lambda node: isinstance(node.parent, kinds)


def says(part: str, text: str) -> Condition:
    """Return the condition that an argument of a node is this word: `says("side", "FULL")`."""
    return lambda node: node.text(part).upper() == text


def reads(text: str) -> re.Pattern[str]:
    """Return a pattern over the text of a statement that ignores case."""
    return re.compile(text, re.IGNORECASE)
