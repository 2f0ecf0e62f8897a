"""The file of `--target-options`: what a warehouse needs besides its URL, and what it may cost."""

from __future__ import annotations

import tomllib
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlobs.cli.secret import secret
from sqlobs.errors import ConfigError, InputError

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.execution.access import Access


def read_access(path: Path) -> Access:
    """Read a TOML file with the keys of `Access`; texts in `connect_args` may be `env:NAME`.

    Raises:
        InputError: It cannot be read, or a key or a value is invalid.
    """
    from sqlobs.cli.inputs import read_text
    from sqlobs.execution.access import Access, CostLimits, with_texts

    try:
        given = tomllib.loads(read_text(str(path)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}") from None
    _require_keys(path, "", given, Access.__slots__)
    cost = _table(path, "cost", given)
    _require_keys(path, "cost.", cost, CostLimits.__slots__)
    for name, value in cost.items():
        _require_number(path, f"cost.{name}", value)
    if "connect_timeout_s" in given:
        _require_number(path, "connect_timeout_s", given["connect_timeout_s"])
    if not isinstance(given.get("environment", []), list):
        raise InputError(f'{path}: environment must be a list of names: environment = ["NAME"]')
    try:
        access = Access(
            connect_args={
                name: with_texts(value, partial(_revealed, option=f"{path}: connect_args.{name}"))
                for name, value in _table(path, "connect_args", given).items()
            },
            environment=tuple(map(str, given.get("environment", ()))),
            settings={k: str(v) for k, v in _table(path, "settings", given).items()},
            connect_timeout_s=given.get("connect_timeout_s"),
            cost=CostLimits(**cost),
        )
        access.require_environment()
    except (ConfigError, TypeError) as error:
        raise InputError(f"{path}: {error}") from None
    return access


def _require_keys(path: Path, prefix: str, given: dict[str, Any], known: tuple[str, ...]) -> None:
    strange = given.keys() - set(known)
    if strange:
        raise InputError(
            f"{path}: unknown key {prefix}{min(strange)}; use {', '.join(sorted(known))}"
        )


def _require_number(path: Path, name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{path}: {name} must be a number")


def _table(path: Path, name: str, given: dict[str, Any]) -> dict[str, Any]:
    found = given.get(name, {})
    if not isinstance(found, dict):
        raise InputError(f"{path}: {name} must be a table: [{name}]")
    return found


def _revealed(text: str, *, option: str) -> str:
    """Return the value of the variable that `env:NAME` names; any other text as it is."""
    return secret(text, option=option) if text.startswith("env:") else text
