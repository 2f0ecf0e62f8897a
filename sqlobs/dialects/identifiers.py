"""When two spellings name the same table or column: the case rules of each dialect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

PLAIN_NAME: Final = r"[A-Za-z_][A-Za-z0-9_$]{0,62}"
"""What may be recorded as a name: anything else between quotes may be a value."""


@dataclass(frozen=True, slots=True)
class Folding:
    """The key under which spellings of a name are the same name, for many names of one kind."""

    plain: Callable[[str], str]
    """Of a name without quotes."""
    quoted: Callable[[str], str]


_FOLDS: Final[dict[str, Callable[[str], str]]] = {
    "lower": str.lower,
    "upper": str.upper,
    "kept": str,
}


@dataclass(frozen=True, slots=True)
class IdentifierRules:
    """How one dialect stores and compares names."""

    unquoted: Literal["lower", "upper", "kept"] = "kept"
    """What the system catalog stores for a name written without quotes."""
    tables_ignore_case: bool = True
    """Names of tables, namespaces and aliases are compared without case, quoted or not."""
    columns_ignore_case: bool = True
    """Names of columns are compared without case, quoted or not."""

    nested_by_dot: bool = False
    """A dot in the name of a column is that of a nested one: `events.name` is a field of
    `events`."""

    def stored(self, name: str, *, quoted: bool) -> str:
        """Return the name in the system catalog after `CREATE TABLE {name}`."""
        if quoted or self.unquoted == "kept":
            return name
        return name.lower() if self.unquoted == "lower" else name.upper()

    def table_key(self, name: str, *, quoted: bool = True) -> str:
        """Return the key under which two names of tables are the same table.

        A name read from the system catalog is `quoted`.
        """
        return name.lower() if self.tables_ignore_case else self.stored(name, quoted=quoted)

    def column_key(self, name: str, *, quoted: bool = True) -> str:
        """Return the key under which two names of columns are the same column."""
        return name.lower() if self.columns_ignore_case else self.stored(name, quoted=quoted)

    def folding(self, *, ignore_case: bool) -> Folding:
        """Return the folding of a kind of names: ignoring case, or as the catalog stores them."""
        if ignore_case:
            return Folding(str.lower, str.lower)
        return Folding(_FOLDS[self.unquoted], str)


EXACT_LOWER: Final = IdentifierRules("lower", tables_ignore_case=False, columns_ignore_case=False)
"""Quoted names keep their case and must then be written with it; others are in lower case."""
EXACT_UPPER: Final = IdentifierRules("upper", tables_ignore_case=False, columns_ignore_case=False)
EXACT: Final = IdentifierRules("kept", tables_ignore_case=False, columns_ignore_case=False)
EXACT_NESTED: Final = IdentifierRules(
    "kept", tables_ignore_case=False, columns_ignore_case=False, nested_by_dot=True
)
LOWER: Final = IdentifierRules("lower")
"""Stored in lower case, quoted or not (Redshift: enable_case_sensitive_identifier off)."""
TABLES_EXACT: Final = IdentifierRules("kept", tables_ignore_case=False)
"""Table files on a case-sensitive disk (lower_case_table_names=0); BigQuery by definition."""
ANY_CASE: Final = IdentifierRules()
