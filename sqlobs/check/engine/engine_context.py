"""An engine with a schema, prepared once for all checks of the two."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from sqlobs.check.engine.knowledge import Answer, EngineKnowledge, knowledge_of
from sqlobs.check.engine.prepared_schema import PreparedSchema, PreparedTable
from sqlobs.check.engine.profile import Profile
from sqlobs.check.types.system import NO_TYPES, TypeSystem, types_of
from sqlobs.dialects.identifiers import Folding, IdentifierRules
from sqlobs.dialects.leniency import lenient, unknown
from sqlobs.dialects.registry import identifier_rules
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.schema.model import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineContext:
    """An engine with a schema, shared by threads: immutable except for its caches of names."""

    profile: Profile | None
    """None: no dialect was given."""
    dialect: str
    """sqlglot's name; empty: none was given."""
    engine: str | None
    """The engine's name and version."""
    traits: ResolutionRules
    names: IdentifierRules
    column_folding: Folding
    table_folding: Folding
    alias_folding: Folding
    stored: Callable[[str], str]
    """Returns a name without quotes as the engine keeps it."""
    schema: PreparedSchema | None
    """None: no schema was given."""
    plain_tables: Mapping[str, PreparedTable]
    """Tables of the schema that their folded names mean, whatever else the engine knows."""
    knowledge: EngineKnowledge
    types: TypeSystem
    """`NO_TYPES` where the engine does not check types, or the schema does not list any."""
    declared_functions: frozenset[str]
    """Functions of the user, in lower case."""
    has_unlisted_functions: bool
    """The list of functions is incomplete: a call of an unlisted one is undecided."""
    known_columns: dict[object, str] = field(default_factory=dict)
    """Names of columns, without quotes and not reserved, with the form that they were folded to."""
    known_tables: dict[object, str] = field(default_factory=dict)
    known_aliases: dict[object, str] = field(default_factory=dict)

    def has_function(self, name: str) -> bool:
        """Return whether the engine is known to have a function, or the user has declared it."""
        if name.lower() in self.declared_functions:
            return True
        return self.knowledge.has_function(name) is Answer.YES


MOST_KNOWN: Final = 4096
"""Names of a kind whose folded form is kept."""
_CAPACITY: Final = 512
_lock = threading.Lock()  # guards the size of _kept; contexts are built outside it
_kept: dict[tuple[str | None, Profile | None], EngineContext] = {}


def engine_context_of(schema: Schema | None, profile: Profile | None) -> EngineContext:
    """Return the context of a schema and a profile; built at the first call, then cached."""
    key = (None if schema is None else schema.version, profile)
    found = _kept.get(key)
    if found is not None:
        return found
    built = _build(schema, profile)
    with _lock:
        _kept[key] = built
        while len(_kept) > _CAPACITY:
            del _kept[next(iter(_kept))]
    return built


def is_prepared(schema: Schema, profile: Profile) -> bool:
    """Return whether `engine_context_of` returns without work."""
    return (schema.version, profile) in _kept


def _build(schema: Schema | None, profile: Profile | None) -> EngineContext:
    names = _names_of(profile) if profile is not None else identifier_rules(None)
    types = types_of(profile, schema)
    prepared = None
    if schema is not None and profile is not None:
        schema = profile.path_of(schema)
    if schema is not None:
        prepared = PreparedSchema(schema, names=names, types=types)
    declared = schema.functions if schema is not None else ()
    is_partial = profile is None or profile.functions == "partial"
    traits = _resolution_of(profile) if profile is not None else unknown()
    alias_ignores_case = traits.alias_ignores_case or names.tables_ignore_case
    return EngineContext(
        profile=profile,
        dialect=profile.dialect if profile is not None else "",
        engine=profile.engine if profile is not None else None,
        traits=traits,
        names=names,
        column_folding=names.folding(ignore_case=names.columns_ignore_case),
        table_folding=names.folding(ignore_case=names.tables_ignore_case),
        alias_folding=names.folding(ignore_case=alias_ignores_case),
        stored=names.folding(ignore_case=False).plain,
        schema=prepared,
        plain_tables=_plain_tables(prepared, traits),
        knowledge=knowledge_of(profile),
        types=types if prepared is not None and prepared.has_types else NO_TYPES,
        declared_functions=frozenset(name.lower() for name in declared),
        has_unlisted_functions=is_partial
        or (schema is not None and not _WITHOUT_FUNCTIONS.issuperset(schema.extensions)),
    )


def _resolution_of(profile: Profile) -> ResolutionRules:
    """Return how names are resolved, the settings of a profile applied."""
    known = profile.known
    rules = known.resolution or lenient()
    if rules.quoted_fallback and not profile.double_quoted_strings:
        return replace(rules, quoted_fallback=False)
    if "sql_mode" in known.settings and "ONLY_FULL_GROUP_BY" in profile.sql_mode:
        return replace(rules, strict_grouping=True, key_determines=True)
    return rules


def _names_of(profile: Profile) -> IdentifierRules:
    """Return the case rules, the settings of a profile applied."""
    known = profile.known
    if "lower_case_table_names" in known.settings and profile.lower_case_table_names:
        return replace(known.identifiers, tables_ignore_case=True)
    return known.identifiers


_WITHOUT_FUNCTIONS: Final = frozenset({"plpgsql"})
"""Extensions that bring nothing to call; this one is in every PostgreSQL database."""


def _plain_tables(
    schema: PreparedSchema | None, traits: ResolutionRules
) -> Mapping[str, PreparedTable]:
    if schema is None:
        return {}
    own = traits.value_relations | traits.empty_tables | traits.system_tables
    needs_namespace = traits.needs_namespace and not schema.has_search_path
    return {
        key: table
        for key, table in schema.tables.items()
        if key not in own and not (needs_namespace and table.db)
    }
