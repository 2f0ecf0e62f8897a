"""The public modules: what each of them exports, and that nothing else is shown to users."""

from __future__ import annotations

import ast
import pkgutil
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from scripts.api_page import PUBLIC, api_page

ROOT = Path(__file__).parents[2]
CONTRIBUTORS = {"CONTRIBUTING.md", "architecture.md"}
"""Pages about the inside of sqlobs."""
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"))
    if page.name not in CONTRIBUTORS
)
PROGRAMS = sorted((*ROOT.glob("examples/**/*.py"), *ROOT.glob("tests/typing/*.py")))
NO_IMPORTS = {
    "sqlobs.integrations",  # the package, whose modules are public
    "sqlobs.unit",  # also the name of an event
}
PACKAGES = [name for name in PUBLIC if hasattr(import_module(name), "__path__")]


def _tree(module):
    return ast.parse(Path(import_module(module).__file__).read_text(encoding="utf-8"))


def _seen_by_type_checkers(module):
    """Return the names that `if TYPE_CHECKING:` imports from sqlobs, each with its module."""
    return {
        name.name: statement.module
        for block in _tree(module).body
        if isinstance(block, ast.If)
        for statement in block.body
        if isinstance(statement, ast.ImportFrom) and statement.module.startswith("sqlobs")
        for name in statement.names
    }


def _imports(program):
    """Yield (module, name) for each import from sqlobs; the name is None for a whole module."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            yield from ((one.name, None) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((node.module, one.name) for one in node.names)


def _strangers(program):
    """Return the imports of a program that are not of a public module, or not of its names."""
    return [
        (module, name)
        for module, name in _imports(program)
        if module.partition(".")[0] == "sqlobs"
        and (
            module not in PUBLIC or (name is not None and name not in import_module(module).__all__)
        )
    ]


def _code_blocks(page):
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^ *```(?:python|pycon|py)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_module_lists_its_names_sorted_and_each_can_be_imported(module):
    face = import_module(module)
    assert face.__doc__
    assert list(face.__all__) == sorted(face.__all__)
    assert [name for name in face.__all__ if getattr(face, name, None) is None] == []


@pytest.mark.parametrize("module", PACKAGES)
def test_type_checkers_and_lazy_imports_see_the_same_names(module):
    """`__all__`, the lazy homes and the imports under TYPE_CHECKING are one list."""
    face = import_module(module)
    homes = _seen_by_type_checkers(module)
    own = {"__version__"} & set(face.__all__)
    assert homes == face._HOMES
    assert sorted({*homes, *own}) == list(face.__all__)


@pytest.mark.parametrize("module", PACKAGES)
def test_no_submodule_hides_a_public_name(module):
    """Importing `sqlobs.metrics.ex` would replace a lazy function `ex` by the module."""
    face = import_module(module)
    submodules = {one.name for one in pkgutil.iter_modules(face.__path__)}
    assert submodules & set(face.__all__) == set()


def test_every_name_has_a_line_on_the_page():
    assert re.findall(r"^\| `(\w+)` \|\s*\|$", api_page(), re.MULTILINE) == []


def test_examples_and_typing_tests_import_public_names_only():
    strangers = {
        str(program.relative_to(ROOT)): found
        for program in PROGRAMS
        if (found := _strangers(program.read_text(encoding="utf-8")))
    }
    assert len(PROGRAMS) > 8
    assert strangers == {}


def test_code_in_the_documents_imports_public_names_only():
    blocks = [(page.name, block) for page in PAGES for block in _code_blocks(page)]
    assert len(blocks) >= 8
    assert [(page, found) for page, block in blocks if (found := _strangers(block))] == []


def test_the_documents_name_no_internal_module():
    """`sqlobs.check.rules.rule` in a sentence is an import that a reader will try."""
    named = {
        (page.name, name)
        for page in PAGES
        for name in re.findall(r"`(sqlobs(?:\.\w+)+)", page.read_text(encoding="utf-8"))
        if name not in {*PUBLIC, *NO_IMPORTS} and _is_module(name)
    }
    assert named == set()


def _is_module(name):
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
