"""The file of `--target-options`: what a warehouse needs besides its URL, and what it may cost."""

from __future__ import annotations

import os
import tomllib
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
    from sqlobs.execution.access import Access, CostLimits

    try:
        given = tomllib.loads(read_text(str(path)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}") from None
    _require_keys(path, "", given, Access.__slots__)
    cost = _table(path, "cost", given)
    _require_keys(path, "cost.", cost, CostLimits.__slots__)
    for name, value in cost.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{path}: cost.{name} must be a number")
    try:
        access = Access(
            connect_args={
                name: _revealed(value, f"{path}: connect_args.{name}")
                for name, value in _table(path, "connect_args", given).items()
            },
            environment=tuple(map(str, given.get("environment", ()))),
            settings={k: str(v) for k, v in _table(path, "settings", given).items()},
            connect_timeout_s=given.get("connect_timeout_s"),
            cost=CostLimits(**cost),
        )
    except (ConfigError, TypeError) as error:
        raise InputError(f"{path}: {error}") from None
    for name in access.environment:
        if name not in os.environ:
            raise InputError(f"{path}: environment: the variable {name} is not set")
    return access


def _require_keys(path: Path, prefix: str, given: dict[str, Any], known: tuple[str, ...]) -> None:
    strange = given.keys() - set(known)
    if strange:
        raise InputError(
            f"{path}: unknown key {prefix}{min(strange)}; use {', '.join(sorted(known))}"
        )


def _table(path: Path, name: str, given: dict[str, Any]) -> dict[str, Any]:
    found = given.get(name, {})
    if not isinstance(found, dict):
        raise InputError(f"{path}: {name} must be a table: [{name}]")
    return found


def _revealed(value: object, option: str) -> object:
    """Return a value with the texts `env:NAME` in it replaced, at any depth."""
    if isinstance(value, str):
        return secret(value, option=option) if value.startswith("env:") else value
    if isinstance(value, list):
        return [_revealed(one, option) for one in value]
    if isinstance(value, dict):
        return {name: _revealed(one, option) for name, one in value.items()}
    return value
