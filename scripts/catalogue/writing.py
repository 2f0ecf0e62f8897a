"""Writes a catalogue so that a new engine version is a readable diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlobs.check.engine.catalog import changed

FOLDER = Path(__file__).parents[2] / "sqlobs" / "check" / "engine" / "catalogs"


def write(name: str, catalogue: dict[str, Any]) -> None:
    """Write one catalogue as JSON, one entry of each section a line."""
    sections = [f"{json.dumps(key)}: {_section(value)}" for key, value in catalogue.items()]
    path = FOLDER / f"{name}.json"
    path.write_text("{\n" + ",\n".join(sections) + "\n}\n", encoding="utf-8")
    print(f"{path.name}: {catalogue['engine']}, {len(catalogue['functions'])} functions")


def write_version(name: str, major: str, catalogue: dict[str, Any]) -> None:
    """Write what a version has otherwise than the one before it into the versions of a dialect.

    Versions are written in their order; those behind this one are dropped.
    """
    path = FOLDER / f"{name}-versions.json"
    known: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    versions = {one: known[one] for one in sorted(known, key=int) if int(one) < int(major)}
    before = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    for difference in versions.values():
        before = changed(before, difference)
    versions[major] = _difference(before, json.loads(json.dumps(catalogue)))
    sections = [f"{json.dumps(one)}: {_section(found)}" for one, found in versions.items()]
    path.write_text("{\n" + ",\n".join(sections) + "\n}\n", encoding="utf-8")
    print(f"{path.name}: {catalogue['engine']}, {len(catalogue['functions'])} functions")


def _difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for section, value in after.items():
        old = before[section]
        if value == old:
            continue
        if isinstance(value, dict):
            found[section] = {
                "set": {key: one for key, one in value.items() if old.get(key) != one},
                "removed": [key for key in old if key not in value],
            }
        elif isinstance(value, list):
            found[section] = {
                "added": [one for one in value if one not in old],
                "removed": [one for one in old if one not in value],
            }
        else:
            found[section] = value
    return found


def _section(value: object) -> str:
    if isinstance(value, dict):
        lines = [f"  {json.dumps(key)}: {_compact(value[key])}" for key in sorted(value)]
        return "{\n" + ",\n".join(lines) + "\n}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"  {_compact(item)}" for item in value) + "\n]"
    return json.dumps(value)


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
