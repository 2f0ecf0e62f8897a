"""The page of the public modules: every name that users may import, with one line each."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Final

PUBLIC: Final = (
    "sqlobs",
    "sqlobs.check",
    "sqlobs.schema",
    "sqlobs.metrics",
    "sqlobs.judge",
    "sqlobs.evaluation",
    "sqlobs.execution",
    "sqlobs.reporting",
    "sqlobs.testing",
    "sqlobs.errors",
    "sqlobs.types",
    "sqlobs.integrations.dbapi",
    "sqlobs.integrations.langchain",
    "sqlobs.integrations.openai",
    "sqlobs.integrations.sqlalchemy",
)
"""The modules that users may import from; nothing else is kept stable between versions."""

_PAGE = """\
# Public modules

<!-- Made by scripts/docs.py from the public modules: do not edit. -->

Import from these modules only. Everything else is internal and may change in any release.
`help(name)` prints arguments, units and errors.

{modules}
"""


def api_page() -> str:
    """Return the page, made from each module's `__all__` and its docstrings."""
    return _PAGE.format(modules="\n\n".join(map(_module, PUBLIC)))


def _module(name: str) -> str:
    module = import_module(name)
    names = [one for one in module.__all__ if not one.startswith("__")]
    rows = [f"| `{one}` | {_summary(name, one)} |" for one in names]
    docstring = inspect.getdoc(module) or ""
    summary = docstring.partition("\n\n")[0].replace("\n", " ")
    return "\n".join([f"## {name}", "", summary, "", "| name | |", "|---|---|", *rows])


def _summary(module: str, name: str) -> str:
    """Return the first paragraph about a name: below its value, or in its own docstring."""
    text = _texts_of_values(module).get(name) or inspect.getdoc(
        getattr(import_module(module), name)
    )
    return " ".join((text or "").partition("\n\n")[0].split()).replace("|", "\\|")


@cache
def _texts_of_values(module: str) -> dict[str, str]:
    """Return the docstrings of a module's constants and type aliases, by name."""
    source = inspect.getsource(import_module(module))
    found = {}
    for value, text in pairwise(ast.parse(source).body):
        target = (
            value.targets[0] if isinstance(value, ast.Assign) else getattr(value, "target", None)
        )
        is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        if isinstance(target, ast.Name) and is_text:
            found[target.id] = str(text.value.value)
    return found
