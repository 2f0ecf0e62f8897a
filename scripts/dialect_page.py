"""The page of dialects: what differs between engines, from the data that the checker reads."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields
from typing import TYPE_CHECKING

from sqlobs.check.engine import profile
from sqlobs.check.engine import resolution_rules as traits
from sqlobs.check.engine.catalog import (
    Catalogue,
    catalogue_of,
    later_forms,
    later_versions,
    mysql_catalogue,
    mysql_differences,
)
from sqlobs.check.engine.profile import CATALOGUE_VERSIONS, FULL_DIALECTS, Profile
from sqlobs.check.engine.resolution_rules import TRAITS, Traits
from sqlobs.check.engine.unsafe_functions import unsafe_functions_of
from sqlobs.check.engine.vendor_docs import manual_of
from sqlobs.check.forms.constructs import CONSTRUCTS, TOKEN_CONSTRUCTS
from sqlobs.schema.dialects import KNOWN_VERSIONS
from sqlobs.schema.identifiers import IdentifierRules, identifier_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

    from sqlobs.check.engine.vendor_docs import Manual

_PAGE = """\
# What differs between dialects

<!-- Made by scripts/docs.py from sqlobs/check and sqlobs/schema: do not edit. -->

The checker knows an engine by data: the traits and case rules below, and a catalogue that a script
made by asking the engine. Four engines are known completely; of the others syntax, tables, columns
and ambiguity are judged, and columns of a SELECT list that nothing groups; what their manuals tell
stands below. A function that nothing lists is `undecided`: in these, and in versions of the four
that are not below. A dialect that is not here is read with the grammar of its name,
and with everything allowed that some engine allows.

| dialect | stands for | functions | unquoted names | table names | column names |
|---|---|---|---|---|---|
{overview}

## Versions

A dialect without a version stands for current versions of its engine: `postgres` for PostgreSQL 15
to 18, `mysql` for MySQL 8 and 9. A statement fails only where all of them reject it. Where they
disagree, the label is undecided, and a finding of severity `info` names the versions. `mariadb` is
MariaDB 10.11.

A version comes from the dialect (`postgres:16`, `mysql:8.4`, `mariadb:11.4`), from a `Profile`, or
from the server that a schema is read from; the schema's version counts where the dialect has none.
A version that you write must be known:

| dialect | versions | catalogue made of |
|---|---|---|
{versions}

A newer version that a server reports inherits the newest known one.

## Settings that flip verdicts

`check_sql(..., dialect=)` takes a name, a name with a version (`mysql:8.0`, `postgres:16`) or a
`Profile` with these fields.

| field | default | meaning |
|---|---|---|
{settings}

