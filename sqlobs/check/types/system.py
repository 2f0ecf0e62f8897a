"""The interface of a type system, which names types and checks calls and operators.

A type is the engine's own name of it; None means unknown, and nothing is reported about it.
Literals are values of types by PostgreSQL's rules.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from sqlglot import exp

from sqlobs.check.parsing.stack import on_stack_for
from sqlobs.dialects.catalog import Catalog, catalog_of_version
from sqlobs.schema.model import Schema

if TYPE_CHECKING:
    from sqlobs.check.engine.profile import Profile


_INTEGER: Final = re.compile(r"\s*[-+]?\d+\s*")
_NUMBER: Final = re.compile(
    r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*|\s*[-+]?(nan|inf|infinity)\s*", re.IGNORECASE
)
_BOOLEANS: Final = frozenset(
    "t tr tru true y ye yes on 1 f fa fal fals false n no of off 0".split()
)
_DAY: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?")
_UUID: Final = re.compile(r"\{?[0-9a-f]{4}(-?[0-9a-f]{4}){7}\}?", re.IGNORECASE)
_ARRAY: Final = re.compile(r"\s*(\[[-+:\d\[\]]+\]\s*=\s*)?\{.*\}\s*", re.DOTALL)
_RANGE: Final = re.compile(r"\s*(empty|[\[(].*,.*[\])])\s*", re.IGNORECASE | re.DOTALL)
_MULTIRANGE: Final = re.compile(r"\s*\{.*\}\s*", re.DOTALL)
_QUOTED_ITEMS: Final = frozenset('{"\\')
_ANY_ARRAY: Final = frozenset({"anyarray", "anycompatiblearray"})
_ADDRESS: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)\.(\d+)(?:/(\d+))?")
_LONGEST_MASK: Final = 32
_TIME: Final = re.compile(r"\s*(\d{1,2}):(\d{2})(?!\d)")
_SPECIAL_DATES: Final = frozenset("now today tomorrow yesterday epoch infinity".split())
_NO_DATES: Final = (
    re.compile(r"\d{1,5}"),
    re.compile(r"\d{4}[-/]\d{1,2}"),
    re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(\s*[ap]m)?", re.IGNORECASE),
    re.compile(
        r"[-+]?\d+\s*(second|minute|hour|day|week|month|year|decade)s?(\s+ago)?", re.IGNORECASE
    ),
)
"""A number, a year with its month, a time of day, an interval."""
_RANGES: Final = {"smallint": 2**15, "integer": 2**31, "bigint": 2**63}
_NUMBERS: Final = frozenset({"numeric", "double precision", "real"})
_DATES: Final = frozenset({"date", "timestamp without time zone", "timestamp with time zone"})
_MOST_DIGITS: Final = 24
"""More than the integers of any engine have."""


def whole(digits: str) -> int:
    """Return the number that digits write; one beyond all integers is read in part.

    Python rejects some thousand digits at once.
    """
    return int(digits[:_MOST_DIGITS])


def sample_of(parameter: str) -> str | None:
    """Return the value that the catalog has for those like a parameter; None: it has none.

    >>> sample_of("250"), sample_of("-3"), sample_of("1.25"), sample_of("'b'"), sample_of("7")
    ('100', '-1', '1.5', "'a'", '3')
    """
    if (found := _SAMPLED.fullmatch(parameter)) is None:
        return None
    if found["text"]:
        return "'a'"
    if found["sign"]:
        return "-1"
    if found["fraction"]:
        return "0.5" if not float(found["number"]) else "1.5"
    number = found["number"].lstrip("0") or "0"
    if len(number) > 1:
        return "1" + "0" * (len(number) - 1)
    return min(number, "3")  # which was not asked about, and lies between 2 and 10


_SAMPLED: Final = re.compile(
    r"(?P<text>'[^'\\]*')|(?P<sign>-(?=0*\.?0*[1-9]))?-?(?P<number>\d+)(?P<fraction>\.0*[1-9]\d*)?"
)
"""`'strict'`, `-1`, `0.5`, `250`."""


def is_readable(text: str, kind: str) -> bool:
    """Return whether PostgreSQL reads a literal as a type. True where that is not known."""
    if kind in _RANGES:
        return bool(_INTEGER.fullmatch(text)) and -_RANGES[kind] <= whole(text) < _RANGES[kind]
    if kind in _NUMBERS:
        return bool(_NUMBER.fullmatch(text))
    if (is_one := _READERS.get(kind)) is not None:
        return is_one(text)
    if kind.endswith("[]") or kind in _ANY_ARRAY:
        return _ARRAY.fullmatch(text) is not None
    if kind.endswith("range") and not kind.startswith("any"):
        shape = _MULTIRANGE if kind.endswith("multirange") else _RANGE
        return shape.fullmatch(text) is not None
    if kind.startswith("time "):
        found = _TIME.match(text)
        return found is None or (int(found[1]) <= 24 and int(found[2]) < 60)  # noqa: PLR2004
    if kind == "interval":
        return _DAY.fullmatch(text.strip()) is None and any(map(str.isdigit, text))
    return kind not in _DATES or _is_date(text.strip())


def _is_address(text: str) -> bool:
    """Return False for what is certainly no address; version 6 has many forms."""
    found = _ADDRESS.fullmatch(text.strip())
    if found is None:
        return any(map(str.isdigit, text)) or ":" in text
    *parts, mask = (whole(part or "0") for part in found.groups())
    return max(parts) < 2**8 and mask <= _LONGEST_MASK


def items_of(array: str) -> list[str]:
    """Return the items of an array's literal; none where they are quoted, or arrays."""
    inner = array[array.index("{") + 1 : array.rindex("}")]
    if not inner.strip() or not _QUOTED_ITEMS.isdisjoint(inner):
        return []
    items = (item.strip() for item in inner.split(","))
    return [item for item in items if item.upper() != "NULL"]


