"""The recipes of `docs/architecture.md`: their lists of files are complete and not too long."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.test_tests_are_found import home_of_tests

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")

MOST_FILES = {
    "A failure code, with a rule that finds it": 4,
    "A metric": 4,
    "An evaluation in the collector": 3,
    "An alert": 3,
    "A column of the report": 2,
    "A form: syntax that some engines support and others reject": 3,
    "A function of a new engine version": 2,
    "A database engine that statements run on": 8,
}
"""The recipes, with the highest number of files that each may need."""

SEARCHED = ("sqlobs", "collectors/sqlobs_collector", "scripts")


@dataclass(frozen=True)
class Recipe:
    title: str
    examples: tuple[str, ...]
    anchors: dict[str, str]
    """By file, what it must hold."""
    written: tuple[str, ...]
    """Patterns of files that commands write."""


def _recipes() -> list[Recipe]:
    """Read the recipes off the page."""
    _, _, text = PAGE.partition("\n## Recipes\n")
    found = []
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        title = part.partition("\n")[0]
        examples = re.search(r"^Example: (.*)$", part, re.MULTILINE)
        assert examples, f"the recipe {title} has no example"
        # | [`sqlobs/failure_codes.py`](../sqlobs/failure_codes.py) | `CODES`: add the code. |
        rows = re.findall(r"^\| \[`([^`]+)`\]\(([^)]+)\) \| `([^`]+)`(.*) \|$", part, re.MULTILINE)
        for name, link, _, _ in rows:
            assert (ROOT / "docs" / link).resolve() == ROOT / name
        anchors = {name: anchor for name, _, anchor, _ in rows}
        assert len(anchors) == part.count("\n| [")
        written = re.search(r"^Written by commands: (.*?)\. Then:", part, re.MULTILINE | re.DOTALL)
        found.append(Recipe(title, _quoted(examples[1]), anchors, _quoted(written and written[1])))
    return found


def _quoted(text: str | None) -> tuple[str, ...]:
    return tuple(re.findall(r"`([^`]+)`", text or ""))


RECIPES = _recipes()


@cache
def _texts() -> dict[str, str]:
    """Return the sources of product and scripts, by path."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in SEARCHED
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".json", ".txt"}
    }


def test_every_recipe_has_a_bar():
    assert [recipe.title for recipe in RECIPES] == list(MOST_FILES)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_recipe_needs_few_files(recipe: Recipe):
    assert 0 < len(recipe.anchors) <= MOST_FILES[recipe.title]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_every_file_of_a_recipe_has_what_the_recipe_names(recipe: Recipe):
    missing = {
        name: anchor
        for name, anchor in recipe.anchors.items()
        if anchor not in (ROOT / name).read_text(encoding="utf-8")
    }
    assert missing == {}


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_no_other_file_names_the_example(recipe: Recipe):
    """A file that knows the example is one that anyone who adds another must edit."""
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in recipe.examples))
    naming = {
        name
        for name, text in _texts().items()
        if pattern.search(text) and not any(fnmatch(name, glob) for glob in recipe.written)
    }
    assert naming <= recipe.anchors.keys()
    assert naming


def test_the_tests_of_a_behavior_are_those_of_its_module():
    """The table names the file that the module's name or docstring leads to."""
    rows = re.findall(r"^\| .* \| \[`([^`]+)`\]\(.*?\) \| \[`([^`]+)`\]", PAGE, re.MULTILINE)
    assert rows
    assert rows == [(module, path_of(home_of_tests(ROOT / module))) for module, _ in rows]


def test_the_layers_on_the_page_are_those_that_are_contracted():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (
        contract["layers"]
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == ["sqlobs"]
    )
    assert "".join(f"\n {layer}" for layer in layers) in PAGE


def path_of(path: Path | None) -> str | None:
    return path and path.relative_to(ROOT).as_posix()
