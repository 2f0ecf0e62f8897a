"""Functions of the user's that options name: `--call module:function`, `--metric module:function`.

Tests: `tests/evaluation/test_own_metric.py`.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable


def named_function(name: str, *, option: str) -> Callable[..., object]:
    """Import `module:function`; modules of the working directory are found, too.

    Args:
        name: The function, `package.module:holder.function`.
        option: The option that names it, for messages.

    Raises:
        InputError: It does not exist, cannot be called, or its module cannot be imported.
    """
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        raise InputError(f"{option} {name}: write module:function")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: object = importlib.import_module(module_name)
        for part in path.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise InputError(f"{option} {name}: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise InputError(f"{option} {name} is not a function")
    return found
