"""What is known of an engine by itself: yes, no or unknown, to one set of questions.

Three sources answer: a catalog that was measured on the engine (`MeasuredEngine`), the vendor's
documentation (`DocumentedEngine`), or none (`EngineKnowledge`). Callers never ask which one it is.

Tests: `tests/check/test_engine_knowledge.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import cache, lru_cache
from itertools import chain
from typing import Final, Literal

from sqlobs.check.engine.profile import Profile
from sqlobs.check.forms import Calls, Form
from sqlobs.dialects.catalog import (
    Catalog,
    Kind,
    Signature,
    TableColumn,
    catalog_of_version,
    signatures_of,
    units_of,
)
from sqlobs.dialects.documents import lists_functions, manual

Section = Literal[
    "cast_types",
    "collations",
    "deprecated",
    "null_arguments",
    "relations",
    "shapeless",
]
"""A list of words in a `Catalog`, in lower case."""


class Answer(Enum):
    """Whether an engine has, accepts or does something."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"
    """Nothing may be reported that would be wrong either way."""


_COMMON: Final = frozenset(
    "cast coalesce nullif count sum min max avg abs round floor upper lower replace sqrt row_number"
    " rank dense_rank ntile lag lead first_value last_value cume_dist percent_rank current_date"
    " current_timestamp".split()
)
_NO_KINDS: Final[frozenset[Kind]] = frozenset()
_AGGREGATE: Final[frozenset[Kind]] = frozenset({"aggregate"})
_COMMON_AGGREGATES: Final = frozenset({"sum", "count", "avg", "min", "max"})


def _common_kinds(name: str, _count: int) -> frozenset[Kind]:
    return _AGGREGATE if name.lower() in _COMMON_AGGREGATES else _NO_KINDS


class EngineKnowledge:
    """What every engine has; any other answer is UNKNOWN."""

    follows_defaults = Answer.UNKNOWN
    """Whether the engine does what most engines do, where no form and no rule says otherwise."""
    engine: str | None = None
    """Name and version in messages; None: those of the profile."""
    lists_functions = False
    """Whether a function that is not listed is known not to exist."""
    types: frozenset[str] = frozenset()
    """First words of all types, in lower case, by the documentation; empty: not known."""
    functions: Collection[str] = _COMMON
    """In lower case."""
    rejected: frozenset[str] = frozenset()
    """Names of the forms that the engine certainly rejects."""
    messages: Mapping[str, str] = {}
    """Messages of forms that the dialect words in its own way, by name of the form."""
    reserved: frozenset[str] = frozenset()
    """Words that are reserved in some position, in upper case."""
    namespaces: frozenset[str] = frozenset()
    """Lower-case words before the dot of functions: `NET.HOST(url)`."""
    quoted_calls: frozenset[str] = frozenset()
    """Lower-case functions whose name must be quoted, as without quotes it is that of a type."""
    sets: frozenset[str] = frozenset()
    """Lower-case functions that return several rows."""
    spaced: frozenset[str] = frozenset()
    """Lower-case functions that a space before the parenthesis breaks."""
    parameters: Mapping[str, Sequence[int]] = {}
    """How many parameters lower-case aggregates accept (`f(0.5)(x)`), where that is limited."""
    parameter_values: Mapping[str, Sequence[Sequence[str]]] = {}
    """The parameters that lower-case aggregates reject, by place: 10 stands for 10 to 99."""
    disabled: frozenset[str] = frozenset()
    """Lower-case functions that do not exist unless a setting enables them."""
    storages: Mapping[str, Sequence[str]] = {}
    """The modifiers of a table that each storage engine supports; empty: not known."""
    settings: Mapping[str, Sequence[str]] = {}
    """The settings of a query, with values that are rejected; empty: not known."""
    value_words: frozenset[str] = frozenset()
    """Lower-case words that stand alone like a column and are a value (`current_user`)."""
    ungrammatical: frozenset[str] = frozenset()
    """Names of the rejected forms that the grammar excludes, even where nothing is resolved."""
    units: Mapping[str, frozenset[str]] = {}
    """Lower-case units of time by place (`extracted`); a place without a list was not measured."""
    unit_calls: frozenset[str] = frozenset({"TIMESTAMPADD", "TIMESTAMPDIFF"})
    """Upper-case functions whose first argument is a unit of the place `called`, or of `quoted`."""

    kinds: Callable[[str, int], frozenset[Kind]] = staticmethod(_common_kinds)
    """Returns the kinds of function that a call by name with a number of arguments may be; empty:
    none, or unknown."""

    def has_function(self, name: str) -> Answer:
        """Return whether the engine has a function, by its name as it is written."""
        return Answer.YES if name.lower() in self.functions else Answer.UNKNOWN

    def written_names(self) -> Iterable[str]:
        """Return the names of functions as they can be written, to suggest one."""
        return self.functions

    def accepts(self, form: Form) -> Answer:
        """Return whether the engine accepts a form."""
        return Answer.NO if form.name in self.rejected else self.follows_defaults

    def signatures(self, name: str) -> Sequence[Signature]:  # noqa: ARG002 - for others
        """Return the signatures of a function by its name as it is written; empty: unknown."""
        return ()

    def columns_of(self, name: str) -> Sequence[TableColumn] | None:  # noqa: ARG002 - as above
        """Return what a lower-case function in FROM gives."""
        return None

    def value_name(self, name: str) -> str | None:  # noqa: ARG002 - as above
        """Return the fixed name of the one column that a lower-case function in FROM gives."""
        return None

    def has(self, section: Section, name: str) -> Answer:  # noqa: ARG002 - as above
        """Return whether a list of words has one; an empty list was not measured."""
        return Answer.UNKNOWN

    def has_unit(self, unit: str, place: str) -> Answer:
        """Return whether a lower-case unit of time is allowed in a place (`extracted`)."""
        units = self.units.get(place)
        if units is None:
            return self.follows_defaults
        return Answer.YES if unit in units else Answer.NO

    def reserves(self, word: str, position: str) -> Answer:  # noqa: ARG002 - as above
        """Return whether an upper-case word is rejected as a name in a position (`alias`)."""
        return Answer.UNKNOWN


