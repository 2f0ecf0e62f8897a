"""The page of dialects: how engines differ, from the data that the checker reads."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from sqlobs.check.engine import profile
from sqlobs.check.engine.knowledge import documented_engine
from sqlobs.check.engine.profile import Profile
from sqlobs.check.forms import FORMS, OF_STATEMENTS
from sqlobs.dialects import resolution_rules
from sqlobs.dialects.catalog import Catalog, catalog_of, catalog_of_version
from sqlobs.dialects.documents import base_of, versions_of, written
from sqlobs.dialects.leniency import unsafe_functions_of
from sqlobs.dialects.registry import DIALECTS, all_dialects, dialect_of
from sqlobs.dialects.resolution_rules import ResolutionRules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import ModuleType

    from sqlobs.check.engine.knowledge import DocumentedEngine
    from sqlobs.dialects.identifiers import IdentifierRules

_PAGE = """\
# How dialects differ

<!-- Made by scripts/docs.py from sqlobs/dialects: do not edit. -->

The checker's knowledge of an engine is data: the rules below, and a catalog that a script
extracted from the engine. Seven engines are measured so.
For the others, the checker checks syntax, tables, columns, ambiguity and ungrouped columns of the
SELECT list, and uses the functions and forms that their manuals list. Where a manual was read
completely, an unlisted function, a wrong number of arguments and an unlisted type are errors. Where
it was not, and for versions that are not listed below, a function in no list is `undecided`. A
dialect that is not on this page is parsed with sqlglot's grammar of that name, and everything is
allowed that any engine allows.

Functions of yours are declared in the schema: `CREATE FUNCTION` in its DDL, or
`dataclasses.replace(schema, functions=("net_price",))`. A call with a namespace that is not the
engine's (`dbo.net_price(id)`, `pricing_pkg.net(id)`) is undecided unless it is declared. If you
cannot list your functions, `dataclasses.replace(Profile.named("snowflake"), functions="partial")`
leaves calls of unlisted functions undecided.

| dialect | stands for | functions | unquoted names | table names | column names |
|---|---|---|---|---|---|
{overview}

## Versions

A dialect without a version means the current versions of its engine: `postgres` means PostgreSQL
15 to 18, `mysql` means MySQL 8 and 9. A statement fails only if all of them reject it. If they
disagree, the label is undecided, and a finding of severity `info` names the versions. `mariadb` is
MariaDB 10.11.

A version comes from the dialect (`postgres:16`, `mysql:8.4`, `mariadb:11.4`), from a `Profile`, or
from the server that the schema was read from; the schema's version is used if the dialect has none.
A version that you specify must be one of these:

| dialect | versions | catalog extracted from |
|---|---|---|
{versions}

If a server reports a newer version, the newest known version is used.

## Settings that change verdicts

`check_sql(..., dialect=)` accepts a name, a name with a version (`mysql:8.0`, `postgres:16`) or a
`Profile` with these fields.

| field | default | meaning |
|---|---|---|
{settings}

