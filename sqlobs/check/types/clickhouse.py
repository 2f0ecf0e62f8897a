"""Calls of ClickHouse beside its signatures: lambdas, combinators, special functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from sqlglot import exp

from sqlobs.check.types.clickhouse_arguments import ClickhouseArguments
from sqlobs.check.types.clickhouse_constants import is_computed_late, is_constant, is_null, varies
from sqlobs.check.types.clickhouse_parts import (
    STATE,
    is_dynamic,
    item_of,
    marked,
    plain_of,
)
from sqlobs.check.types.clickhouse_values import TEXTS
from sqlobs.check.types.signatures import STRING, Signatures, fields_of, kind_of, map_of, structure
from sqlobs.check.types.system import UNDECIDED, Judgment, Type
from sqlobs.dialects.catalog import Catalog, Signature, signatures_of

Special = Callable[[Sequence[Type], Sequence[exp.Expr]], Judgment]
"""Checks a call whose signatures do not describe its arguments."""
_KEEPING: Final = frozenset({"OrNull", "OrDefault", "Distinct"})
"""Combinators that change neither the arguments nor the type of the value."""


class ClickhouseTypes(ClickhouseArguments):
    """The types of ClickHouse, and its calls."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog)
        raw = catalog.raw
        self._undynamic: Mapping[str, Sequence[int]] = raw["dynamic_arguments"]
        self._suffixes = catalog.suffixes
        lambdas = signatures_of({"functions": raw["lambdas"]})
        self._of_lambdas = Signatures(lambdas, self._implicit, self)
        self._need_lambdas = frozenset(
            name
            for name in lambdas
            if all(one.arguments is None for one in self._functions[name] if one.takes(_PAIR))
        )
        """Functions whose calls of two arguments need a lambda."""
        self._of_arrays = frozenset(
            name for name, known in lambdas.items() if all(_is_of_arrays(one) for one in known)
        )
        """Functions with a lambda and only arrays behind it."""
        self._special: dict[str, Special] = {
            "if": self._chosen,
            "multiif": self._chosen,
            "concat": self._joined_texts,
            "date_part": self._part_of_date,
            **dict.fromkeys(("coalesce", "ifnull"), partial(self.common, what="COALESCE")),
            "greatest": partial(self.common, what="GREATEST"),
            "least": partial(self.common, what="LEAST"),
            "nullif": self._null_if,
            "array": self._listed,
            "tuple": self._packed,
            "arrayjoin": self._joined,
            "tupleelement": self._part_of_tuple,
            "transform": self._transformed,
            **dict.fromkeys(("hasall", "hasany", "hassubstr"), self._compared_arrays),
            **dict.fromkeys(_REDUCING, self._reduced),
            **dict.fromkeys(("date_add", "dateadd"), partial(self._shifted, operator="+")),
            **dict.fromkeys(("date_sub", "datesub"), partial(self._shifted, operator="-")),
        }

    def rewritten(self, node: exp.Expr) -> tuple[str, tuple[str, ...]] | None:
        """Return the function that a node stands for; that of EXTRACT depends on the unit."""
        found = self.rewritings.get(node.__class__)
        if found is None or node.__class__ is not exp.Extract:
            return found
        return _READS_TEXTS.get(node.name.upper(), found[0]), found[1]

    def call(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call; a value that may be null makes its result one that may be."""
        if any(map(is_dynamic, arguments)) and (varied := self._of_varied(name, arguments, nodes)):
            return varied
        lowered = name.lower()
        plain = [*map(plain_of, arguments)]
        if lowered in _FIRST_OF and plain and plain[0] is not None and plain[0] == arguments[0]:
            return Judgment(self.output(plain[0]))  # it is never null
        may_be_null = plain != arguments and plain != list(arguments)
        rules = self._rules.get(lowered)
        if rules is not None and (rules.zones or rules.units):
            fault = self._fault_of_zone(name, rules, arguments, nodes)
            first = nodes[0].name if nodes and nodes[0].is_string and not may_be_null else ""
            if not fault and rules.units and first and first.lower() not in rules.units:
                fault = f"{name} has no unit {first}."
            if fault:
                return Judgment(None, fault)
        if may_be_null and lowered == "transform" and plain[0] != arguments[0]:
            judged = self._transformed(plain, nodes, may_be_null=True)
        else:
            judged = self._called(name, plain, nodes)
        if judged.fault is not None:
            judged = self._confirmed(judged, name, plain, nodes)
        if (may_be_null and lowered not in _NEVER_NULL) or name.endswith("OrNull"):
            return Judgment(marked(judged.type), judged.fault)
        return judged

    def _confirmed(
        self, judged: Judgment, name: str, plain: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Judgment:
        """Return a fault, unless it is none of NULL, of nested arrays, or of literals."""
        if any(map(is_null, nodes)):
            return UNDECIDED
        if any(found is not None and found.endswith("[][]") for found in plain[:1]):
            return UNDECIDED  # arrays of plain values were measured
        literals = [*map(_as_literal, plain, nodes)]
        again = judged if literals == plain else self._called(name, literals, nodes)
        return judged if again.fault is not None else again

    def _of_varied(
        self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Judgment | None:
        """Check a call with an argument whose values may have different types."""
        for place in self._undynamic_places(name):
            if place < len(arguments) and is_dynamic(arguments[place]):
                return Judgment(None, f"{name} does not support values of {arguments[place]}.")
        if name.lower() == "array" and len({*arguments}) == 1:
            return Judgment(self.array(str(arguments[0])))
        return self._packed(arguments, nodes) if name.lower() == "tuple" else None

    def _undynamic_places(self, name: str) -> Sequence[int]:
        """Return the arguments of a function, or of an aggregate with a suffix, by their places."""
        if (places := self._undynamic.get(name.lower())) is not None:
            return places
        base = None if name.lower() in self._functions else self._combinator(name)
        return () if base is None or base[1] == "Merge" else self._undynamic_places(base[0])

    def _called(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call; a combinator changes what the arguments of an aggregate are."""
        lowered = name.lower()
        rules = self._rules.get(lowered)
        if rules is not None:
            rejected = self._fault_of_values(name, rules, arguments, nodes)
            if rejected is not None:
                return rejected
        if (special := self._special.get(lowered)) is not None:
            return special(arguments, nodes)
        if nodes and nodes[0].__class__ is exp.Lambda:
            if lowered in self._functions and not _MAY_HAVE_LAMBDA.match(lowered):
                return Judgment(None, f"{name} does not support a lambda.")
            return self._of_lambda(name, arguments, nodes[0])
        if lowered in self._need_lambdas and len(arguments) >= _PAIR and arguments[0] is not None:
            return Judgment(None, f"The first argument of {name} must be a lambda.")
        if lowered not in self._functions and (found := self._combinator(name)) is not None:
            return self._of_combinator(*found, arguments, nodes)
        fault = self._fault_of_kinds(lowered, arguments, nodes)
        return Judgment(None, fault) if fault else super().call(name, arguments, nodes)

    def item(self, found: Type, keys: Sequence[exp.Expr]) -> Judgment:
        """Check `value[key]`: the first item of an array is 1, which sqlglot counts from 0."""
        judged = super().item(found, keys)
        key = keys[0] if keys else None
        is_array = found is not None and found[-1] == "]" and isinstance(key, exp.Neg)
        if judged.fault is not None or not is_array or key is None or key.this.name != "1":
            return judged
        value = key.parent.this if key.parent is not None else key
        if not varies(value) or is_computed_late(value):
            return judged
        return Judgment(judged.type, "The first item of an array has the number 1, not 0.")

    def parameters(self, name: str, arguments: Sequence[Type]) -> tuple[Type, ...]:
        """Return the types of the parameters of a lambda, which are items of the arrays."""
        lowered = name.lower()
        if lowered == "arrayfold":
            return (arguments[-1], *map(item_of, arguments[:-1])) if arguments else ()
        if arguments and arguments[0] is not None and (pair := map_of(arguments[0])) is not None:
            return pair
        return tuple(map(item_of, arguments))

    def _of_lambda(self, name: str, arguments: Sequence[Type], node: exp.Expr) -> Judgment:
        lowered = name.lower()
        if lowered == "arrayfold":  # its lambda gives what its last argument is
            return UNDECIDED
        count, arrays = len(node.expressions), arguments[1:]
        if lowered in self._of_arrays and any(one is not None and one[-1] != "]" for one in arrays):
            return Judgment(None, f"All arguments of {name} behind the lambda must be arrays.")
        are_arrays = all(one is not None and one[-1] == "]" for one in arrays)
        if lowered.startswith("array") and are_arrays and count != len(arrays):
            item = item_of(arrays[0]) if len(arrays) == 1 else ""
            if item is not None and kind_of(item) != "STRUCT":
                return Judgment(None, f"The lambda of {name} needs one parameter for each array.")
        return self._of_lambdas.judge(lowered, *arguments)

    def _combinator(self, name: str) -> tuple[str, str] | None:
        """Return an aggregate and its last combinator: `sumIf` is `sum` with `If`."""
        for suffix in self._suffixes:
            base = name.removesuffix(suffix)
            if base != name and (base.lower() in self._functions or self._combinator(base)):
                return base, suffix
        return None

    def _of_combinator(
        self, base: str, suffix: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Judgment:
        if suffix == "If" and arguments:
            fault = self.condition(arguments[-1], nodes[-1], what="FILTER").fault
            inner = self.call(base, arguments[:-1], nodes[:-1])
            return Judgment(inner.type, fault or inner.fault)
        if suffix in _KEEPING:
            return self.call(base, arguments, nodes)
        if suffix == "State":
            fault = self.call(base, arguments, nodes).fault
            return Judgment(f"{STATE}({base})", fault)
        if suffix == "Merge":
            return self._merged(base, arguments)
        if suffix == "Map" and len(arguments) == 1:
            return self._of_map(base, arguments[0], nodes)
        if suffix in {"Array", "ForEach"}:
            return self._of_items(base, suffix, arguments, nodes)
        return UNDECIDED

    def _of_map(self, base: str, found: Type, nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `sumMap(counts)`, which aggregates the values of each key."""
        if found is None or kind_of(found) == "STRUCT":  # `sumMap((keys, values))`
            return UNDECIDED
        pair = map_of(found)
        if pair is None and found != "MAP":
            return Judgment(None, f"{base}Map requires a map, not {found}.")
        fault = self.call(base, [pair[1]], nodes).fault if pair is not None else None
        return Judgment(None, fault)

    def _merged(self, base: str, arguments: Sequence[Type]) -> Judgment:
        found = arguments[0] if len(arguments) == 1 else None
        if found is None:
            return UNDECIDED
        if kind_of(found) != STATE:
            return Judgment(None, f"{base}Merge requires a state of {base}, not {found}.")
        known = found[len(STATE) + 1 : -1].removesuffix("Merge")
        own, other = map(self._functions.get, (base.lower(), known.lower()))
        if own is not None and other is not None and own != other:  # nor aliases of one
            return Judgment(None, f"{base}Merge requires a state of {base}, not of {known}.")
        return UNDECIDED

    def _of_items(
        self, base: str, suffix: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Judgment:
        for found in arguments:
            if found is not None and found[-1] != "]":
                return Judgment(None, f"{base}{suffix} requires arrays, not {found}.")
        inner = self.call(base, [item_of(found) for found in arguments], nodes)
        kind = f"{inner.type}[]" if inner.type and suffix == "ForEach" else inner.type
        return Judgment(None if suffix == "ForEach" and not inner.type else kind, inner.fault)

    def _chosen(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `if(c, a, b)` and `multiIf(c, a, d, b, e)`: conditions and values in turn."""
        for found, node in list(zip(arguments, nodes, strict=False))[:-1:2]:
            if found is not None:
                judged = self.condition(found, node, what="WHEN")
                if judged.fault is not None:
                    return judged
        values = [*range(1, len(arguments), 2), len(arguments) - 1]
        if len(arguments) < _LEAST_OF_IF:
            return UNDECIDED
        types = [arguments[place] for place in dict.fromkeys(values)]
        return self.common(types, [nodes[place] for place in dict.fromkeys(values)], what="CASE")

    def _null_if(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        if len(arguments) != _PAIR:
            return UNDECIDED
        fault = self.operator("=", arguments[0], arguments[1], (nodes[0], nodes[1])).fault
        return Judgment(self.output(arguments[0]) if arguments[0] else None, fault)

    def _listed(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        found = self.common(arguments, nodes, what="ARRAY")
        return found if found.type is None else Judgment(self.array(found.type))

    def _packed(self, arguments: Sequence[Type], _nodes: Sequence[exp.Expr]) -> Judgment:
        fields = {
            str(place): found and self.output(found) for place, found in enumerate(arguments, 1)
        }
        return Judgment(structure(fields)) if fields else UNDECIDED

    def _transformed(
        self, arguments: Sequence[Type], nodes: Sequence[exp.Expr], *, may_be_null: bool = False
    ) -> Judgment:
        """Check `transform(a, [1], [2], b)`; without a default, the new values have a's type."""
        if len(arguments) <= _PAIR:
            return UNDECIDED
        value, keys, values, *default = arguments
        gives_null = any(one.__class__ is exp.Null for one in nodes[_PAIR].expressions)
        if may_be_null and not default and item_of(values) and not gives_null:
            return Judgment(None, "transform of a value that may be null requires a default.")
        pairs = (value, item_of(keys)), (default[0] if default else value, item_of(values))
        for place, (given, items) in enumerate(pairs):
            if given is None or items is None or self.either(given, items) is not None:
                continue
            kinds = {kind_of(given), kind_of(items)}
            if place or not (kinds & TEXTS or kinds <= _SEARCHED):
                fault = f"transform cannot replace values of {given} by or among {items}."
                return Judgment(None, fault)
        texts = [one.name for one in nodes[1].expressions if one.is_string]
        if may_be_null or value is None:
            return UNDECIDED  # it may be a text that no key equals
        if any(one.__class__ is exp.Null for one in nodes[1].expressions):
            return Judgment(None, f"transform cannot find NULL among values of {value}.")
        if not all(self._holds("CAST", value, text) for text in texts):
            return Judgment(None, f"transform cannot read a text as {value}.")
        return UNDECIDED

    def _compared_arrays(self, arguments: Sequence[Type], _nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `hasAny(a, b)`: two arrays whose items have a common type."""
        for found in arguments:
            if found is not None and found[-1] != "]" and kind_of(found) not in _MAY_BE_LISTS:
                return Judgment(None, f"An array is required, not {found}.")
        first, second = map(item_of, arguments[:_PAIR]) if len(arguments) >= _PAIR else (None, None)
        if first is not None and second is not None and self.either(first, second) is None:
            return Judgment(None, f"Items of {first} and {second} have no common type.")
        return Judgment(self.boolean)

    def _reduced(self, _arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `arrayReduce('sumIf', a, b)`, whose first argument names an aggregate."""
        if not nodes or not nodes[0].is_string:
            return UNDECIDED
        name = nodes[0].name.partition("(")[0].strip()
        known = self._functions.get(name.lower(), ())
        is_aggregate = any(one.kind == "aggregate" for one in known)
        if is_aggregate or self._combinator(name) is not None or not name.isidentifier():
            return UNDECIDED
        return Judgment(None, f"{name} is not an aggregate function.")

    def _part_of_tuple(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `tupleElement(t, 1)`, whose second argument is a number or a name."""
        first = arguments[0] if len(arguments) == _PAIR else None
        if first is not None and _UNDIVIDED.fullmatch(first):
            return Judgment(None, f"tupleElement requires a tuple, not {first}.")
        fields = fields_of(first) if first else None
        if fields is None or not isinstance(nodes[1], exp.Literal):
            return UNDECIDED
        numbers = {str(place): kind for place, kind in enumerate(fields.values(), 1)}
        named = {**numbers, **fields}
        if (key := nodes[1].name.lower()) not in named:
            return Judgment(None, f"The tuple has no element {nodes[1].name}.")
        return Judgment(named[key])

    def _joined_texts(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `concat(a, b)`, which gives a text, unless there are arrays, maps or tuples."""
        if any(found is None or found[-1] in "])" or found == "MAP" for found in arguments):
            return super().call("concat", arguments, nodes)
        return Judgment("STRING")

    def _part_of_date(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `date_part('year', at)`: a quoted unit, and one value."""
        if len(arguments) == _PAIR and nodes[0].is_string and nodes[0].name.isalpha():
            return UNDECIDED
        return Judgment(None, "date_part requires a quoted unit and a date.")

    def _shifted(
        self, arguments: Sequence[Type], nodes: Sequence[exp.Expr], *, operator: str
    ) -> Judgment:
        """Check `date_add(at, INTERVAL 1 DAY)` and `date_add(DAY, 1, at)`: a sum."""
        if len(arguments) == _PAIR:
            return self.operator(operator, arguments[0], arguments[1], (nodes[0], nodes[1]))
        if len(arguments) > _PAIR:
            return self.operator(operator, arguments[-1], "INTERVAL", (nodes[-1], nodes[0]))
        return UNDECIDED

    def _joined(self, arguments: Sequence[Type], _nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `arrayJoin(items)`: of an array an item, of a map its keys and values."""
        found = arguments[0] if len(arguments) == 1 else None
        if found is None or kind_of(found) in {"MAP", "VARIANT", "JSON"}:
            return UNDECIDED
        if found[-1] != "]":
            return Judgment(None, f"arrayJoin requires an array or a map, not {found}.")
        return Judgment(item_of(found))


_AS_LITERALS: Final[Mapping[str, str]] = {
    "STRING": STRING,
    "FLOAT": "DECIMAL_LITERAL",
    **dict.fromkeys("UINT8 UINT UINT64 INT INT64 HUGEINT".split(), "INTEGER_LITERAL"),
}


def _as_literal(found: Type, node: exp.Expr) -> Type:
    """Return the type of a literal for a value that the engine computes before anything runs."""
    is_early = isinstance(node, exp.Query) or is_constant(node)
    return _AS_LITERALS.get(found or "", found) if is_early else found


_MAY_HAVE_LAMBDA: Final = re.compile("array|map|tuple|untuple")
"""How functions begin that may have a lambda."""
_NEVER_NULL: Final = frozenset(
    "count uniq uniqexact uniqcombined isnull isnotnull assumenotnull ifnull coalesce tuple"
    " array".split()
)
_FIRST_OF: Final = frozenset({"coalesce", "ifnull"})
"""Functions that return the first argument that is not null."""
_PAIR: Final = 2
_SEARCHED: Final = frozenset(
    "BOOL UINT8 UINT UINT64 INT INT64 HUGEINT FLOAT DECIMAL DATE DATE32 DATETIME DATETIME64"
    " ENUM INTEGER_LITERAL DECIMAL_LITERAL".split()
)
"""Types whose values `transform` finds among those of each other."""
_LEAST_OF_IF: Final = 3
_UNDIVIDED: Final = re.compile(r"BOOL|U?INT\d*|FLOAT|STRING|DATE\d*|DATETIME\d*|UUID|IPV[46]")
"""Types without elements."""
_REDUCING: Final = ("arrayreduce", "arrayreduceinranges", "initializeaggregation")
_READS_TEXTS: Final = {
    "DOW": "toDayOfWeek",
    "ISODOW": "toDayOfWeek",
    "DAYOFWEEK": "toDayOfWeek",
    "EPOCH": "toUnixTimestamp",
}
"""Functions that EXTRACT stands for and that accept texts; those of other units are like toYear."""
_MAY_BE_LISTS: Final = frozenset({"VARIANT", "JSON"})


def _is_of_arrays(signature: Signature) -> bool:
    return (signature.arguments or ("",) * _PAIR)[1] == "T[]"


@lru_cache(maxsize=8)
def type_system(catalog: Catalog, _enums: tuple[tuple[str, ...], ...] = ()) -> ClickhouseTypes:
    """Return the types of a catalog, cached."""
    return ClickhouseTypes(catalog)
