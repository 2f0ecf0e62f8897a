"""Which names stand near a faulty column reference: what was in reach, and who owns the name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.resolver.model.resolution import ColumnFault, WordUse
    from sqlobs.check.rules.rule import Case


def owners_of(case: Case, fault: ColumnFault) -> tuple[str, ...]:
    """Return the tables of the schema that have a column of this name."""
    if case.schema is None:
        return ()
    identifier = fault.identifier
    quoted = bool(identifier.args.get("quoted"))
    key = case.schema.names.column_key(identifier.name, quoted=quoted)
    return case.schema.columns.get(key, ())


def names_in_reach(fault: ColumnFault | WordUse) -> Iterator[str]:
    """Yield the names that could have been written there: of the relation it names, else of all."""
    if fault.relations:
        for relation in fault.relations:
            yield from (column.name for column in relation.columns.values())
        return
    for level in fault.scope.chain():
        for relation in level.relations.values():
            yield from (column.name for column in relation.columns.values())
        aliases = (column.name for column in level.aliases.values())
        yield from (alias for alias in aliases if alias != fault.identifier.name)
