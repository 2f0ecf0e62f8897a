"""Calls of ClickHouse beside its signatures: lambdas, combinators, special functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from sqlglot import exp

from sqlobs.check.types.clickhouse_parts import (
    MARK,
    STATE,
    is_dynamic,
    item_of,
    marked,
    plain_of,
)
from sqlobs.check.types.clickhouse_values import TEXTS, ClickhouseValues, is_computed_late, is_null
from sqlobs.check.types.signatures import STRING, Signatures, fields_of, kind_of, map_of, structure
from sqlobs.check.types.system import CONSTANT, NULL_TEST, UNDECIDED, Judgment, Type, sample_of
from sqlobs.dialects.catalog import Catalog, Signature, signatures_of
from sqlobs.dialects.clickhouse_texts import FAULTS as FAULTS_OF_TEXTS

Special = Callable[[Sequence[Type], Sequence[exp.Expr]], Judgment]
"""Checks a call whose signatures do not describe its arguments."""
_KEEPING: Final = frozenset({"OrNull", "OrDefault", "Distinct"})
"""Combinators that change neither the arguments nor the type of the value."""


class ClickhouseTypes(ClickhouseValues):
    """The types of ClickHouse, and its calls."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog)
        raw = catalog.raw
        self._words = {name: frozenset(words) for name, words in raw["words"].items()}
        self._summed = {name: frozenset(kinds) for name, kinds in raw["summed_items"].items()}
        self._undynamic: Mapping[str, Sequence[int]] = raw["dynamic_arguments"]
        self._constant_kinds = {
            name: frozenset(kinds) for name, kinds in raw["constant_kinds"].items()
        }
        self._letters = {kind: letter for letter, kind in raw["kind_letters"].items()}
        self._rejected_pairs: Mapping[str, str] = raw["rejected_pairs"]
        self._literals: Mapping[str, Mapping[str, Sequence[Sequence[str]]]] = raw["argument_values"]
        self._languages: Mapping[str, Mapping[str, Mapping[str, str]]] = raw["texts_in_language"]
        self._zones = frozenset(raw["time_zones"])
        self._zone_arguments: Mapping[str, Mapping[str, Sequence[str]]] = raw["zone_arguments"]
        self._suffixes = catalog.suffixes
        self._constants, self._fixed = self._fixed, {}
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
        found = super().rewritten(node)
        if found is None or node.__class__ is not exp.Extract:
            return found
        return _READS_TEXTS.get(node.name.upper(), found[0]), found[1]

    def call(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call; a value that may be null makes its result one that may be."""
        if any(map(is_dynamic, arguments)) and (varied := self._of_varied(name, arguments, nodes)):
            return varied
        if fault := self._fault_of_zone(name.lower(), arguments, nodes):
            return Judgment(None, fault)
        plain = [plain_of(found) for found in arguments]
        if name.lower() in _FIRST_OF and plain[:1] == [*arguments[:1]] not in ([], [None]):
            return Judgment(self.output(str(plain[0])))  # it is never null
        may_be_null = plain != list(arguments)
        words = self._words.get(name.lower())
        first = nodes[0].name if nodes and nodes[0].is_string else None
        if words and first is not None and first.lower() not in words and not may_be_null:
            return Judgment(None, f"{name} has no unit {first}.")
        if may_be_null and name.lower() == "transform" and plain[0] != arguments[0]:
            judged = self._transformed(plain, nodes, may_be_null=True)
        else:
            judged = self._called(name, plain, nodes)
        if judged.fault is not None:
            if any(map(is_null, nodes)):
                return UNDECIDED
            if any(found is not None and found.endswith("[][]") for found in plain[:1]):
                return UNDECIDED  # arrays of plain values were measured
            literals = [*map(_as_literal, plain, nodes)]
            again = judged if literals == plain else self._called(name, literals, nodes)
            judged = judged if again.fault is not None else again
        may_be_null &= name.lower() not in _NEVER_NULL
        may_be_null |= name.endswith("OrNull")
        return Judgment(marked(judged.type), judged.fault) if may_be_null else judged

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
        if (varied := self._fault_of_varied(name, arguments, nodes)) is not None:
            return varied
        fault = (
            self.fault_of_text(name, nodes)
            or self._fault_of_sum(name, arguments)
            or self._fault_of_literal(lowered, nodes)
            or self._fault_of_language(lowered, nodes)
        )
        if fault is not None:
            return Judgment(None, fault)
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

    def _fault_of_varied(
        self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Judgment | None:
        """Return that an argument must be a constant."""
        lowered = name.lower()
        zones = [int(place) for place in self._zone_arguments.get(lowered, ())]
        for place in (*zones, *self._constants.get(lowered, ())):
            found = arguments[place] if place < len(nodes) else None
            is_expected = place not in zones or found == "STRING"
            varies = is_expected and found is not None and _varies(nodes[place])
            if varies and not is_computed_late(nodes[0]):
                which = f"Argument {place + 1}" if place >= 0 else "The last argument"
                unless = "allow_nonconst_timezone_arguments" if place in zones else ""
                return Judgment(None, f"{which} of {name} must be a constant.", unless)
        return None

    def _fault_of_literal(self, name: str, nodes: Sequence[exp.Expr]) -> str | None:
        """Return why a call rejects the value of a literal: `toDecimal32(price, 10)`."""
        for place, ways in self._literals.get(name, {}).items():
            node = nodes[int(place)] if int(place) < len(nodes) else None
            label = self._label_of(node) if node is not None else None
            if label is None or not any(label in rejected for rejected in ways):
                continue
            if self._is_rejected(label, ways, nodes):
                return f"{name} does not support this value of argument {int(place) + 1}."
        return None

    def _is_rejected(
        self, label: str, ways: Sequence[Sequence[str]], nodes: Sequence[exp.Expr]
    ) -> bool:
        """Return whether a literal is rejected beside these arguments: constants, or columns."""
        early, late = (
            label in rejected or (label == "3" and {"2", "10"} <= {*rejected}) for rejected in ways
        )
        if is_computed_late(nodes[0]):
            return early and late
        return (early and all(map(_is_computed, nodes))) or (
            late and (early or any(map(_varies, nodes)))
        )

    def item(self, found: Type, keys: Sequence[exp.Expr]) -> Judgment:
        """Check `value[key]`: the first item of an array is 1, which sqlglot counts from 0."""
        judged = super().item(found, keys)
        key = keys[0] if keys else None
        is_array = found is not None and found[-1] == "]" and isinstance(key, exp.Neg)
        if judged.fault is not None or not is_array or key is None or key.this.name != "1":
            return judged
        value = key.parent.this if key.parent is not None else key
        if not _varies(value) or is_computed_late(value):
            return judged
        return Judgment(judged.type, "The first item of an array has the number 1, not 0.")

    def _label_of(self, node: exp.Expr) -> str | None:
        """Return how the catalog calls literals like this one; None: it is none, or unlike all."""
        if isinstance(node, exp.Literal) and node.is_string:
            found = self._shape.fullmatch(node.name)
            return found and found.lastgroup
        sign = "-" if isinstance(node, exp.Neg) else ""
        number = node.this if sign else node
        if not isinstance(number, exp.Literal) or (sign and "." in number.name):
            return None
        return sample_of(sign + number.name)

    def _fault_of_language(self, name: str, nodes: Sequence[exp.Expr]) -> str | None:
        """Return why a call cannot use a text as a pattern, a template or a path."""
        for language, functions in self._languages.items():
            for place, way in functions.get(name, {}).items():
                node = nodes[int(place)] if int(place) < len(nodes) else None
                if node is None or not node.is_string:
                    continue
                is_early = all(map(_is_computed, nodes)) and not is_computed_late(nodes[0])
                fault = FAULTS_OF_TEXTS[language](node.name, len(nodes) - 1)
                if fault is not None and (way == "always" or is_early):
                    return f"{name} cannot use argument {int(place) + 1}: {fault}."
        return None

    def _fault_of_kinds(
        self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> str | None:
        """Return why a call rejects a constant, or two arguments together, whose types it has."""
        if len(arguments) == 1 and name in self._constant_kinds:
            kind, node = _kind_of_constant(arguments[0]), nodes[0]
            is_rejected = kind in self._constant_kinds[name] and _is_constant(node)
            if is_rejected and not is_computed_late(node):
                return f"{name} cannot convert a constant of {arguments[0]}."
        if len(arguments) != _PAIR or None in arguments or name not in self._rejected_pairs:
            return None
        kinds = [_plain_kind(str(found)) for found in arguments]
        is_literal = kinds[1].endswith("_LITERAL")
        if not (kinds[0] in _KINDS_OF_LITERALS or _varies(nodes[0])) or not (
            is_literal or _varies(nodes[1])
        ):
            return None
        firsts = [self._letters.get(one) for one in _KINDS_OF_LITERALS.get(kinds[0], kinds[:1])]
        rows = [row.partition(":") for row in self._rejected_pairs[name].split()]
        right = self._letters.get(kinds[1]) or " "
        rejected = "".join(left for left, _, others in rows if right in others)
        if all(left is not None and left in rejected for left in firsts):
            return f"{name} does not support {arguments[0]} with {arguments[1]}."
        return None

    def _fault_of_zone(
        self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> str | None:
        """Return that a literal names no time zone: `toDateTime(at, 'Nowhere')`.

        For values of some types, the function does not look at it: `toDate('2024-01-01', 'x')`.
        """
        for place, kinds in self._zone_arguments.get(name, {}).items():
            zone = nodes[int(place)] if int(place) < len(nodes) else None
            if zone is None or not zone.is_string or not zone.name or zone.name in self._zones:
                continue
            value = int(name in self._words)
            if zone is nodes[0] or self._looks_at_zone(kinds, arguments[value], nodes[value]):
                return f"Argument {int(place) + 1} of {name} is not a time zone."
        return None

    def _looks_at_zone(self, kinds: Sequence[str], found: Type, node: exp.Expr) -> bool:
        """Return whether a time zone is looked at for a value: by columns, nulls, constants."""
        letter = found and self._letters.get(_plain_kind(found.removesuffix(MARK)))
        of_columns, of_nulls, of_constants = kinds
        if not letter:
            return len(of_columns) == 1  # it has values of one type only
        if letter in of_constants and _is_constant(node):
            return True
        return letter in (of_nulls if found != plain_of(found) else of_columns)

    def _fault_of_sum(self, name: str, arguments: Sequence[Type]) -> str | None:
        """Return why `arraySum(tags)` cannot sum: items that are texts, or that may be null."""
        item = item_of(arguments[0]) if arguments and name.lower() in self._summed else None
        if item is None or kind_of(item.removesuffix(MARK)) in {"VARIANT", "DYNAMIC", "JSON"}:
            return None
        return None if item in self._summed[name.lower()] else f"{name} cannot sum items of {item}."

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
    is_constant = isinstance(node, exp.Query) or _is_constant(node)
    return _AS_LITERALS.get(found or "", found) if is_constant else found


def _is_constant(node: exp.Expr) -> bool:
    return node.find(exp.Column, exp.Query, exp.AggFunc, exp.Star) is None


_KINDS_OF_LITERALS: Final[Mapping[str, Sequence[str]]] = {
    "INTEGER_LITERAL": ("UINT8", "UINT", "UINT64"),
    "DECIMAL_LITERAL": ("FLOAT",),
}
"""Kinds of columns that stand for a literal before another argument."""


def _plain_kind(found: str) -> str:
    """Return the kind of a type; that of arrays of arrays, tuples or maps was not measured."""
    is_nested = found[-1] == "]" and found[-3:-2] in {"]", ")", "?"}
    return "" if is_nested else kind_of(found)


def _is_computed(node: exp.Expr) -> bool:
    """Return whether the engine computes an argument before it plans the query."""
    if node.find(exp.Column, exp.Query, exp.AggFunc, exp.Star, exp.Identifier) is not None:
        return False
    return not any(_NEVER_COMPUTED.fullmatch(one.name) for one in node.find_all(exp.Anonymous))


def _kind_of_constant(found: Type) -> str:
    """Return the kind under which constants of a type were measured."""
    kind = "" if found is None else kind_of(found)
    return {STRING: "STRING", "DECIMAL_LITERAL": "FLOAT", "INTEGER_LITERAL": "INTEGER"}.get(
        kind, kind
    )


def _varies(node: exp.Expr) -> bool:
    """Return whether a value differs from row to row; a subquery is a constant."""
    if isinstance(node, (exp.Query, exp.Lambda)) or node.name.lower() in _OF_TYPE_ONLY:
        return False
    if node.__class__ is exp.Anonymous and _NEVER_COMPUTED.fullmatch(node.name):
        return True
    if isinstance(node, exp.Is) and node.meta.get(NULL_TEST) is not None:
        return False
    if isinstance(node, exp.Column):
        return CONSTANT not in node.meta and _is_of_table(node)
    return any(map(_varies, node.iter_expressions()))


def _is_of_table(column: exp.Expr) -> bool:
    """Return whether a column is one of a table: that of a subquery may be a constant."""
    query = column.find_ancestor(exp.Select)
    if query is None or query.find(exp.CTE, exp.Subquery) is not None:
        return False
    return query.find_ancestor(exp.Query) is None and query.args.get("from_") is not None


_OF_TYPE_ONLY: Final = frozenset("isnull isnotnull totypename".split())
"""Functions that return a constant, unless their argument may be null."""
_NEVER_COMPUTED: Final = re.compile("materialize|rowNumberIn(?:All)?Blocks?")
"""Functions whose value is never a constant, whatever their arguments are."""
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
