"""Writes a catalogue so that a new engine version is a readable diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "sqlobs" / "check" / "catalogues"


def write(name: str, catalogue: dict[str, Any]) -> None:
    """Write one catalogue as JSON, one entry of each section a line."""
    sections = [f"{json.dumps(key)}: {_section(value)}" for key, value in catalogue.items()]
    path = FOLDER / f"{name}.json"
    path.write_text("{\n" + ",\n".join(sections) + "\n}\n", encoding="utf-8")
    print(f"{path.name}: {catalogue['engine']}, {len(catalogue['functions'])} functions")


def _section(value: object) -> str:
    if isinstance(value, dict):
        lines = [f"  {json.dumps(key)}: {_compact(value[key])}" for key in sorted(value)]
        return "{\n" + ",\n".join(lines) + "\n}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"  {_compact(item)}" for item in value) + "\n]"
    return json.dumps(value)


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
