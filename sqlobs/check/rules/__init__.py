"""The rules, one flaw in one file; `RULES` lists them in the order they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.check.rules.ambiguous_reference import AmbiguousReference
from sqlobs.check.rules.denied_name import DeniedName
from sqlobs.check.rules.multiple_statements import MultipleStatements
from sqlobs.check.rules.parse_error import ParseError
from sqlobs.check.rules.unknown_column import UnknownColumn
from sqlobs.check.rules.unknown_table import UnknownTable
from sqlobs.check.rules.unsafe_statement import UnsafeStatement
from sqlobs.check.rules.wrong_owner import WrongOwner

if TYPE_CHECKING:
    from sqlobs.check.rules.rule import Rule

RULES: Final[tuple[Rule, ...]] = (
    ParseError(),
    MultipleStatements(),
    UnknownTable(),
    UnknownColumn(),
    WrongOwner(),
    AmbiguousReference(),
    UnsafeStatement(),
    DeniedName(),
)
