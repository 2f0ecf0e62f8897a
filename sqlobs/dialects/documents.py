"""The data files of the engines: `data/<engine>/<version>.json` and `data/<engine>/manual.json`.

`data/<engine>/columns.sql` is the query by which users export their schema from a console.

A version file is measured on a running engine by `scripts/catalog`, or written from release
notes. The oldest measured version of an engine is whole; every other file lists only what differs
from the nearest older version, or from the file that its `base` names (`"base": "mariadb/10.11"`):

    {"engine": "postgres 17.10", "functions": {"set": {"to_bin": […]}, "removed": []}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

MANUAL: Final = "manual"
_ABOUT: Final = frozenset({"base", "new_forms", "source"})
"""Sections about the file itself: no other version inherits them."""


@cache
def versions_of(engine: str) -> tuple[str, ...]:
    """Return the versions that have a file, oldest first; empty if the engine has none.

    >>> versions_of("mysql")
    ('5', '8', '9')
    """
    names = (path.name for path in _folder(engine).iterdir()) if _folder(engine).is_dir() else ()
    found = (name.removesuffix(".json") for name in names if name.endswith(".json"))
    return tuple(sorted((one for one in found if one != MANUAL), key=_number))


def nearest(engine: str, version: str) -> str:
    """Return the newest version with a file that is not newer than another version.

    The oldest one stands for all before it.

    >>> nearest("postgres", "17.3"), nearest("postgres", "19"), nearest("postgres", "9")
    ('17', '18', '11')
    """
    known = versions_of(engine)
    older = [one for one in known if _number(one) <= _number(version)]
    return older[-1] if older else known[0]


@cache
def written(engine: str, version: str) -> Mapping[str, Any]:
    """Return a file as it is written: whole, or as the differences from its base."""
    found: dict[str, Any] = json.loads(
        _folder(engine).joinpath(f"{version}.json").read_text("utf-8")
    )
    return found


def document(engine: str, version: str) -> dict[str, Any]:
    """Return everything known about a version, what it inherits included."""
    own = written(engine, version)
    base = base_of(engine, version)
    return dict(own) if base is None else changed(document(*base), own)


def base_of(engine: str, version: str) -> tuple[str, str] | None:
    """Return engine and version that a file inherits from; None: it is whole."""
    own, known = written(engine, version), versions_of(engine)
    if own.get("base"):
        name, _, base = own["base"].rpartition("/")
        return name or engine, base
    is_whole = "base" in own or version == known[0]
    return None if is_whole else (engine, known[known.index(version) - 1])


def root_of(engine: str) -> tuple[str, str] | None:
    """Return engine and version of the whole file that all versions of an engine inherit from."""
    known = versions_of(engine)
    if not known:
        return None
    found = engine, known[0]
    while (base := base_of(*found)) is not None:
        found = base
    return found


def changed(older: Mapping[str, Any], differences: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a version from that of an older one and the differences.

    A list has `added` and `removed`. A section by name has `set` and `removed`, and where its
    values are lists `added`: `"reserved": {"added": {"alias": ["LIBRARY"]}}`.
    """
    found = {section: value for section, value in older.items() if section not in _ABOUT}
    for section, value in differences.items():
        old = found.get(section)
        if section in _ABOUT:
            found[section] = value
        elif isinstance(old, dict):
            kept = {key: one for key, one in old.items() if key not in value.get("removed", ())}
            longer = {key: kept[key] + more for key, more in value.get("added", {}).items()}
            found[section] = dict(sorted({**kept, **value.get("set", {}), **longer}.items()))
        elif isinstance(old, list):
            removed = value.get("removed", ())
            found[section] = [one for one in old if one not in removed] + value.get("added", [])
        else:
            found[section] = value
    return found


@cache
def manual(engine: str) -> Mapping[str, Any] | None:
    """Return what the documentation of an engine says; None: it was not read.

    Its functions are a list of some names, or all functions with their signatures, as in a version
    file: `{"round": [["scalar", 1, 2]], "pkg.f": …}`.
    """
    path = _folder(engine).joinpath(f"{MANUAL}.json")
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def lists_functions(engine: str) -> bool:
    """Return whether the documentation was read completely: all functions and their arguments."""
    found = manual(engine)
    return found is not None and isinstance(found["functions"], dict)


def columns_query(engine: str) -> str | None:
    """Return the query on the system catalog whose rows tell all columns; None: none is known."""
    path = _folder(engine).joinpath("columns.sql")
    return path.read_text("utf-8") if path.is_file() else None


@cache
def data_version() -> str:
    """Return 8 hexadecimal digits of the content of all JSON files: verdicts depend on it."""
    digest = blake2b(digest_size=4)
    for folder in sorted(_data().iterdir(), key=lambda one: one.name):
        for path in sorted(folder.iterdir(), key=lambda one: one.name):
            if path.name.endswith(".json"):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _number(version: str) -> tuple[int, ...]:
    """Return the numbers of a version: `8.0.36` → (8, 0, 36), `5.7.44-log` → (5, 7, 44)."""
    parts = (part.partition("-")[0] for part in version.split("."))
    return tuple(int(part) if part.isdecimal() else 0 for part in parts)


def _folder(engine: str) -> Traversable:
    return _data().joinpath(engine)


def _data() -> Traversable:
    return files("sqlobs.dialects").joinpath("data")
