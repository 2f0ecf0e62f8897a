"""Where tests are: next to the name of a module, or named in its docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    path for path in (ROOT / "sqlobs/tracing").rglob("*.py") if path.name != "__init__.py"
)
TESTS = {
    path.name: path
    for place in ("tests/tracing", "tests/telemetry")
    for path in (ROOT / place).glob("test_*.py")
}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_every_module_of_tracing_leads_to_its_tests(module):
    """A test file of the same name, or test files in the docstring, all of which exist."""
    docstring = ast.get_docstring(ast.parse(module.read_text())) or ""
    named = re.findall(r"`(?:tests/[a-z_/]*?)?(test_\w+\.py)`", docstring)
    places = re.findall(r"`(tests/[\w/]+(?:\.py)?)`", docstring)
    assert f"test_{module.stem}.py" in TESTS or named or places
    assert [name for name in places if not (ROOT / name).exists()] == []
    elsewhere = {Path(place).name for place in places}
    assert [name for name in named if name not in TESTS and name not in elsewhere] == []
