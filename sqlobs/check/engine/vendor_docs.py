"""What vendors document about engines that the project cannot run.

Read from `data/<engine>/manual.json` of `sqlobs.dialects`, which names the pages. A function that
the documentation lists exists; one that it does not list is undecided. A form that it rejects is
rejected by every version.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.documents import manual

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, eq=False)
class Manual:
    """What the manual of one engine tells."""

    source: tuple[str, ...]
    """Where it stands."""
    functions: frozenset[str]
    """In lower case."""
    refused: frozenset[str]
    """Names of forms that the engine certainly rejects; of others it is not known."""
    table_columns: Mapping[str, list[str]]
    """Columns of functions that stand in FROM, by lower-case name."""
    suffixes: tuple[str, ...] = ()
    """What may stand behind the name of a function (ClickHouse's `sumIf`), in lower case."""
    messages: Mapping[str, str] = field(default_factory=dict)
    """Messages of forms that this dialect words in its own way, by name of the form."""

    def has_function(self, name: str) -> bool:
        """Say whether a function of this lower-case name is listed."""
        if name in self.functions:
            return True
        return any(name.removesuffix(end) in self.functions for end in self.suffixes)


@cache
def manual_of(dialect: str) -> Manual | None:
    """Return what the manual of a dialect tells; None: it was not read."""
    document = manual(dialect)
    if document is None:
        return None
    functions = frozenset(document["functions"])
    return Manual(
        tuple(document["source"]),
        functions.union(name.rpartition(".")[2] for name in functions),
        frozenset(document["forms"]),
        document["table_columns"],
        tuple(document.get("suffixes", ())),
        document.get("messages", {}),
    )


_COMMON: Final = frozenset(
    "cast coalesce nullif count sum min max avg abs round floor upper lower replace sqrt row_number"
    " rank dense_rank ntile lag lead first_value last_value cume_dist percent_rank current_date"
    " current_timestamp".split()
)
NOTHING: Final = Manual((), _COMMON, frozenset(), {})
"""For an engine whose manual was not read: the functions that every engine has."""
