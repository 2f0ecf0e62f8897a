"""Integrations where the library that they are for is not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ABSENT = ["sqlalchemy", "openai", "langchain_core", "sqlite3"]
MODULES = ["sqlalchemy", "openai", "langchain", "dbapi"]


def test_each_module_can_be_imported_without_its_library():
    """Nothing is loaded of a library before it is used, and none is needed."""
    program = (
        f"import sys\nsys.modules.update(dict.fromkeys({ABSENT}))\n"
        "from importlib import import_module\n"
        f"for name in {MODULES}: module = import_module(f'sqlobs.integrations.{{name}}')\n"
        "from sqlobs.integrations.langchain import CallbackHandler\n"
        "print(CallbackHandler().on_llm_error(ValueError(), run_id=None))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (completed.stdout, completed.stderr) == ("None\n", "")
