"""What a form is: a way to write SQL that at least one engine rejects, and how to recognize it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from sqlobs.check.forms.token_notation import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlglot import exp
    from sqlglot.tokenizer_core import TokenType


@dataclass(frozen=True, slots=True)
class Tree:
    """Recognizes a form by a node of the syntax tree."""

    node: type[exp.Expr]
    words: tuple[str, ...]
    """Upper-case tokens that every use of the form contains, the rarest first."""
    where: Callable[[exp.Expr], bool] | None = None
    """Tells the form from other uses of the node; None: every such node is the form."""
    is_disorder: bool = False
    """Its words are out of order in a plain query (`Statement.is_orderly`)."""
    is_call: bool = False
    """It looks like a call: an engine without it reports an unknown function."""

    @property
    def triggers(self) -> tuple[str, ...]:
        """Tokens of which a statement with the form has one at least."""
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
    """Recognizes a form by a pattern of tokens; the form's probe is a statement that matches."""

    shape: str
    """In the notation of `token_notation`; a finding underlines the first token of the match."""
    rare: str = ""
    """A pattern that every match contains and few statements do; empty: the shape itself."""
    words: tuple[str, ...] = ()
    """Upper-case tokens; the pattern is searched for only where the statement has one of them."""
    text: re.Pattern[str] | None = None
    """What the text must match from the first token on, where the kinds do not decide."""
    marks_last: bool = False
    """A finding underlines the last token of the match instead."""
    is_call: bool = False
    """Reported only for functions that the engine has: of others, the name is the problem."""
    is_of_queries: bool = False
    """Valid in a definition (`name text NOT NULL`)."""

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
    """One form. An attribute of the table of its clause, which gives it its name."""

    probe: str
    """A statement over `probe (x)` and `keyed (x PRIMARY KEY)` that is valid where the form is
    supported. `scripts/catalog` runs it on every engine; the verdict goes into the data files."""
    message: str = ""
    """What a finding says; empty: "<title> is not supported by <engine>."."""
    recognizer: Tree | Word | Tokens | None = None
    """None: the resolver reports the form, or asks whether the engine supports it."""
    code: str = "syntax.parse_error"
    title: str = ""
    """The form as a phrase; empty: made from the name."""
    name: str = ""
    """Its key in the data files."""

    def __set_name__(self, _clause: type, name: str) -> None:
        """Take the name of the attribute."""
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


FOREIGN: Final = "syntax.dialect_mismatch"
"""The code of forms that belong to other dialects."""


def foreign(
    probe: str,
    node: type[exp.Expr],
    words: str,
    *,
    title: str = "",
    part: str = "",
    where: Callable[[exp.Expr], bool] | None = None,
    is_disorder: bool = False,
    is_call: bool = False,
) -> Form:
    """Return a form of other dialects that a node of the syntax tree shows.

    `words` are the tokens of every use, as in `"DELETE & ORDER BY"`; `part` is the name of an
    argument that the node must have, `where` any other condition.
    """
    if part:
        where = partial(_has, part)
    recognizer = Tree(
        node, tuple(words.split(" & ")), where, is_disorder=is_disorder, is_call=is_call
    )
    return Form(probe, recognizer=recognizer, code=FOREIGN, title=title)


def foreign_word(probe: str, kind: TokenType, text: str, *, title: str = "") -> Form:
    """Return a form of other dialects that a single token shows."""
    return Form(probe, recognizer=Word(kind, text), code=FOREIGN, title=title)


def family(prefix: str, message: str, probes: Mapping[str, str]) -> dict[str, Form]:
    """Return one form for each call, by its lower-case name."""
    return {
        call: Form(probe, message.replace("{call}", call), name=f"{prefix}_{call}")
        for call, probe in probes.items()
    }


def _has(part: str, node: exp.Expr) -> bool:
    return bool(node.args.get(part))


def reads(text: str) -> re.Pattern[str]:
    """Return a pattern over the text of a statement that ignores case."""
    return re.compile(text, re.IGNORECASE)