class DocumentedEngine(EngineKnowledge):
    """What a vendor documents of an engine that the project cannot run (`manual.json`).

    A function that the documentation lists exists; one that it does not list does not exist if it
    was read completely, else it is UNKNOWN. A form that it excludes is rejected by every version;
    of others nothing is known.
    """

    def __init__(self, dialect: str) -> None:
        document = manual(dialect) or {}
        self.engine = dialect
        self.lists_functions = lists_functions(dialect)
        self._signatures = signatures_of(document) if self.lists_functions else {}
        names = frozenset[str](document["functions"])
        if self.lists_functions:
            self.functions = names
            self.kinds = lru_cache(maxsize=4096)(self._kinds)
        else:
            self.functions = names.union(name.rpartition(".")[2] for name in names)
        self.types = frozenset(document.get("types", ()))
        self.rejected = frozenset(document["forms"])
        self.messages = document.get("messages", {})
        self.units = units_of(document)
        self.unit_calls = frozenset(document.get("unit_calls", ()))
        self.suffixes: tuple[str, ...] = tuple(document.get("suffixes", ()))
        """What may follow the name of a function (ClickHouse's `sumIf`), in lower case."""
        self.source: tuple[str, ...] = tuple(document["source"])
        """The pages."""
        self.table_columns: Mapping[str, list[str]] = document["table_columns"]

    def has_function(self, name: str) -> Answer:
        """Return whether a function, without one of the suffixes, is listed."""
        folded = name.lower()
        names = (folded, *(folded.removesuffix(end) for end in self.suffixes))
        if any(one in self.functions for one in names):
            return Answer.YES
        return Answer.NO if self.lists_functions else Answer.UNKNOWN

    def signatures(self, name: str) -> Sequence[Signature]:
        """Return the documented signatures; none of a list without them."""
        return self._signatures.get(name.lower(), ())

    def _kinds(self, name: str, count: int) -> frozenset[Kind]:
        return frozenset([one.kind for one in self.signatures(name) if one.takes(count)])

    def columns_of(self, name: str) -> Sequence[TableColumn] | None:
        """Return the documented columns; none is hidden."""
        listed = self.table_columns.get(name)
        return None if listed is None else [(column, 0) for column in listed]


_ANSWERS_OF_CATALOG: Final = tuple(
    "disabled engine functions rejected messages parameter_values parameters quoted_calls sets"
    " settings spaced storages units value_words ungrammatical kinds".split()
)


class MeasuredEngine(EngineKnowledge):
    """What the engine answered when the scripts asked it, as its data file keeps it."""

    follows_defaults = Answer.YES
    lists_functions = True

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.reserved = catalog.any_reserved
        self.namespaces = frozenset(
            name.partition(".")[0] for name in catalog.functions if "." in name
        )
        for name in _ANSWERS_OF_CATALOG:
            setattr(self, name, getattr(catalog, name))

    def has_function(self, name: str) -> Answer:
        """Return whether the catalog or the grammar has a function."""
        if self._catalog.signatures(name):
            return Answer.YES
        form = Calls.of_grammar.get(name.lower())
        return Answer.NO if form is None else self.accepts(form)

    def written_names(self) -> Iterable[str]:
        """Return the names of functions; one that is compared with case in its own spellings."""
        spellings = self._catalog.spellings
        return chain.from_iterable(spellings.get(name, (name,)) for name in self.functions)

    def signatures(self, name: str) -> Sequence[Signature]:
        """Return the signatures that were measured."""
        return self._catalog.signatures(name)

    def columns_of(self, name: str) -> Sequence[TableColumn] | None:
        """Return the columns that were measured."""
        return self._catalog.table_columns.get(name)

    def value_name(self, name: str) -> str | None:
        """Return the name where it is not that of the alias."""
        return self._catalog.value_names.get(name)

    def has(self, section: Section, name: str) -> Answer:
        """Return whether a list of the catalog has a word."""
        words: frozenset[str] = getattr(self._catalog, section)
        if name in words:
            return Answer.YES
        return Answer.NO if words else Answer.UNKNOWN

    def reserves(self, word: str, position: str) -> Answer:
        """Return whether the grammar rejected the word there; never UNKNOWN."""
        words = self._catalog.reserved.get(position, ())
        return Answer.YES if word in words else Answer.NO


@cache
def documented_engine(dialect: str) -> DocumentedEngine | None:
    """Return what the documentation of a dialect says; None: it was not read."""
    return None if manual(dialect) is None else DocumentedEngine(dialect)


@lru_cache(maxsize=64)
def knowledge_of(profile: Profile | None) -> EngineKnowledge:
    """Return what is known of an engine: measured, else documented, else what all have."""
    catalog = None if profile is None else catalog_of_version(*profile.catalog_key)
    if profile is None:
        return EngineKnowledge()
    if catalog is None:
        return documented_engine(profile.dialect) or EngineKnowledge()
    if profile.versions and not profile.known.versions.documented:
        catalog = replace(catalog, engine=profile.engine)
    if "ANSI_QUOTES" in profile.sql_mode:
        catalog = replace(catalog, rejected=catalog.rejected - {"double_quoted_table"})
    return MeasuredEngine(catalog)
