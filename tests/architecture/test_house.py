"""The structure of the code, held to the bars of `scripts/house.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scripts.figures import dialects, functions, imports
from scripts.figures.sources import Source
from scripts.house import BARS, REGISTRATIONS, ROOT, figures

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path) -> Callable[..., Source]:
    """Write modules of `sqlobs`, by file name, and read them as a source tree."""

    def write(**files: str) -> Source:
        for name, text in {"__init__": "", **files}.items():
            file = tmp_path / "sqlobs" / f"{name.replace('__in__', '/')}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Source.read(tmp_path)

    return write


@pytest.fixture(scope="module")
def measured() -> dict[str, float]:
    return {figure.name: figure.value for figure in figures(ROOT)}


@pytest.mark.parametrize("name", BARS)
def test_no_figure_exceeds_its_bar(measured: dict[str, float], name: str):
    assert measured[name] <= BARS[name], f"see `python -m scripts.house --list`: {name}"


def test_every_named_registration_table_exists():
    tables = {place.table for place in dialects.tables(Source.read(ROOT))}
    assert tables >= REGISTRATIONS.keys()


def test_a_folder_that_is_no_checkout_is_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"has no sqlobs/__init__\.py"):
        figures(tmp_path)


def test_a_cycle_counts_imports_in_functions_but_not_those_for_annotations(
    tree: Callable[..., Source],
):
    source = tree(
        a="from sqlobs import b\nimport sqlobs.c",
        b="def late():\n    from sqlobs.a import x",
        c="if TYPE_CHECKING:\n    from sqlobs import a\nelse:\n    import sqlobs.d",
        d="",
    )
    found = imports.cycles(imports.imports(source))
    assert found == [imports.Cycle("sqlobs", ("sqlobs.a", "sqlobs.b"))]
    (with_annotations,) = imports.cycles(imports.imports(source, with_annotations=True))
    assert with_annotations.modules == ("sqlobs.a", "sqlobs.b", "sqlobs.c")


def test_a_module_with_one_importer_is_counted(tree: Callable[..., Source]):
    source = tree(a="import sqlobs.b, sqlobs.c", b="from sqlobs.c import x", c="")
    assert imports.single_importers(source, imports.imports(source)) == ["sqlobs.b"]


def test_only_exhaustive_layers_are_a_contract(tree: Callable[..., Source], tmp_path: Path):
    contract = (
        "[[tool.importlinter.contracts]]\n"
        "type = 'layers'\ncontainers = ['sqlobs']\nexhaustive = {}\nlayers = ['a', 'b']\n"
    )
    source = tree(a="import sqlobs.b", b="")
    found = []
    for exhaustive in ("true", "false"):
        (tmp_path / "pyproject.toml").write_text(contract.format(exhaustive))
        found.append(imports.uncontracted(source, imports.imports(source)))
    assert found == [(["sqlobs"], []), (["sqlobs"], ["sqlobs"])]


@pytest.mark.parametrize(
    "line",
    [
        'dialect == "mysql"',
        '"mysql" != self.dialect',
        'engine in {"sqlite", "duckdb"}',
        'version.startswith("mariadb")',
        "system == OURS",
    ],
)
def test_a_comparison_with_a_dialect_is_found(tree: Callable[..., Source], line: str):
    source = tree(a=f'OURS = "postgres"\nfound = {line}')
    assert [place.line for place in dialects.comparisons(source)] == [2]
    assert dialects.tables(source) == []


@pytest.mark.parametrize(
    "value",
    [
        '{"mysql": 1, "sqlite": 2}',
        "dict(mysql=1, sqlite=2)",
        'frozenset({"mysql", "sqlite"})',
        '("mysql", "sqlite")',
        'frozenset("mysql sqlite".split())',
    ],
)
def test_a_table_by_dialect_is_found(tree: Callable[..., Source], value: str):
    (place,) = dialects.tables(tree(a=f"FACTS: Final = {value}"))
    assert place.table == "sqlobs/a.py: FACTS"


def test_the_home_of_dialects_and_annotations_are_not_counted(tree: Callable[..., Source]):
    source = tree(
        dialects__in____init__='FACTS = {"mysql": 1, "sqlite": 2}',
        a='System = Literal["mysql", "sqlite"]\ndef of(x: Literal["mysql", "sqlite"]): ...',
    )
    assert (dialects.tables(source), dialects.comparisons(source)) == ([], [])


def test_docstrings_and_signatures_do_not_count_in_the_length_of_a_function(
    tree: Callable[..., Source],
):
    source = tree(
        a='def f(\n    a,\n):\n    """Text.\n\n    More.\n    """\n    # why\n    b = a\n\n    return b\n'
        'def g():\n    return 1\ndef h():\n    """Nothing."""\n'
    )
    found = functions.lengths(source.within("sqlobs.a"))
    assert (found.number, found.longest, found.longest_at) == (2, 3, "sqlobs/a.py:1 f")
