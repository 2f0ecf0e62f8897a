"""ClickHouse's types: what is special beside the pairs and signatures that were measured.

Lambdas come first among the arguments, aggregates have combinators, conditions are accepted by
place, and a literal is a value of the type that it is compared with only in some shapes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from sqlglot import exp

from sqlobs.check.types.measured import COMPARISONS, MeasuredTypes, undefined
from sqlobs.check.types.signatures import (
    STRING,
    Signatures,
    element_of,
    fields_of,
    kind_of,
    map_of,
    structure,
)
from sqlobs.check.types.system import UNDECIDED, Judgment, Type
from sqlobs.dialects.catalog import Catalog, Signature, signatures_of

Special = Callable[[Sequence[Type], Sequence[exp.Expr]], Judgment]
"""Checks a call whose signatures do not describe its arguments."""
_STATE: Final = "STATE"
_KEEPING: Final = frozenset({"OrNull", "OrDefault", "Distinct"})
"""Combinators that change neither the arguments nor the type of the value."""
_COMMON: Final = frozenset({"CASE", "COALESCE", "ARRAY", "GREATEST", "LEAST", "UNION"})


class ClickhouseTypes(MeasuredTypes):
    """The types of ClickHouse."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog)
        raw = catalog.raw
        self.row = None
        self._implicit |= {f"{kind}{_MARK}": targets for kind, targets in self._implicit.items()}
        self._places = {what: frozenset(kinds) for what, kinds in raw["conditions"].items()}
        self._texts: Mapping[str, Mapping[str, list[str]]] = raw["texts"]
        shapes = (f"(?P<{name}>{shape})" for name, shape in raw["shapes"])
        self._shape = re.compile("|".join(shapes))
        self._words = {name: frozenset(words) for name, words in raw["words"].items()}
        self._suffixes = catalog.suffixes
        self._ordered = frozenset(raw["ordered"])
        self._constants, self._fixed = self._fixed, {}
        self._lower_types = frozenset(map(str.lower, raw["types"]))
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
        }

    def declared(self, text: str | None) -> Type:
        """Return the type that a column declaration names; a tuple is a structure."""
        found = super().declared(text)
        plain = found and found.replace("TUPLE(", "STRUCT(")
        return _marked(plain) if _NULLABLE.match(text or "") else plain

    def knows(self, name: str) -> bool:
        """Return whether the engine has a type of this name."""
        return name.lower() in self._lower_types

    def _plain(self, text: str) -> Type:
        name, _, inside = text.strip().partition("(")
        if name.upper() in {"NULLABLE", "LOWCARDINALITY"}:
            found = self.declared(inside.rstrip()[:-1])
            return _marked(found) if name.upper() == "NULLABLE" else found
        if name.upper() == "NESTED":
            return self.declared(f"Array(Tuple({inside})")
        if name.upper() == "JSON" and _TYPED_PATH.search(inside):
            return None
        if name.upper() == "AGGREGATEFUNCTION":
            return f"{_STATE}({re.split(r'[,()]', inside)[0].strip()})"
        if name.upper() == "SIMPLEAGGREGATEFUNCTION":
            return self.declared(inside.partition(",")[2].strip()[:-1])
        return super()._plain(text)

    def call(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call; a value that may be null makes its result one that may be."""
        plain = [_plain_of(found) for found in arguments]
        if name.lower() in _FIRST_OF and plain[:1] == [*arguments[:1]] not in ([], [None]):
            return Judgment(self.output(str(plain[0])))  # it is never null
        may_be_null = plain != list(arguments)
        words = self._words.get(name.lower())
        first = nodes[0].name if nodes and nodes[0].is_string else None
        if words and first is not None and first.lower() not in words and not may_be_null:
            return Judgment(None, f"{name} has no unit {first}.")
        judged = self._called(name, plain, nodes)
        if judged.fault is not None:
            if any(node.__class__ is exp.Null for node in nodes):  # most calls of NULL are NULL
                return UNDECIDED
            if any(found is not None and found.endswith("[][]") for found in plain[:1]):
                return UNDECIDED  # arrays of plain values were measured
            literals = [*map(_as_literal, plain, nodes)]
            again = judged if literals == plain else self._called(name, literals, nodes)
            judged = judged if again.fault is not None else again
        may_be_null &= name.lower() not in _NEVER_NULL
        return Judgment(_marked(judged.type), judged.fault) if may_be_null else judged

    def _called(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call; a combinator changes what the arguments of an aggregate are."""
        lowered = name.lower()
        for place in self._constants.get(lowered, ()):
            if place < len(nodes) and arguments[place] is not None and _varies(nodes[place]):
                return Judgment(None, f"Argument {place + 1} of {name} must be a constant.")
        if (fault := self._fault_of_text(name, nodes)) is not None:
            return Judgment(None, fault)
        if (special := self._special.get(lowered)) is not None:
            return special(arguments, nodes)
        if nodes and nodes[0].__class__ is exp.Lambda:
            return self._of_lambda(name, arguments, nodes[0])
        if lowered in self._need_lambdas and len(arguments) >= _PAIR and arguments[0] is not None:
            return Judgment(None, f"The first argument of {name} must be a lambda.")
        if lowered not in self._functions and (found := self._combinator(name)) is not None:
            return self._of_combinator(*found, arguments, nodes)
        return super().call(name, arguments, nodes)

    def _fault_of_text(self, name: str, nodes: Sequence[exp.Expr]) -> str | None:
        """Return why a call cannot read a text: the name of a type, or what it converts."""
        texts = [
            node.name if isinstance(node, exp.Literal) and node.is_string else None
            for node in nodes
        ]
        if not texts:
            return None
        first, last = texts[0], texts[-1]
        is_type = name.lower() == "jsonextract" and len(texts) > 1 and last is not None
        if is_type and not self.knows(str(last).partition("(")[0].strip()):
            return f"{last} is not a type."
        kind = self.declared(name[2:]) if name[:2] == "to" and len(texts) == 1 and first else None
        if kind is not None and not self._holds("CAST", kind, str(first)):
            return f"The literal cannot be converted to {kind}."
        return None

    def parameters(self, name: str, arguments: Sequence[Type]) -> tuple[Type, ...]:
        """Return the types of the parameters of a lambda, which are items of the arrays."""
        lowered = name.lower()
        if lowered == "arrayfold":
            return (arguments[-1], *map(_item, arguments[:-1])) if arguments else ()
        if arguments and arguments[0] is not None and (pair := map_of(arguments[0])) is not None:
            return pair
        return tuple(map(_item, arguments))

    def _of_lambda(self, name: str, arguments: Sequence[Type], node: exp.Expr) -> Judgment:
        lowered = name.lower()
        if lowered == "arrayfold":  # its lambda gives what its last argument is
            return UNDECIDED
        count, arrays = len(node.expressions), arguments[1:]
        if lowered in self._of_arrays and any(one is not None and one[-1] != "]" for one in arrays):
            return Judgment(None, f"All arguments of {name} behind the lambda must be arrays.")
        are_arrays = all(one is not None and one[-1] == "]" for one in arrays)
        if lowered.startswith("array") and are_arrays and count != len(arrays):
            item = _item(arrays[0]) if len(arrays) == 1 else ""
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
            return Judgment(f"{_STATE}({base})", fault)
        if suffix == "Merge":
            return self._merged(base, arguments)
        if suffix in {"Array", "ForEach"}:
            return self._of_items(base, suffix, arguments, nodes)
        return UNDECIDED

    def _merged(self, base: str, arguments: Sequence[Type]) -> Judgment:
        found = arguments[0] if len(arguments) == 1 else None
        if found is None:
            return UNDECIDED
        if kind_of(found) != _STATE:
            return Judgment(None, f"{base}Merge requires a state of {base}, not {found}.")
        known = found[len(_STATE) + 1 : -1].removesuffix("Merge")
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
        inner = self.call(base, [_item(found) for found in arguments], nodes)
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

    def _transformed(self, arguments: Sequence[Type], _nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `transform(a, [1], [2])`: without a default, all values are of one kind."""
        value, *arrays = arguments[:2] if len(arguments) > _PAIR + 1 else arguments
        for items in map(_item, arrays):
            if value is not None and items is not None and self.either(value, items) is None:
                fault = f"transform cannot replace values of {value} by or among {items}."
                return Judgment(None, fault)
        return UNDECIDED

    def _compared_arrays(self, arguments: Sequence[Type], _nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `hasAny(a, b)`: two arrays whose items have a common type."""
        for found in arguments:
            if found is not None and found[-1] != "]" and kind_of(found) not in _MAY_BE_LISTS:
                return Judgment(None, f"An array is required, not {found}.")
        first, second = map(_item, arguments[:_PAIR]) if len(arguments) >= _PAIR else (None, None)
        if first is not None and second is not None and self.either(first, second) is None:
            return Judgment(None, f"Items of {first} and {second} have no common type.")
        return Judgment(self.boolean)

    def _part_of_tuple(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `tupleElement(t, 1)`, whose second argument is a number or a name."""
        fields = fields_of(arguments[0]) if len(arguments) == _PAIR and arguments[0] else None
        if fields is None or not isinstance(nodes[1], exp.Literal):
            return UNDECIDED
        numbers = {str(place): kind for place, kind in enumerate(fields.values(), 1)}
        named = {**numbers, **fields}
        if (key := nodes[1].name.lower()) not in named:
            return Judgment(None, f"The tuple has no element {nodes[1].name}.")
        return Judgment(named[key])

    def _joined(self, arguments: Sequence[Type], _nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `arrayJoin(items)`: of an array an item, of a map its keys and values."""
        found = arguments[0] if len(arguments) == 1 else None
        if found is None or kind_of(found) in {"MAP", "VARIANT", "JSON"}:
            return UNDECIDED
        if found[-1] != "]":
            return Judgment(None, f"arrayJoin requires an array or a map, not {found}.")
        return Judgment(_item(found))

    def condition(self, found: Type, _node: exp.Expr, *, what: str) -> Judgment:
        """Check a value where a condition is expected: each place accepts other types."""
        accepted, found = self._places.get("AND" if what == "XOR" else what), _plain_of(found)
        if accepted is not None and found is not None and kind_of(found) not in accepted:
            return Judgment(self.boolean, f"{what} requires a condition, not {found}.")
        return Judgment(self.boolean)

    def row_of(self, columns: Mapping[str, Type]) -> Type:
        """Return the type of the row of a subquery: a tuple."""
        return structure(columns)

    def common(self, types: Sequence[Type], nodes: Sequence[exp.Expr], *, what: str) -> Judgment:
        """Check values that must have one type; most combine any two, to a variant if need be."""
        rows = list(zip(types, nodes, strict=False))
        kinds = [found for found, node in rows if node.__class__ is not exp.Null]
        if not kinds or None in kinds or what not in _COMMON:
            return UNDECIDED
        plain = [str(_plain_of(found)) for found in kinds]
        may_be_null = plain != kinds or len(kinds) < len(rows)
        chosen = plain[0]
        for found in plain[1:]:
            result = chosen if found == chosen else self._both(chosen, found, what)
            if result is None:
                return Judgment(None, f"{what} cannot combine {chosen} and {found}.")
            if not result:
                return UNDECIDED
            chosen = result
        known = self.output(chosen) if kind_of(chosen) in self._implicit else None
        may_be_null |= what == "CASE" and nodes[0].arg_key == "true"  # it has no ELSE
        if may_be_null and known is not None and known[-1] in "])":
            return UNDECIDED  # it may be a variant
        return Judgment(_marked(known) if may_be_null else known)

    def _both(self, left: str, right: str, what: str) -> Type:
        """Return the common type of two, as if their values were never null."""
        first, second = _plain_of(left), _plain_of(right)
        return "" if first is None or second is None else super()._both(first, second, what)

    def either(self, left: str, right: str, *, reads_texts: bool = False) -> Type:  # noqa: ARG002
        """Return the common type of two; None: there is none, though a variant could hold both.

        No text is ever read as a value of another type.
        """
        first, second = str(_plain_of(left)), str(_plain_of(right))
        return left if first == second else self._both(first, second, "ITEM") and ""

    def operator(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        """Check a binary operator; what may be null is compared only when there are rows."""
        if nodes[0] is nodes[1]:  # a term of ORDER BY
            return self._as_key(left, self._ordered, "order")
        if name == "IN" and left is not None and left[-1] == "]":
            return Judgment(self.boolean)  # of arrays, and of their items
        plain = _plain_of(left), _plain_of(right)
        if name == "||":  # which writes its values, whatever the text is
            judged = self._operation(name, *plain, nodes)
            return (
                judged if plain == (left, right) else Judgment(_marked(judged.type), judged.fault)
            )
        if name in COMPARISONS and any(map(_is_computed, plain, nodes)):
            return Judgment(_marked(self.boolean))
        if plain == (left, right):
            return super().operator(name, left, right, nodes)
        if name not in COMPARISONS:
            judged = super().operator(name, *plain, nodes)
            return Judgment(_marked(judged.type), judged.fault)
        accepted = self._operators.get(f"{_LIKE_OTHERS.get(name, name)} NULL", {})
        first, second = plain if plain[0] != left else plain[::-1]
        if first is None or second is None or (plain[0] == left and name not in _SYMMETRIC):
            return Judgment(_marked(self.boolean))
        if (kind_of(first), kind_of(second)) not in accepted:
            return undefined(name, str(plain[0]), str(plain[1]))
        result = Judgment(_marked(self.boolean))
        return self._read(result, plain, nodes) if name == "IN" else result

    def _read(
        self,
        found: Judgment,
        types: tuple[Type, Type],
        nodes: tuple[exp.Expr, exp.Expr],
    ) -> Judgment:
        if STRING not in types:
            return found
        other, literal = (types[1], nodes[0]) if types[0] == STRING else (types[0], nodes[1])
        if exp.Boolean in {nodes[0].__class__, nodes[1].__class__}:
            other = "BOOL"
        is_unread = literal.find_ancestor(exp.PreWhere, exp.Query).__class__ is exp.PreWhere
        if is_unread:  # it is computed only where there are rows
            return found
        if isinstance(literal, exp.Literal) and other and not self._holds("=", other, literal.name):
            return Judgment(found.type, f"The literal cannot be read as {other}.")
        return found

    def _holds(self, how: str, kind: str, text: str) -> bool:
        """Return whether a text may be a value of a type; True where that is not known."""
        if _MARK in kind[:-1]:
            return True
        shapes = self._texts[how].get(kind_of(str(_plain_of(kind))))
        match = self._shape.fullmatch(text)
        return shapes is None or match is None or match.lastgroup in shapes

    def _operation(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        if name in COMPARISONS and left is not None and right is not None:
            known = self._operators[name]
            if (kind_of(left), kind_of(right)) not in known:
                return undefined(name, left, right)
            return Judgment(self.boolean)
        return super()._operation(name, left, right, nodes)

    def grouped(self, found: Type, node: exp.Expr) -> Judgment:
        """Check a value that rows are grouped by; DISTINCT accepts any."""
        if isinstance(node, exp.Query):
            return UNDECIDED
        return self._as_key(found, self._grouped, "group")

    def _as_key(self, found: Type, accepted: frozenset[str], what: str) -> Judgment:
        kind = found and kind_of(self.output(found.removesuffix(_MARK)))
        if kind in self._implicit and kind not in accepted:
            fault = f"Rows cannot be {what}ed by values of type {found}. Cast them."
            return Judgment(None, fault, f"allow_suspicious_types_in_{what}_by")
        return Judgment(self.boolean)

    def minus(self, found: Type) -> Judgment:
        """Check a value with a minus before it."""
        judged = super().minus(_plain_of(found))
        return judged if _plain_of(found) == found else Judgment(_marked(judged.type), judged.fault)

    def cast(self, found: Type, to: Type, node: exp.Expr) -> Judgment:
        """Check a cast; a literal must be readable, as it is cast before anything runs."""
        if isinstance(node.parent, exp.JSONCast) and node.find(exp.JSONCast) is not None:
            return UNDECIDED  # `j.items[].price.:Int64` is an array
        judged = super().cast(_plain_of(found), _plain_of(to), node)
        if judged.fault is not None and found == self.boolean:  # or `true`, which is a Bool
            judged = super().cast("BOOL", _plain_of(to), node)
        judged = Judgment(to, judged.fault)
        is_text = isinstance(node, exp.Literal) and node.is_string
        if judged.fault is not None or not is_text or to is None or _plain_of(to) != to:
            return judged  # a text that cannot be read as a type that may be null is NULL
        if not self._holds("CAST", to, node.name):
            return Judgment(to, f"The literal cannot be cast to {to}.")
        return judged

    def cast_to_text(self, found: Type, to: exp.Expr, node: exp.Expr) -> Judgment:
        """Check `CAST(a, 'Array(Int32)')`."""
        if not self.knows(" ".join(to.name.partition("(")[0].split())):
            return Judgment(None, f"{to.name} is not a type.")
        return self.cast(found, self.declared(to.name), node)

    def nested(self, fields: Mapping[str, Type]) -> Type:
        """Return the type of a column that is several arrays: an array of tuples."""
        found = structure(fields)
        return found and f"{found}[]"

    def element(self, found: Type) -> Judgment:
        """Check the value of ARRAY JOIN: an array, or a map, of which it gives tuples."""
        found = _plain_of(found)
        if found is None or kind_of(found) in {STRING, "MAP", "JSON", "VARIANT"}:
            return UNDECIDED
        if found[-1] != "]":
            return Judgment(None, f"ARRAY JOIN requires an array or a map, not {found}.")
        return Judgment(_item(found))

    def fields(self, found: Type) -> Mapping[str, Type] | None:
        """Return the fields of a value: of a tuple by name and number, of an array of tuples too.

        Others are parts that are stored of a column: `items.size0`, `attributes.keys`.
        """
        found = _plain_of(found)
        if found == "JSON":
            return _Paths()
        if found is None or kind_of(found) in {"VARIANT", _STATE}:
            return None
        if (pair := map_of(found)) is not None:
            key, value = pair
            return {**_STORED, "keys": key and f"{key}[]", "values": value and f"{value}[]"}
        if found[-1] == "]":
            of_items = self.fields(_item(found)) if _item(found) else None
            return of_items and {
                **_STORED,
                **{name: kind and f"{kind}[]" for name, kind in of_items.items()},
            }
        named = fields_of(found)
        if named is None:
            return None if kind_of(found) in {"STRUCT", "MAP"} else _STORED
        numbers = {str(place): kind for place, kind in enumerate(named.values(), 1)}
        return {**_STORED, **numbers, **named}

    def item(self, found: Type, keys: Sequence[exp.Expr]) -> Judgment:
        """Check `value[key]`: an item of an array, a value of a map, a path of a document."""
        found = _plain_of(found)
        if found is None or kind_of(found) in {"STRUCT", "JSON", "VARIANT", _STATE}:
            return UNDECIDED
        if (pair := map_of(found)) is not None or found == "MAP":
            return self._value(pair, keys[0]) if pair is not None else UNDECIDED
        if found[-1] != "]":
            return Judgment(None, f"{found} has no items.")
        if keys and isinstance(keys[0], exp.Literal) and keys[0].is_string:
            return Judgment(_item(found), f"The items of {found} have numbers, not names.")
        return Judgment(_item(found))


_NULLABLE: Final = re.compile(r"\s*(?:LowCardinality\s*\(\s*)?Nullable\s*\(", re.IGNORECASE)
"""`Nullable(String)`, `LowCardinality(Nullable(String))`."""
_TYPED_PATH: Final = re.compile(r"[\w`)] +[A-Za-z`]")
"""`a.b UInt32` in `JSON(a.b UInt32, max_dynamic_paths = 8)`."""
_DYNAMIC: Final = "DYNAMIC"
"""The type of a path of a document."""
_MARK: Final = "?"
"""Behind the name of a type whose values may be null."""


def _plain_of(found: Type) -> Type:
    """Return a type without the mark of those that may be null; None: a value of any type."""
    if found == _DYNAMIC:
        return None
    return found.removesuffix(_MARK) if found is not None and found != _MARK else found


class _Paths(dict[str, Type]):
    """The paths of a document, any of which may exist."""

    def __contains__(self, _name: object) -> bool:
        return True

    def __missing__(self, _name: str) -> Type:
        return _DYNAMIC


_AS_LITERALS: Final[Mapping[str, str]] = {
    "STRING": STRING,
    "FLOAT": "DECIMAL_LITERAL",
    **dict.fromkeys("UINT8 UINT UINT64 INT INT64".split(), "INTEGER_LITERAL"),
}


def _as_literal(found: Type, node: exp.Expr) -> Type:
    """Return the type of a literal for a value that the engine computes before anything runs."""
    is_constant = node.find(exp.Column, exp.Query, exp.AggFunc, exp.Star) is None
    return _AS_LITERALS.get(found or "", found) if is_constant else found


def _varies(node: exp.Expr) -> bool:
    """Return whether a value differs from row to row; a subquery is a constant."""
    if isinstance(node, (exp.Query, exp.Lambda)):
        return False
    if isinstance(node, exp.Column):
        return _is_of_table(node)
    return any(map(_varies, node.iter_expressions()))


def _is_of_table(column: exp.Expr) -> bool:
    """Return whether a column is one of a table: that of a subquery may be a constant."""
    query = column.find_ancestor(exp.Select)
    if query is None or query.find(exp.CTE, exp.Subquery) is not None:
        return False
    return query.find_ancestor(exp.Query) is None and query.args.get("from_") is not None


def _is_computed(found: Type, node: exp.Expr) -> bool:
    """Return whether the engine computes a side before it compares: a text, or a subquery."""
    if isinstance(node, exp.Query):
        return True
    is_text = found == "STRING" and not isinstance(node, exp.Literal)
    return is_text and node.find(exp.Column, exp.Query) is None


def _marked(found: Type) -> Type:
    is_plain = found is not None and found[-1] not in "])?"
    return f"{found}{_MARK}" if is_plain else found


_NEVER_NULL: Final = frozenset(
    "count uniq uniqexact uniqcombined isnull isnotnull assumenotnull ifnull coalesce tuple"
    " array".split()
)
_FIRST_OF: Final = frozenset({"coalesce", "ifnull"})
"""Functions that return the first argument that is not null."""
_LIKE_OTHERS: Final = {"<>": "=", "<=": "<", ">": "<", ">=": "<"}
_SYMMETRIC: Final = frozenset("= <> < <= > >=".split())
_PAIR: Final = 2
_STORED: Final[Mapping[str, Type]] = dict.fromkeys(("null", "size", "size0", "size1", "size2"))
"""Parts of columns: whether they are null, their sizes."""
_LEAST_OF_IF: Final = 3
_MAY_BE_LISTS: Final = frozenset({"VARIANT", "JSON"})


def _is_of_arrays(signature: Signature) -> bool:
    return (signature.arguments or ("",) * _PAIR)[1] == "T[]"


def _item(found: Type) -> Type:
    return None if found is None else element_of(found)


@lru_cache(maxsize=8)
def type_system(catalog: Catalog, _enums: tuple[tuple[str, ...], ...] = ()) -> ClickhouseTypes:
    """Return the types of a catalog, cached."""
    return ClickhouseTypes(catalog)
