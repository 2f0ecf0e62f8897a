"""Which type system judges for a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.dialects.catalog import catalog_of_version

if TYPE_CHECKING:
    from sqlobs.check.engine.profile import Profile
    from sqlobs.check.types.system import TypeSystem
    from sqlobs.schema.model import Schema


def types_of(profile: Profile, schema: Schema | None) -> TypeSystem | None:
    """Return the types of a profile; None where the engine minds none, or they are not known.

    Args:
        profile: the engine.
        schema: declares types beside those of the engine.
    """
    catalog = catalog_of_version(*profile.catalog_key)
    if catalog is not None and profile.dialect == "postgres":
        from sqlobs.check.types.postgres import postgres_types

        return postgres_types(catalog, () if schema is None else schema.enums)
    if catalog is not None and profile.dialect == "duckdb":
        from sqlobs.check.types.duckdb import duckdb_types

        return duckdb_types(catalog, () if schema is None else schema.enums)
    return None
