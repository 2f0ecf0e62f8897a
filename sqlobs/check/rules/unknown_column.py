from __future__ import annotations

from collections.abc import Iterator

from sqlobs.check.resolver.model.resolution import ColumnFault, WordUse
from sqlobs.check.rules.rule import Case, Findings, Rule


class UnknownColumn(Rule, code="schema.unknown_column", triggers={"column_faults"}):
    """A column name that no relation in scope and no table of the schema has.

    What it finds: a reference to a name that is declared nowhere.
    Why it matters: the model invented it; the database reports an error.
    Known limits: nothing is reported for tables whose columns are unknown.
    Example: `SELECT full_name FROM customers`
    Instead: `SELECT name FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        for fault in case.resolution.column_faults:
            if fault.problem in {"unknown", "misplaced"} and not owners_of(case, fault):
                name = fault.identifier.name
                place = f" in {fault.relations[0].name}" if fault.relations else ""
                message, names = f"Unknown column {name}{place}.", names_in_reach(fault)
                yield self.at(fault.identifier, message, name, suggestion=names)


def owners_of(case: Case, fault: ColumnFault) -> tuple[str, ...]:
    """Return the tables of the schema that have a column of this name."""
    if case.schema is None:
        return ()
    identifier = fault.identifier
    quoted = bool(identifier.args.get("quoted"))
    key = case.schema.names.column_key(identifier.name, quoted=quoted)
    return case.schema.columns.get(key, ())


def names_in_reach(fault: ColumnFault | WordUse) -> Iterator[str]:
    """Yield the column names in scope: of the relation that qualifies it, else of all."""
    if fault.relations:
        for relation in fault.relations:
            yield from (column.name for column in relation.columns.values())
        return
    for level in fault.scope.chain():
        for relation in level.relations.values():
            yield from (column.name for column in relation.columns.values())
        aliases = (column.name for column in level.aliases.values())
        yield from (alias for alias in aliases if alias != fault.identifier.name)