{dialects}
"""


def dialect_page() -> str:
    """Return the page of dialects."""
    names = sorted(TRAITS, key=lambda name: (name not in FULL_DIALECTS, name))
    return _PAGE.format(
        overview="\n".join(map(_overview, names)),
        versions="\n".join(_versions()),
        settings="\n".join(_settings()),
        dialects="\n\n".join(map(_dialect, names)),
    )


def _versions() -> Iterator[str]:
    made = {**CATALOGUE_VERSIONS, "mysql": ("by the manual of 8.0 and 9",), "mariadb": ("10.11",)}
    for name, versions in KNOWN_VERSIONS.items():
        yield f"| `{name}` | {', '.join(versions)} | {', '.join(made[name])} |"


def _overview(name: str) -> str:
    catalogue, rules = catalogue_of(name), identifier_rules(name)
    if name == "mysql":
        catalogue = mysql_catalogue(8)
    engine = Profile.named(name).engine
    manual = manual_of(name)
    known = f"{len(catalogue.functions)}" if catalogue else "not listed"
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
                "per dialect" if field.name in {"version", "functions"} else _told(field.default)
            )
            yield f"| `{field.name}` | {default} | {meanings[field.name]} |"


def _dialect(name: str) -> str:
    parts = [f"## {name}", *_traits(TRAITS[name])]
    catalogue = catalogue_of(name)
    if catalogue is not None:
        parts += _from_catalogue(catalogue)
    parts += _later(name)
    if name == "mysql":
        parts += _of_mysql_8(mysql_differences())
    manual = manual_of(name)
    if manual is not None:
        parts += _from_manual(manual)
    hazards = unsafe_functions_of(name)
    if hazards.functions:
        parts.append(f"Calls that reach out of a query: {_listed(hazards.functions)}.")
    return "\n\n".join(parts)


def _traits(own: Traits) -> Iterator[str]:
    meanings, default = documented(traits, "Traits"), Traits()
    rows = [
        f"| `{field.name}` | {_told(getattr(own, field.name))} | {meanings.get(field.name, '')} |"
        for field in fields(Traits)
        if getattr(own, field.name) != getattr(default, field.name)
    ]
    yield "\n".join(["| trait | here | meaning |", "|---|---|---|", *rows])


def _from_catalogue(catalogue: Catalogue) -> Iterator[str]:
    yield (
        f"Asked of {catalogue.engine}: {len(catalogue.functions)} functions,"
        f" {len(catalogue.any_reserved)} words that may not stand for every name."
    )
    refused = [_construct(sample) for sample in sorted(catalogue.refused)]
    yield f"Refused: {', '.join(dict.fromkeys(refused))}."
    if catalogue.cast_types:
        yield f"Types of CAST: {_listed(catalogue.cast_types)}."


def _later(name: str) -> Iterator[str]:
    """Yield what each version after the catalogue's adds and drops."""
    forms = later_forms(name)
    for version, difference in later_versions(name).items():
        functions = difference["functions"]
        gone = functions["removed"]
        yield f"### {name}:{version}"
        yield f"Functions added or changed: {_listed(functions['set'])}."
        if gone:
            yield f"Functions removed: {_listed(gone)}."
        if forms is not None and (added := forms.patterns.get(int(version))):
            yield f"Forms added, read but not judged: {', '.join(added)}."


def _of_mysql_8(told: dict[str, list[str]]) -> Iterator[str]:
    yield "### mysql:8.0"
    yield (
        "MySQL 8 as its manual and MariaDB's tell it, not measured. Functions that neither lists"
        " are unknown; calls with another number of arguments are undecided."
        f" Read in: {_pages(told['source'])}."
    )
    yield f"It has {_listed(told['functions'])}."
    yield f"It lacks {_listed(told['lacking'])}."
    yield f"It takes {', '.join(dict.fromkeys(map(_construct, told['taken'])))}."
    yield f"It refuses {', '.join(dict.fromkeys(map(_construct, told['refused'])))}."
    yield f"CAST takes {_listed(told['cast_types'])}, not {_listed(told['no_cast_types'])}."
    yield f"Reserved: {_listed(told['reserved'])}. Its sql_mode has ONLY_FULL_GROUP_BY."
    yield "### mysql:9"
    yield f"It also has {_listed(told['functions_of_9'])}."
    yield f"It reserves {_listed(told['reserved_by_9'])}."
    yield "### mysql:5.7"
    yield (
        "MySQL 8 without its reserved words, "
        f"{', '.join(dict.fromkeys(map(_construct, told['refused_by_5'])))};"
        f" {_listed(told['lacking_in_5'])} are undecided."
    )


def _from_manual(manual: Manual) -> Iterator[str]:
    yield (
        f"By its manual, not measured: {len(manual.functions)} functions; others are undecided."
        f" Read in: {_pages(manual.source)}."
    )
    yield f"Refused: {', '.join(sorted(map(_construct, manual.refused)))}."


def _pages(addresses: Iterable[str]) -> str:
    return ", ".join(f"<https://{address}>" for address in addresses)


def _construct(sample: str) -> str:
    """Return the name of a construct by its sample, or a form's own name."""
    names = {one.sample: one.name for one in CONSTRUCTS}
    names |= {one.sample: one.name for one in TOKEN_CONSTRUCTS}
    return names.get(sample, sample.replace("_", " "))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _told(value: object) -> str:
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