{dialects}
"""


_DESCRIBED = [name for name in DIALECTS if dialect_of(name).resolution is not None]


def dialect_page() -> str:
    """Return the page of dialects."""
    names = sorted(_DESCRIBED, key=lambda name: (catalog_of(name) is None, name))
    return _PAGE.format(
        overview="\n".join(map(_overview, names)),
        versions="\n".join(_versions()),
        settings="\n".join(_settings()),
        dialects="\n\n".join(map(_dialect, names)),
    )


def _versions() -> Iterator[str]:
    for one in all_dialects():
        known, measured = one.versions.known, one.versions.measured
        made = measured or ("by the documentation of 8.0 and 9",)
        if known:
            yield f"| `{one.name}` | {', '.join(known)} | {', '.join(made)} |"


def _overview(name: str) -> str:
    catalog, rules = catalog_of(name), dialect_of(name).identifiers
    if catalog is not None:
        catalog = catalog_of_version(*Profile.named(name).catalog_key)
    engine = Profile.named(name).engine
    manual = documented_engine(name)
    known = f"{len(catalog.functions)}" if catalog else "not listed"
    if manual is not None:
        known = f"{len(manual.functions)} of the manual"
    unquoted = {"lower": "lower case", "upper": "upper case", "kept": "as written"}
    cells = (name, engine, known, unquoted[rules.unquoted], _case(rules, "tables"))
    return f"| {' | '.join(cells)} | {_case(rules, 'columns')} |"


def _case(rules: IdentifierRules, what: str) -> str:
    return "any case" if getattr(rules, f"{what}_ignore_case") else "exact"


def _settings() -> Iterator[str]:
    meanings = documented(profile, "Profile")
    for field in fields(Profile):
        if field.name != "dialect":
            default = (
                "per dialect" if field.name in {"version", "functions"} else _cell(field.default)
            )
            yield f"| `{field.name}` | {default} | {meanings[field.name]} |"


def _dialect(name: str) -> str:
    parts = [f"## {name}", *_rules(dialect_of(name).resolution or ResolutionRules())]
    catalog = catalog_of(name)
    if catalog is not None:
        parts += _from_catalog(catalog)
    parts += _version_files(name)
    manual = documented_engine(name)
    if manual is not None:
        parts += _from_manual(manual)
    hazards = unsafe_functions_of(name)
    if hazards.functions:
        parts.append(f"Functions with effects outside the query: {_listed(hazards.functions)}.")
    return "\n\n".join(parts)


def _rules(own: ResolutionRules) -> Iterator[str]:
    meanings, default = documented(resolution_rules, "ResolutionRules"), ResolutionRules()
    rows = [
        f"| `{field.name}` | {_cell(getattr(own, field.name))} | {meanings.get(field.name, '')} |"
        for field in fields(ResolutionRules)
        if getattr(own, field.name) != getattr(default, field.name)
    ]
    yield "\n".join(["| rule | here | meaning |", "|---|---|---|", *rows])


def _from_catalog(catalog: Catalog) -> Iterator[str]:
    yield (
        f"Extracted from {catalog.engine}: {len(catalog.functions)} functions,"
        f" {len(catalog.any_reserved)} words that are reserved in some position."
    )
    yield f"Not supported: {_forms(catalog.rejected)}."
    if catalog.cast_types:
        yield f"Types of CAST: {_listed(catalog.cast_types)}."


def _version_files(name: str) -> Iterator[str]:
    """Yield the sections of version files, which list differences from an older version."""
    for version in versions_of(name):
        base = base_of(name, version)
        if base is not None:
            own = written(name, version)
            yield f"### {name}:{version}"
            yield f"What differs from {' '.join(base)}:\n\n" + "\n".join(_differences(own))
            yield f"Source: {_pages(own['source'])}."


def _differences(own: Mapping[str, Any]) -> Iterator[str]:
    functions, forms = own.get("functions", {}), own.get("forms", {})
    reserved = own.get("reserved", {}).get("added", {}).values()
    new_forms = own["new_forms"]["patterns"] if "new_forms" in own else ()
    found = {
        "functions added or changed": _listed(functions.get("set", ())),
        "functions removed": _listed(functions.get("removed", ())),
        "forms rejected": _forms(forms.get("set", ())),
        "forms accepted": _forms(forms.get("removed", ())),
        "forms added, parsed but not checked": ", ".join(new_forms),
        "words reserved": _listed({word for words in reserved for word in words}),
        "types of `CAST` added": _listed(own.get("cast_types", {}).get("added", ())),
        "types of `CAST` removed": _listed(own.get("cast_types", {}).get("removed", ())),
    }
    return (f"- {what}: {names}" for what, names in found.items() if names)


def _from_manual(manual: DocumentedEngine) -> Iterator[str]:
    yield (
        f"From its manual, not measured: {len(manual.functions)} functions; others are"
        f" {'unknown' if manual.lists_functions else 'undecided'}. Source: {_pages(manual.source)}."
    )
    if manual.types:
        yield f"Types of casts, by their first word; others are unknown: {_listed(manual.types)}."
    yield f"Not supported: {_forms(manual.rejected)}."


def _pages(addresses: Iterable[str]) -> str:
    return ", ".join(f"<https://{address}>" for address in addresses)


def _forms(names: Iterable[str]) -> str:
    """Return the forms of these names as phrases."""
    return ", ".join(dict.fromkeys((FORMS | OF_STATEMENTS)[name].label for name in sorted(names)))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _cell(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, frozenset | tuple):
        return ", ".join(f"`{one}`" for one in sorted(value)) or "none"
    return f"`{value}`"


def documented(module: ModuleType, name: str) -> dict[str, str]:
    """Return the text behind each field of a class: the literal that follows it in the source."""
    tree = ast.parse(inspect.getsource(module))
    found = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    meanings: dict[str, str] = {}
    for field, after in zip(found.body, found.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
            meanings[ast.unparse(field.target)] = " ".join(ast.literal_eval(after.value).split())
    return meanings
