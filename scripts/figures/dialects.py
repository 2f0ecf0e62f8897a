"""Where a dialect's name is compared, or facts are kept by dialect, outside `sqlobs.dialects`.

Counted are, in code that runs:
- comparisons with a literal: `dialect == "mysql"`, `engine in {"sqlite", "duckdb"}`,
  `version.startswith("mariadb")`, `case "postgres":`; a module's own constant counts as its value;
- tables: a mapping of which two or more keys are dialects, and a set or list of two or more
  dialects, `frozenset({"mysql", "bigquery"})`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scripts.figures.sources import is_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scripts.figures.sources import Module, Source

HOME = "sqlobs.dialects"

NAMES = frozenset(
    (
        "athena bigquery clickhouse databricks doris drill druid duckdb exasol fabric hive"
        " materialize mysql oracle postgres presto redshift risingwave snowflake spark spark2"
        " sqlite starrocks teradata trino tsql"  # sqlglot's
        " mariadb postgresql cockroach cockroachdb singlestore singlestoredb mssql"  # of drivers
    ).split()
)

_ANY_NAME = re.compile("|".join(sorted(NAMES)))
_FEWEST_OF_A_TABLE = 2


@dataclass(frozen=True)
class Place:
    """One comparison or table."""

    path: str
    line: int
    text: str

    @property
    def table(self) -> str:
        """Return `path: name` of a table that is assigned to a name."""
        return f"{self.path}: {re.split('[ :=]', self.text)[0]}"

    def __str__(self) -> str:
        """Return `path:line: text`."""
        return f"{self.path}:{self.line}: {self.text}"


def comparisons(source: Source) -> list[Place]:
    """Return the comparisons with a dialect's name outside of its home."""
    return [place for module in _outside(source) for place in _comparisons(module)]


def tables(source: Source) -> list[Place]:
    """Return the tables of facts by dialect outside of its home."""
    return [place for module in _outside(source) for place in _tables(module)]


def _outside(source: Source) -> list[Module]:
    """Return the modules that should know nothing of a single dialect, but name one."""
    return [
        module
        for name, module in source.modules.items()
        if not is_within(name, HOME) and _ANY_NAME.search(module.text)
    ]


def _comparisons(module: Module) -> Iterator[Place]:
    """Yield the comparisons of one module."""
    constants = _constants(module.tree)
    for node in _code(module.tree):
        if any(names & NAMES for names in _compared(node, constants)):
            yield _place(module, node)


def _compared(node: ast.AST, constants: dict[str, frozenset[str]]) -> Iterator[frozenset[str]]:
    """Yield the strings on each side of a comparison."""
    if isinstance(node, ast.Compare):
        for side in (node.left, *node.comparators):
            yield _strings(side, constants)
    elif isinstance(node, ast.MatchValue):
        yield _strings(node.value, constants)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"startswith", "endswith"}
    ):
        yield from (_strings(argument, constants) for argument in node.args)


def _tables(module: Module) -> Iterator[Place]:
    """Yield the mappings and collections of one module; those inside another are part of it."""
    pending: list[ast.AST] = [module.tree]
    while pending:
        node = pending.pop()
        if len(_keys(node) & NAMES) >= _FEWEST_OF_A_TABLE:
            yield _place(module, node)
        elif not isinstance(node, ast.Compare):  # `in {"a", "b"}` is counted as a comparison
            pending.extend(_children(node))


def _keys(node: ast.AST) -> frozenset[str]:
    """Return what a table is keyed by: a mapping's keys, a collection's members."""
    if isinstance(node, ast.Dict):
        return _all(*(key for key in node.keys if key))
    if isinstance(node, ast.Call) and _called(node) in {"dict", "MappingProxyType"}:
        return frozenset(word.arg for word in node.keywords if word.arg)
    return _strings(node, {})


def _strings(node: ast.AST, constants: dict[str, frozenset[str]]) -> frozenset[str]:
    """Return the strings that an expression stands for, empty if it is none of strings."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return frozenset((node.value,))
    if isinstance(node, ast.Name):
        return constants.get(node.id, frozenset())
    if isinstance(node, ast.Set | ast.Tuple | ast.List):
        return _all(*node.elts)
    if isinstance(node, ast.Call) and _called(node) in {"frozenset", "set", "tuple"}:
        return frozenset().union(*(_strings(argument, constants) for argument in node.args))
    return _split_words(node)


def _called(node: ast.Call) -> str:
    """Return the name of the function, `""` if it is not called by a plain name."""
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _split_words(node: ast.AST) -> frozenset[str]:
    """Return the words of `"mysql sqlite".split()`."""
    is_split = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    if is_split and node.func.attr == "split" and isinstance(node.func.value, ast.Constant):
        return frozenset(str(node.func.value.value).split())
    return frozenset()


def _all(*nodes: ast.expr) -> frozenset[str]:
    """Return the string literals among expressions."""
    return frozenset(
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _constants(tree: ast.Module) -> dict[str, frozenset[str]]:
    """Return the strings of the constants that a module defines."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update(
                {
                    target.id: _strings(node.value, {})
                    for target in targets
                    if isinstance(target, ast.Name)
                }
            )
    return found


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those of type annotations."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(_children(node))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node's children, without annotations and `Literal["mysql", "sqlite"]`."""
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Literal"
    ):
        return
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns"}:
            values = value if isinstance(value, list) else [value]
            yield from (child for child in values if isinstance(child, ast.AST))


def _place(module: Module, node: ast.AST) -> Place:
    """Return where a node is, with the line that it begins on."""
    line: int = getattr(node, "lineno", 1)
    return Place(module.path, line, module.text.splitlines()[line - 1].strip())
