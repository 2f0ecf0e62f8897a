"""Which type system judges for a profile."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sqlobs.dialects.catalog import catalog_of_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.engine.profile import Profile
    from sqlobs.check.types.system import TypeSystem
    from sqlobs.dialects.catalog import Catalog
    from sqlobs.schema.model import Schema


def types_of(profile: Profile, schema: Schema | None) -> TypeSystem | None:
    """Return the types of a profile; None where the engine minds none, or they are not known.

    Args:
        profile: the engine.
        schema: declares types beside those of the engine.
    """
    name = profile.known.types.system
    catalog = catalog_of_version(*profile.catalog_key) if name else None
    if catalog is None:
        return None
    made: Callable[[Catalog, tuple[tuple[str, ...], ...]], TypeSystem]
    made = import_module(f"sqlobs.check.types.{name}").type_system
    return made(catalog, () if schema is None else schema.enums)
