"""Writes the catalog of an engine version so that a new version is a readable diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlobs.dialects.documents import document, versions_of

FOLDER = Path(__file__).parents[2] / "sqlobs" / "dialects" / "data"
WRITTEN_BY_HAND = ("source", "new_forms")
"""Sections of a version that come from its release notes."""


def write(engine: str, version: str, catalog: dict[str, Any]) -> None:
    """Write a whole catalog as JSON, one entry of each section a line."""
    _write(engine, version, {"base": None, **catalog})


def write_differences(engine: str, version: str, catalog: dict[str, Any]) -> None:
    """Write what a version changes against the nearest older one that has a file."""
    older = [one for one in versions_of(engine) if float(one) < float(version)]
    path = FOLDER / engine / f"{version}.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    kept = {section: known[section] for section in WRITTEN_BY_HAND if section in known}
    found = differences(document(engine, older[-1]), json.loads(json.dumps(catalog)))
    _write(engine, version, {"engine": catalog["engine"], **kept, **found})


def write_variant(
    engine: str, version: str, catalog: dict[str, Any], *, base: tuple[str, str]
) -> None:
    """Write what an engine's catalog changes against a version of another engine."""
    found = differences(document(*base), json.loads(json.dumps(catalog)))
    _write(engine, version, {"base": "/".join(base), "engine": catalog["engine"], **found})


def write_section(engine: str, version: str, section: str, entries: Any) -> None:
    """Replace a section by name in a whole catalog, and print which of its entries change."""
    known: dict[str, Any] = json.loads((FOLDER / engine / f"{version}.json").read_text("utf-8"))
    old, new = (_by_name(one) for one in (known.get(section, {}), entries))
    changes = {key: one for key, one in new.items() if key not in old or old[key] != one}
    changes |= {key: None for key in old if key not in new}
    print(f"{engine} {version}: {changes or 'unchanged'}")
    _write(engine, version, {**known, section: entries})


def _by_name(section: Any) -> dict[str, Any]:
    return section if isinstance(section, dict) else dict.fromkeys(section, True)


def _write(engine: str, version: str, sections: dict[str, Any]) -> None:
    path = FOLDER / engine / f"{version}.json"
    path.parent.mkdir(exist_ok=True)
    lines = [f"{json.dumps(key)}: {_section(value)}" for key, value in sections.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{engine}/{path.name}: {sections['engine']}")


def differences(older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Return what `sqlobs.dialects.documents.changed` needs to make a newer document."""
    found: dict[str, Any] = {}
    for section, value in newer.items():
        old = older[section]
        if value == old or section == "engine":
            continue
        if isinstance(value, dict):
            found[section] = _without_empty(_of_names(old, value))
        elif isinstance(value, list):
            added = [one for one in value if one not in old]
            removed = [one for one in old if one not in value]
            found[section] = _without_empty({"added": added, "removed": removed})
        else:
            found[section] = value
    return found


def _of_names(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    added = {
        key: [one for one in value if one not in old[key]]
        for key, value in new.items()
        if _is_longer(old.get(key), value)
    }
    changed = {key: one for key, one in new.items() if key not in added and old.get(key) != one}
    return {"set": changed, "added": added, "removed": [key for key in old if key not in new]}


def _is_longer(old: Any, new: Any) -> bool:
    """Return whether a list of words has got more of them: the order of signatures counts."""
    if not old or not all(isinstance(one, str) for one in new):
        return False
    return set(old) < set(new)


def _without_empty(parts: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in parts.items() if value}


def _section(value: Any, indent: str = "  ") -> str:
    """Return a section, one entry a line; the parts of a difference are sections themselves."""
    if isinstance(value, dict) and value.keys() <= {"set", "added", "removed"}:
        parts = (f'{indent}"{key}": {_section(value[key], "    ")}' for key in value)
        return "{\n" + ",\n".join(parts) + "\n}"
    if isinstance(value, dict):
        lines = [f"{indent}{json.dumps(key)}: {_compact(value[key])}" for key in sorted(value)]
        return "{\n" + ",\n".join(lines) + f"\n{indent[2:]}" + "}"
    if isinstance(value, list):
        lines = [f"{indent}{_compact(item)}" for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent[2:]}]"
    return json.dumps(value)


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
