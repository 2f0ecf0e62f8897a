"""Secrets that options name by their environment variable."""

from __future__ import annotations

import os
from typing import Final

from sqlobs.errors import InputError

_FROM_ENVIRONMENT: Final = "env:"


def secret(given: str, *, option: str) -> str:
    """Return the value of the variable that `env:NAME` names.

    Raises:
        InputError: the argument is not `env:NAME`; a secret would be visible in the process list.
    """
    name = given.removeprefix(_FROM_ENVIRONMENT)
    if name == given:
        raise InputError(f"{option}: write env:NAME with the name of the environment variable")
    value = os.environ.get(name)
    if value is None:
        raise InputError(f"{option}: the environment variable {name} is not set")
    return value
