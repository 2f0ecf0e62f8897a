"""Measures the arguments of Spark's functions that the combinations of `spark_types` do not reach.

Four and more arguments have too many combinations, and some arguments accept few values. The
examples in Spark's own documentation are accepted calls: each argument of one is replaced by a
value of each type while the others stay. `python scripts/catalog/spark_examples.py` writes what it
finds into the catalog.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from spark_session import Spark
from spark_types import VALUES, canonical
from writing import FOLDER, write_section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENGINE, VERSION = "spark", "4.3"
_CONSTANT = re.compile("NON_FOLDABLE")
_OF_TYPES = re.compile("DATATYPE_MISMATCH|_TYPE]|CAST_")
_NOT_MEASURED = frozenset(
    {"cast", "java_method", "reflect", "sequence", "struct", "try_cast", "try_reflect"}
    | {"map", "try_variant_get", "uniform", "variant_get", "width_bucket"}
)
"""The type of an argument or of the result follows from the other arguments."""


class Sets:
    """The catalog's sets of types, to which new ones are added."""

    def __init__(self, implicit: dict[str, list[str]]) -> None:
        self.implicit = implicit
        self._known: dict[frozenset[str], str] = {}
        names = {name for sets in implicit.values() for name in sets if name.startswith("SET_")}
        for name in names:
            self._known[frozenset(kind for kind in implicit if name in implicit[kind])] = name
        self._last = max(int(name.removeprefix("SET_")) for name in names)

    def named(self, kinds: frozenset[str]) -> str:
        """Return the name of a set: that of its only type, `ANY`, or a numbered one."""
        if len(kinds) == 1 and not kinds & {"INTEGER[]", "STRUCT", "MAP"}:
            return next(iter(kinds))
        if len(kinds) == len(self.implicit):
            return "ANY"
        if kinds not in self._known:
            self._last += 1
            self._known[kinds] = f"SET_{self._last}"
            for kind in kinds:
                self.implicit[kind].append(self._known[kinds])
        return self._known[kinds]


def examples(spark: Spark, name: str) -> Iterator[list[str]]:
    """Return the arguments of a function in its own examples; the first call counts of each one."""
    for line in re.findall(r"> (.*?);\s*$", spark.examples(name), re.MULTILINE):
        found = re.search(rf"\b{name}\(", line, re.IGNORECASE)
        if found and " FROM " not in line.upper() and "=>" not in line:
            yield parts(line[found.end() :])


def parts(text: str) -> list[str]:
    """Return what the commas separate up to the parenthesis that ends a call.

    >>> parts("a, f(',', b)) AS x)")
    ['a', "f(',', b)"]
    """
    pieces = re.findall(r"'(?:[^'\\]|\\.)*'|[(\[]|[)\]]|,|[^'(\[)\],]+", text)
    found, depth = [""], 0
    for piece in pieces:
        depth += (piece in "([") - (piece in ")]")
        if depth < 0:
            break
        if piece == "," and not depth:
            found.append("")
        else:
            found[-1] += piece
    return [part.strip() for part in found]


def measured(
    spark: Spark, name: str, call: Sequence[str]
) -> tuple[str, list[frozenset[str]]] | None:
    """Return the type of a call and what each argument accepts; None: the call is rejected."""
    error, kind = spark.answer(f"SELECT {name}({', '.join(call)})")
    if error is not None or kind is None:
        return None
    accepted = []
    for place, written in enumerate(call):
        own = spark.type_of(f"SELECT {written}")
        found = frozenset(one for one in VALUES if _accepts(spark, name, call, place, one))
        if own is None or (canonical(own) not in found and canonical(own) != "VOID"):
            return None  # a nested type, for which one value does not stand
        accepted.append(found)
    return canonical(kind), accepted


def _accepts(spark: Spark, name: str, call: Sequence[str], place: int, kind: str) -> bool:
    for value, source in (("x", f" FROM (SELECT {VALUES[kind]} AS x)"), (VALUES[kind], "")):
        written = ", ".join([*call[:place], value, *call[place + 1 :]])
        error = spark.error(f"SELECT {name}({written}){source}")
        if error is None or not _CONSTANT.search(error):
            break
    return error is None or not (_OF_TYPES.search(error) or _CONSTANT.search(error))


def main() -> None:
    """Measure the functions of which only the number of arguments is known."""
    known: dict[str, Any] = json.loads((FOLDER / ENGINE / f"{VERSION}.json").read_text("utf-8"))
    spark, sets = Spark(), Sets(known["implicit"])
    functions: dict[str, list[list[Any]]] = known["functions"]
    for name, entries in list(functions.items()):
        open_ones = [one for one in entries if one[0] == "scalar" and isinstance(one[1], int)]
        if name in _NOT_MEASURED or not open_ones:
            continue
        calls = {len(call): call for call in examples(spark, name)}
        for entry in open_ones:
            added, left = [], []
            for count in range(entry[1], entry[2] + 1):
                longer = min((one for one in calls if one >= count), default=None)
                found = longer and measured(spark, name, calls[longer][:count])
                if found:
                    added.append(["scalar", found[0], [*map(sets.named, found[1])], ""])
                else:
                    left.append(["scalar", count, count])
            if added:
                functions[name] = [one for one in functions[name] if one != entry] + added + left
    spark.close()
    write_section(ENGINE, VERSION, "implicit", sets.implicit)
    write_section(ENGINE, VERSION, "functions", functions)


if __name__ == "__main__":
    main()