def _is_json(text: str) -> bool:
    try:
        on_stack_for(text.count("[") + text.count("{"), lambda: _read_json(text))
    except ValueError:
        return False
    except RecursionError:  # nested deeper than Python reads
        return True
    return True


def _read_json(text: str) -> None:
    json.loads(text, parse_int=str, parse_float=str, parse_constant=_reject_constant)


def _reject_constant(constant: str) -> None:
    raise ValueError(constant)  # JSON has no NaN


def is_in_calendar(year: int, month: int, day: int) -> bool:
    """Return whether a day exists; the year 0 counts as 1."""
    return 1 <= month <= 12 and 1 <= day <= monthrange(max(year, 1), month)[1]  # noqa: PLR2004


def _is_date(text: str) -> bool:
    """Return False for what is certainly no date; the many other formats are accepted."""
    if any(shape.fullmatch(text) for shape in _NO_DATES):
        return False
    found = _DAY.fullmatch(text)
    if found is not None:
        return is_in_calendar(*map(int, found.groups()))
    if text.isalpha():
        return text.lower() in _SPECIAL_DATES
    return any(character.isdigit() for character in text) or text.lower() == "-infinity"


_READERS: Final[dict[str, Callable[[str], bool]]] = {
    "boolean": lambda text: text.strip().lower() in _BOOLEANS,
    "cidr": _is_address,
    "inet": _is_address,
    "json": _is_json,
    "jsonb": _is_json,
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
}


def written(kind: exp.Expr, dialect: str) -> str:
    """Return the text of a type; empty if it contains a call, which no type has.

    sqlglot writes some calls at length, parses the result, and may reject it.
    """
    if kind.expressions and kind.find(exp.Func) is not None:
        return ""
    return kind.sql(dialect)


