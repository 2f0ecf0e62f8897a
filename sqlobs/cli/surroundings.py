"""What prompts and request bodies show of the questions' databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Databases, Place
    from sqlobs.evaluation.generation.placeholders import Surroundings


def surroundings_of(
    args: argparse.Namespace,
    cases: Sequence[Case],
    place: Place | None,
    *,
    dialect: str | None,
    wants_schema: bool,
) -> Surroundings:
    """Return the dialects of the questions' databases and, if wanted, their schemas.

    Args:
        args: The command's arguments; `--schema` goes before the databases.
        cases: The questions.
        place: The databases; None = there are none.
        dialect: The dialect where a database has none.
        wants_schema: A template shows the schema.

    Raises:
        InputError: a schema is wanted, and none is known.
    """
    from sqlobs.evaluation.databases import Databases
    from sqlobs.evaluation.generation.placeholders import Surroundings

    databases = Databases(targets={}) if place is None else Databases.of(place, cases)
    dialects = {
        name: target.grammar
        for name, target in databases.targets.items()
        if target.grammar is not None
    }
    schemas = _schemas(args, cases, databases) if wants_schema else {}
    found = Surroundings(schemas=schemas, dialects=dialects, dialect=dialect)
    if wants_schema:
        found.require_schemas(cases)
    return found


def _schemas(
    args: argparse.Namespace, cases: Sequence[Case], databases: Databases
) -> dict[str | None, str]:
    if args.schema:
        from sqlobs.cli.inputs import read_schema

        text = read_schema(args.schema, dialect=args.dialect).render()
        return dict.fromkeys((case.db for case in cases), text)
    if not databases.has_catalogs:
        return {}
    read = databases.with_schemas({case.db for case in cases}).schemas
    return {name: schema.render() for name, schema in read.items()}
