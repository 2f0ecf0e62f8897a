"""Where the tests of a module are: a file of the same name, or a `Tests:` line in a docstring.

The line stands in the module's own docstring, or in that of the package around it. There, a
line `Tests of reader, log: …` is about these modules, `Tests: …` about all others.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"sqlobs": ROOT / "sqlobs", "sqlobs_collector": ROOT / "collectors/sqlobs_collector"}
MODULES = sorted(path for folder in PACKAGES.values() for path in folder.rglob("*.py"))
LINE = re.compile(r"\bTests(?: of ([\w., ]+))?: `(tests/[\w/.]+)`")
"""``Tests of log, reader: `tests/collector/test_journal.py`.``"""


@cache
def _lines(path):
    """Return the test file by module name, "" for all others, as a file's docstring says it."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return {
        name: test for names, test in LINE.findall(docstring) for name in (names or "").split(", ")
    }


def _name_in(package, module):
    """Return the name that a package's docstring uses for a module below it (`postgres.cells`)."""
    return ".".join(module.relative_to(package).with_suffix("").parts)


def home_of_tests(module):
    """Return the test file of a module, from the nearest place that names one; None without one."""
    (folder,) = (folder for folder in PACKAGES.values() if folder in module.parents)
    area = "collector" if folder.name == "sqlobs_collector" else module.relative_to(folder).parts[0]
    if found := sorted((ROOT / "tests" / area).rglob(f"test_{module.stem}.py")):
        return found[0]
    if test := _lines(module).get(""):
        return ROOT / test
    for package in module.parents:
        lines = _lines(package / "__init__.py")
        if test := lines.get(_name_in(package, module), lines.get("")):
            return ROOT / test
        if package == folder:
            return None
    return None


def test_every_module_has_tests_that_are_found():
    homeless = [
        str(module.relative_to(ROOT))
        for module in MODULES
        if not module.stem.startswith("__") and module.stem != "_version"
        if (test := home_of_tests(module)) is None or not test.exists()
    ]
    assert len(MODULES) > 500
    assert homeless == []


@pytest.mark.parametrize("name", PACKAGES)
def test_lines_name_files_and_modules_that_exist(name):
    wrong = [
        (str(package.relative_to(ROOT)), module, test)
        for package in PACKAGES[name].rglob("__init__.py")
        for module, test in _lines(package).items()
        if not (ROOT / test).exists() or not _module_file(package.parent, module).is_file()
    ]
    assert wrong == []


def _module_file(package, name):
    return package / f"{name.replace('.', '/') or '__init__'}.py"