Type = str | None
MOST_KEPT: Final = 8192
"""Judgments kept: names in calls are a model's inventions, so there is no end of them."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """The type of an expression, and what is wrong with it, if anything."""

    type: Type = None
    fault: str | None = None
    """One sentence without literals; None: nothing is wrong."""
    unless: str = ""
    """The setting with which a statement allows it."""


UNDECIDED = Judgment()
CONSTANT: Final = "constant"
"""Key of True in the meta data of a name that an alias gives a constant."""
NULL_SAFE: Final = frozenset({exp.NullSafeEQ, exp.NullSafeNEQ})
"""`a IS DISTINCT FROM b`, `a <=> b`."""
NULL_TEST: Final = "truth"
"""Key of the truth of `x IS NULL`, in the meta data of its node, where it is a constant."""
_Result = TypeVar("_Result")


class Kept(dict[tuple[Type, ...], _Result]):
    """Results by the arguments that they are computed from, at most `MOST_KEPT`."""

    def __init__(self, compute: Callable[..., _Result]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: tuple[Type, ...]) -> _Result:
        found = self._compute(*key)
        if len(self) < MOST_KEPT:
            self[key] = found
        return found


class TypeSystem:
    """The types of one engine; the defaults are those of an engine whose types are unknown."""

    is_known = False
    boolean: Type = None
    row: Type = None
    """The type of a relation as a value; None: it is not checked."""
    never_null: frozenset[str] = frozenset()
    """Operators, and NOT, that reject the word NULL."""
    fixes_lengths = False
    """A recursive CTE must keep the length of its first query's columns."""
    constants: ClassVar[Mapping[type[exp.Expr], str]] = {}
    """The types of nodes that always have the same one (`CURRENT_DATE`)."""
    rewritings: ClassVar[Mapping[type[exp.Expr], tuple[str, tuple[str, ...]]]] = {}
    """Function and arguments of the nodes that sqlglot makes of calls."""

    def declared(self, text: str | None) -> Type:
        """Return the type that a column declaration names."""
        return None

    def knows(self, name: str) -> bool:
        """Return whether the engine has a type of this name, in lower case, without parameters."""
        return False

    def named(self, node: exp.Expr) -> Type:
        """Return the type that a CAST names."""
        return None

    def literal(self, node: exp.Expr) -> Type:
        """Return the type of a literal."""
        return None

    def constant(self, node: exp.Expr) -> Type:
        """Return the type of a node that always has the same one."""
        return self.constants.get(node.__class__)

    def rewritten(self, node: exp.Expr) -> tuple[str, tuple[str, ...]] | None:
        """Return function and arguments of a node that sqlglot made of a call."""
        return self.rewritings.get(node.__class__)

    def row_of(self, columns: Mapping[str, Type]) -> Type:
        """Return the type of a row of a relation with these columns."""
        return self.row

    def of_alias(self, found: Type) -> Type:
        """Return the type of a name that stands for a constant; None: it is as its literal."""
        return None

    def output(self, found: str) -> Type:
        """Return the type that a column of a SELECT list gets from its expression."""
        return found

    def call(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call of a known function; `nodes` are its arguments."""
        return UNDECIDED

    def cast_to_text(self, found: Type, to: exp.Expr, node: exp.Expr) -> Judgment:
        """Check a cast to a type that a text names."""
        return UNDECIDED

    def typed_literal(self, to: Type, node: exp.Expr) -> Judgment:
        """Check a literal with the name of its type before it: `DATE '2020-01-01'`."""
        return self.cast(self.literal(node), to, node)

    def generated(
        self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Mapping[str, Type] | None:
        """Return the columns of the rows that `explode(items)` gives; None: they are not known."""
        return None

    def ordered(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call with WITHIN GROUP; the terms of its order are its last arguments."""
        return UNDECIDED

    def operator(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        """Check a binary operator, comparisons and LIKE among them."""
        return UNDECIDED

    def grouped(self, found: Type, node: exp.Expr) -> Judgment:
        """Check a value that rows are grouped by: it must be comparable."""
        return self.operator("=", found, found, (node, node))

    def minus(self, found: Type) -> Judgment:
        """Check a value with a minus before it."""
        return UNDECIDED

    def common(self, types: Sequence[Type], nodes: Sequence[exp.Expr], *, what: str) -> Judgment:
        """Check values that must have one type: branches of CASE, columns of UNION."""
        return UNDECIDED

    def cast(self, found: Type, to: Type, node: exp.Expr) -> Judgment:
        """Check a cast of a value to a type; by default, it may fail at run time only."""
        return Judgment(to)

    def assigned(self, to: str, found: str, node: exp.Expr) -> Judgment:
        """Check a value that a column of a type is to store."""
        return UNDECIDED

    def beside(self, found: Type, bound: Type) -> Type:
        """Return the type that BETWEEN gives its value once the lower bound is known."""
        return found

    def recursion(self, first: str, whole: str) -> Judgment:
        """Check the type that a recursive CTE gives a column in its first query and in all."""
        return Judgment(whole)

    def frame(self, kind: str, term: Type, offset: Type, node: exp.Expr) -> Judgment:
        """Check a bound of a frame (`ROWS`, `RANGE`) over rows in the order of one term."""
        return UNDECIDED

    def array(self, element: str) -> Type:
        """Return the type of an array of values of a type."""
        return None

    def nested(self, fields: Mapping[str, Type]) -> Type:
        """Return the type of a column that is several arrays, by the types of their items."""
        return None

    def element(self, found: Type) -> Judgment:
        """Check the value of `ANY (…)`: an array, whose element is compared."""
        return UNDECIDED

    def item(self, found: Type, keys: Sequence[exp.Expr]) -> Judgment:
        """Check `value[key]`: the value must have items."""
        return UNDECIDED

    def fields(self, found: Type) -> Mapping[str, Type] | None:
        """Return the fields of a value by lower-case name; None: it may have any."""
        return None

    def parameters(self, name: str, arguments: Sequence[Type]) -> tuple[Type, ...]:
        """Return the types of the parameters of a lambda after some arguments of a call."""
        return ()

    def counted(self, _found: Type, _node: exp.Expr) -> Judgment:
        """Check the value of LIMIT or OFFSET."""
        return UNDECIDED

    def is_never_null(self, _found: Type) -> bool:
        """Return whether the engine computes `x IS NULL` for values of a type without rows."""
        return False

    def condition(self, found: Type, node: exp.Expr, *, what: str) -> Judgment:
        """Check a value where a condition is expected; by default, any is converted."""
        return Judgment(self.boolean)


NO_TYPES: Final = TypeSystem()
"""The types of an engine that does not check any, or of which nothing is known."""


def types_of(profile: Profile | None, schema: Schema | None) -> TypeSystem:
    """Return the types of an engine, and those that a schema declares."""
    name = "" if profile is None else profile.known.types.system
    catalog = catalog_of_version(*profile.catalog_key) if profile is not None and name else None
    if catalog is None:
        return NO_TYPES
    made: Callable[[Catalog, tuple[tuple[str, ...], ...]], TypeSystem]
    made = import_module(f"sqlobs.check.types.{name}").type_system
    return made(catalog, () if schema is None else schema.enums)
