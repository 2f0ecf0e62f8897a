"""Print figures about the structure of the code: `python -m scripts.house [TREE]`.

`TREE` is the root of a checkout, by default the one that this script is in; an older checkout can
be measured for comparison. `--list` names the places and modules behind the figures. What each
figure counts is described in the modules of `scripts.figures`.

The figures that must not get worse have a bar in `BARS`; a test holds this checkout to them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scripts.figures import dialects, functions, imports, trace
from scripts.figures.sources import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).parents[1]

BARS: Final[Mapping[str, float]] = {
    "modules in import cycles": 0,
    "packages without a layers contract": 0,
    "comparisons with a dialect's name": 0,
    "tables by dialect": 0,
    # Two are parts of two modules of 600 and 500 lines, ClickHouse's calls and values.
    "modules of check": 132,
    "function length, 90th percentile": 15,
    "function length, maximum": 50,
    # To its end: with each version resolved anew, 400 calls had ended in the middle, after 45.
    # One of them is the cache of reports, which lived in the checker before it knew forms.
    "stays of a check (one table)": 52,
    "modules of a check (one table)": 26,
}
"""The highest value that a figure may have."""

REGISTRATIONS: Final[Mapping[str, str]] = {
    "collectors/sqlobs_collector/probing.py: _PRIVILEGES": "how a server says what a login may do",
    "collectors/sqlobs_collector/store/systems.py: _SYSTEMS": "databases of the collector's store",
    "sqlobs/check/native/__init__.py: _LOCAL": "engines that give a native verdict in this process",
    "sqlobs/execution/analyzers/kinds.py: KINDS": "engines in a process of their own",
    "sqlobs/execution/engines/__init__.py: _ENGINES": "execution engines",
    "sqlobs/execution/live.py: _SERVERS": "servers that give a native verdict",
    "sqlobs/schema/live/reflection.py: _NAMES": "live catalogs: what a server says beside tables",
}
"""Tables by dialect that stay outside `sqlobs.dialects`: one per subsystem, `path: name` to reason.

Each maps a dialect to an implementation, never to a fact.
"""

_OF_CHECKING: Final = ("sqlobs.check", "sqlobs.tracing", "sqlobs.dialects", "sqlobs.scores")
_MOVED_IN: Final = (
    "sqlobs.evaluation.scoring",
    "sqlobs.evaluation.whole_results",
    "sqlobs.runs.scores",
    "sqlobs.schema.dialects",
    "sqlobs.schema.identifiers",
    "sqlobs.semconv.evaluations",
    "sqlobs_collector.evaluation.scoring",
)
"""Modules of older trees whose code lives in one of these packages now, counted if they exist."""


@dataclass(frozen=True)
class Figure:
    """A measured number and what is behind it."""

    name: str
    value: float
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return `name: value`, with the bar if there is one."""
        bar = f" (at most {BARS[self.name]:g})" if self.name in BARS else ""
        return f"{self.name}: {self.value:g}{bar}"


def figures(root: Path) -> list[Figure]:
    """Measure a source tree.

    Raises:
        FileNotFoundError: `root` is not a checkout of sqlobs.
    """
    source = Source.read(root)
    parts: tuple[Callable[[Source], list[Figure]], ...] = (
        _imports,
        _dialects,
        _sizes,
        _functions,
        _trace,
    )
    return [figure for part in parts for figure in part(source)]


def _imports(source: Source) -> list[Figure]:
    """Measure cycles, contracts and modules with one importer."""
    graph = imports.imports(source)
    cycles = imports.cycles(graph)
    layered, uncontracted = imports.uncontracted(source, graph)
    single = imports.single_importers(source, graph)
    of_check = [name for name in single if name.startswith("sqlobs.check.")]
    return [
        Figure(
            "modules in import cycles",
            sum(len(cycle.modules) for cycle in cycles),
            tuple(f"{cycle.package}: {len(cycle.modules)} modules" for cycle in cycles),
        ),
        Figure("packages whose parts import each other", len(layered)),
        Figure("packages without a layers contract", len(uncontracted), tuple(uncontracted)),
        Figure("modules with one importer", len(single)),
        Figure("modules with one importer in check", len(of_check)),
    ]


def _dialects(source: Source) -> list[Figure]:
    """Measure what is known of dialects outside their package."""
    places = {
        "comparisons with a dialect's name": dialects.comparisons(source),
        "tables by dialect": [
            place for place in dialects.tables(source) if place.table not in REGISTRATIONS
        ],
    }
    return [
        Figure(name, len(found), tuple(map(str, sorted(found, key=str))))
        for name, found in places.items()
    ]


def _sizes(source: Source) -> list[Figure]:
    """Measure modules, lines of code and data."""
    checking = {
        module.name: module.lines
        for module in (*source.within(*_OF_CHECKING), *source.within(*_MOVED_IN))
    }
    data = sum(file.stat().st_size for file in (source.root / "sqlobs").rglob("*.json"))
    return [
        Figure("modules", len(source.modules)),
        Figure("modules of check", len(source.within("sqlobs.check"))),
        Figure("lines of Python", sum(module.lines for module in source.modules.values())),
        Figure("lines of Python in check, tracing, dialects, scores", sum(checking.values())),
        Figure("KiB of JSON data", round(data / 1024)),
    ]


def _functions(source: Source) -> list[Figure]:
    """Measure the length of functions and the use of `Any`."""
    of = functions.lengths(source.modules.values())
    return [
        Figure("functions", of.number),
        Figure("function length, median", of.median),
        Figure("function length, 90th percentile", of.p90),
        Figure("function length, maximum", of.longest, (of.longest_at,)),
        Figure("uses of Any", functions.anys(source.modules.values())),
    ]


def _trace(source: Source) -> list[Figure]:
    """Measure the way of a statement through the checker, in a process of its own."""
    path = os.pathsep.join((str(source.root), str(source.root / "collectors")))
    completed = subprocess.run(  # noqa: S603
        [sys.executable, trace.__file__],
        env={**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[Figure] = []
    for name, stays in json.loads(completed.stdout).items():
        found.append(Figure(f"stays of a check ({name})", len(stays), tuple(stays)))
        found.append(Figure(f"modules of a check ({name})", len(set(stays))))
    return found


def main() -> None:
    """Print the figures of a tree."""
    parser = argparse.ArgumentParser(description="Print figures about the structure of the code.")
    parser.add_argument("tree", nargs="?", type=Path, default=ROOT, help="root of a checkout")
    parser.add_argument("--list", action="store_true", help="name the places behind the figures")
    arguments = parser.parse_args()
    try:
        found = figures(arguments.tree.resolve())
    except FileNotFoundError as error:
        parser.error(str(error))
    for figure in found:
        print(figure)
        for detail in figure.details if arguments.list else ():
            print(f"    {detail}")


if __name__ == "__main__":
    main()
