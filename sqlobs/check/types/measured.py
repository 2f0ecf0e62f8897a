"""Types of an engine whose combinations were measured: for each pair of types and literals.

A fault is reported only where the engine rejected the pair, or no signature of a function accepts
the arguments. Everything is in the catalog: `type_names`, `implicit`, `operators`, `negated`,
`literals` (what a literal is as a column), and `nodes` and `constants` for the calls that sqlglot
reads its own way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final

from sqlglot import exp

from sqlobs.check.types.container_types import ContainerTypes, can_hold, width_of_stack
from sqlobs.check.types.signatures import (
    DECIMAL,
    INTEGER,
    STRING,
    Signatures,
    canonical,
    element_of,
    fields_of,
    kind_of,
    lambda_parameters,
    map_of,
    structure,
)
from sqlobs.check.types.system import (
    MOST_KEPT,
    UNDECIDED,
    Judgment,
    Kept,
    Type,
    is_in_calendar,
    written,
)
from sqlobs.dialects.catalog import Catalog, Signature
from sqlobs.dialects.registry import dialect_of
from sqlobs.schema.declared_type import DeclaredType, declared_type

COMPARISONS: Final = frozenset("= <> < <= > >= IN IN_QUERY BETWEEN".split())
PATTERNS: Final = frozenset({"~~", "~~*", "~"})
CONTAINMENT: Final = frozenset({"&&", "@>", "<@"})
ARITHMETIC: Final = frozenset("+ - * / %".split())
_OF_LISTS: Final = CONTAINMENT | {"||"}
"""Operators of two lists, whose items must have one type."""
_CONDITIONS: Final = COMPARISONS | PATTERNS | CONTAINMENT
_BY_OPERANDS: Final = ARITHMETIC | {"->", "->>"}
"""Operators whose result their operands tell, not the types of these alone."""
_PARAMETERS: Final = re.compile(r"\s*\([^)]*\)")
_HOLDING: Final = frozenset(")]")
"""How the names of nested types end."""
COMBINED: Final = frozenset({"CASE", "COALESCE", "ARRAY", "GREATEST", "LEAST", "UNPIVOT", "UNION"})
_OF_SETS: Final = frozenset({"UNION", "INTERSECT", "EXCEPT"})
_JUDGED: Final = COMBINED | _OF_SETS | {"VALUES"}
_NESTED: Final = frozenset({"ARRAY", "MAP", "STRUCT"})
_FILTERING: Final = frozenset({"WHERE", "HAVING", "QUALIFY", "ON", "FILTER"})
_WAYS: Final = dict.fromkeys(_OF_SETS, "UNION") | dict.fromkeys(
    ("UNPIVOT", "GREATEST", "LEAST", "VALUES"), ""
)
"""How values are combined where COALESCE combines more; empty: without reading texts."""
_PARTS_OF_DAY: Final = 3
"""Groups of the pattern of a text: year, month, day."""
_NAMING: Final = (exp.Kwarg, exp.PropertyEQ)
"""Arguments with a name: `mode => 'exact'`."""
_MAY_QUANTIFY: Final = frozenset({exp.Any, exp.All, exp.Anonymous})


class MeasuredTypes(ContainerTypes):
    """The types of one engine, as its catalog has them."""

    is_known = True
    reads_literals_late: ClassVar[bool] = False
    """A string literal has the type of what it meets; whether it can be read is known at run time.
    Elsewhere literals are measured like types, and must be readable as the type that they meet."""

    def __init__(self, catalog: Catalog) -> None:
        raw = catalog.raw
        self._dialect = dialect_of(catalog.engine.partition(" ")[0]).grammar
        self._functions = catalog.functions
        self._names: Mapping[str, str] = raw["type_names"]
        self._known = frozenset(raw["types"])
        self._implicit = {
            source: {to: place for place, to in enumerate(targets)}
            for source, targets in raw["implicit"].items()
        }
        self._operators = {
            name: {(left, right): result for left, right, result in rows}
            for name, rows in raw["operators"].items()
        }
        self._negated: Mapping[str, str] = raw["negated"]
        self._columns: Mapping[str, str] = raw["literals"]
        self.boolean = self._columns["BOOLEAN_LITERAL"]
        self.constants = {  # type: ignore[misc]  # those of the catalog instead of the class's
            getattr(exp, name): kind for name, kind in raw.get("constants", {}).items()
        }
        self.rewritings = {  # type: ignore[misc]  # as above
            getattr(exp, name): (function, tuple(arguments))
            for name, (function, arguments) in raw.get("nodes", {}).items()
        }
        self.lists_have_fields = "lists_have_fields" in raw
        self._conditions = frozenset(raw["conditions"]) if "conditions" in raw else None
        self._filters = frozenset(raw["filters"]) if "filters" in raw else self._conditions
        self._intervals: Mapping[str, str] = raw.get("intervals", {})
        self._grouped = frozenset(raw.get("grouped", ()))
        self._frames = {tuple(pair) for pair in raw.get("frames", ())}
        self._casts = {(source, to) for source, to in raw.get("casts", ())}
        self._plain_types = {to for _, to in self._casts}
        self._tight = "GREATEST" if "GREATEST" in self._operators else "COALESCE"
        self.row = "STRUCT" if "STRUCT" in self._implicit else None
        self._judged: dict[Type, Judgment] = {kind: Judgment(kind) for kind in self._implicit}
        self._signatures = Signatures(self._functions, self._implicit, self)
        self._calls = Kept(self._signatures.judge)
        self._fixed: Mapping[str, Sequence[int]] = raw.get("constant_arguments", {})
        self._structures: Mapping[str, str] = raw.get("structures", {})
        self._described: Mapping[str, Sequence[str]] = raw.get("described", {})
        self._options: Mapping[str, int] = raw.get("options", {})
        self._rows = frozenset(raw.get("rows", ()))
        self._never_null: Mapping[str, Sequence[int]] = raw.get("never_null", {})
        self._unloaded = frozenset(raw.get("unloaded", ()))
        self._lambdas = {
            name: found
            for name, known in self._functions.items()
            if (found := {(place, count) for one in known for place, count in _lambdas(one)})
        }
        self._combined: dict[tuple[Type, ...], Judgment] = {}
        self._read_optional(raw)

    def _read_optional(self, raw: Mapping[str, Any]) -> None:
        """Read what was measured of some engines only."""
        self._assigned = {(source, to) for source, to in raw.get("assigned", ())}
        self.never_null = frozenset(raw.get("never_null_operands", ()))
        self._distinct = frozenset(raw.get("distinct", ())) or self._grouped
        self._subscripts: Mapping[str, Sequence[str]] = raw.get("subscripts", {})
        self._positions: Sequence[str] = raw.get("positions", ())
        self._fractions: Mapping[str, int] = raw.get("fractions", {})
        self._formats = {
            kind: re.compile(pattern) for kind, pattern in raw.get("formats", {}).items()
        }
        self._date_parts: Mapping[str, Mapping[str, Sequence[str]]] = raw.get("parts", {})
        self._refused: Mapping[str, Sequence[str]] = raw.get("refused", {})
        self._named: Mapping[str, tuple[int, Sequence[str]]] = raw.get("named", {})

    def declared(self, text: str | None) -> Type:
        """Return the type that a column declaration names."""
        return canonical(text, self._plain) if text else None

    def _plain(self, text: str) -> Type:
        plain = " ".join(_PARAMETERS.sub("", text.strip().strip('"').upper()).split())
        found = self._names.get(plain.partition("<")[0])
        return found if found in self._implicit else None

    def knows(self, name: str) -> bool:
        """Return whether the engine has a type of this name."""
        return name.upper() in self._known

    def named(self, node: exp.Expr) -> Type:
        """Return the type that a CAST names."""
        return self.declared(written(node, self._dialect))

    def literal(self, node: exp.Expr) -> Type:
        """Return the type of a literal."""
        if isinstance(node, exp.Var):
            return self._unit(node.name.upper())
        if not isinstance(node, exp.Literal):
            return None
        if node.is_string:
            return self._of_literal(STRING)
        return self._of_literal(INTEGER if str(node.this).isdigit() else DECIMAL)

    def _of_literal(self, kind: str) -> str:
        """Return the type of a kind of literal: that of a column, unless it was measured."""
        return kind if kind in self._implicit else self._columns[kind]

    def _unit(self, word: str) -> str:
        """Return the type of the unit of EXTRACT; one that is named like a type returns it."""
        if "PART" not in self._implicit:
            return self._of_literal(STRING)
        return word if word in self._implicit else "PART"

    def output(self, found: str) -> str:
        """Return the type of an output: literals become columns."""
        return self._columns.get(found, found)

    def call(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call: the cheapest signature that accepts the types of the arguments."""
        lowered = name.lower()
        if lowered in self._named:  # names may come in any order
            pairs = zip(arguments, nodes, strict=True)
            arguments = [None if isinstance(node, _NAMING) else kind for kind, node in pairs]
        fault = self._fault_of_nodes(lowered, nodes) or self._fault_of_types(
            lowered, arguments, nodes
        )
        if fault is not None:
            return Judgment(None, fault)
        if arguments and (way := self._structures.get(lowered)) is not None:
            return self.structured(way, arguments, nodes)
        place = self._options.get(lowered, len(nodes))
        if place < len(nodes) and not _are_options(nodes[place], arguments[place]):
            return Judgment(None, f"The options of {name} must be a map() of texts.")
        if lowered in self._rows:
            return self._in_rows(name, arguments, nodes)
        found = self._calls[name, *arguments]
        if found.fault is None and lowered in self._described and len(nodes) > 1:
            return self._as_described(lowered, nodes[1])
        return found

    def ordered(self, name: str, _arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call with WITHIN GROUP by its own arguments, and the number of its terms."""
        terms = sum(isinstance(node, exp.Ordered) for node in nodes)
        known = self._functions.get(name.lower(), ())
        if terms > 1 and known and all(one.kind == "ordered" for one in known):
            return Judgment(None, f"WITHIN GROUP of {name} requires exactly one term.")
        return Judgment(None, self._fault_of_nodes(name.lower(), nodes))

    def _in_rows(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `stack(2, 'a', 1, 'b', 2)`: each column has one type, without conversions."""
        width = width_of_stack(nodes)
        if width is None:
            return UNDECIDED
        for column in range(1, width + 1):
            rows = zip(arguments[column::width], nodes[column::width], strict=True)
            kinds = {self.output(kind) for kind, node in rows if kind and not _is_null(node)}
            if len(kinds) > 1:
                said = " and ".join(sorted(kinds))
                return Judgment(None, f"A column of {name} cannot combine {said}.")
        return UNDECIDED

    def _fault_of_nodes(self, name: str, nodes: Sequence[exp.Expr]) -> str | None:
        """Return what is wrong with how the arguments are written: columns, lambdas."""
        if name in self._unloaded:
            return f"The function {name} needs a module that {self._dialect} does not load."
        for place in self._never_null.get(name, ()):
            if place < len(nodes) and _is_null(nodes[place]):
                return f"Argument {place + 1} of {name} must not be NULL."
        for place in self._fixed.get(name, ()):
            if place < len(nodes) and nodes[place].find(exp.Column) is not None:
                return f"Argument {place + 1} of {name} must be a constant."
        place = self._fractions.get(name, len(nodes))
        if place < len(nodes) and _exceeds_one(nodes[place]):
            return f"Argument {place + 1} of {name} must be between 0 and 1."
        if name in self._named:
            return self._fault_of_names(name, nodes)
        return self._fault_of_lambdas(name, nodes) if self._lambdas else None

    def _fault_of_names(self, name: str, nodes: Sequence[exp.Expr]) -> str | None:
        """Return what is wrong with the names of arguments: `PARSE_JSON(text, mode => 'exact')`."""
        most, names = self._named[name]
        given = [node for node in nodes if isinstance(node, _NAMING)]
        if len(nodes) - len(given) > most:
            return f"{name} accepts at most {most} arguments without names."
        if any(node.this.name.lower() not in names for node in given):
            return f"The arguments of {name} are called {', '.join(names)}."
        return None

    def _fault_of_lambdas(self, name: str, nodes: Sequence[exp.Expr]) -> str | None:
        for place, node in enumerate(nodes):
            if node.__class__ is exp.Lambda and name in self._functions:
                counts = {count for at, count in self._lambdas.get(name, ()) if at == place}
                if not counts:
                    return f"{name} accepts no lambda as argument {place + 1}."
                if len(node.expressions) not in counts:
                    return f"The lambda of {name} has a wrong number of parameters."
        return None

    def _fault_of_types(
        self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> str | None:
        """Return what is wrong with a call whose signature accepts any type, or any part."""
        first = arguments[0] if arguments else None
        if first is not None and kind_of(first) in self._refused.get(name, ()):
            return f"{name.upper()} is not defined for {first}."
        if (known := self._date_parts.get(name)) is None:
            return None
        pairs = list(zip(arguments, nodes, strict=False))
        part = next((found for pair in pairs if (found := _part_of(*pair))), "")
        kinds = [kind for kind, node in pairs if not _part_of(kind, node)]
        kind = next((one for one in kinds if one in known), "")
        if len(known) == 1 and set(kinds) <= {STRING, None}:
            kind = next(iter(known))
        if not part or not kind or part in known[str(kind)]:
            return None
        return f"{name.upper()} does not support the part {part.upper()} of {kind}."

    def _as_described(self, name: str, schema: exp.Expr) -> Judgment:
        """Return the type that a literal of a call names: `from_json(x, 'a INT')`."""
        if isinstance(schema, (exp.Column, exp.Null)):
            return Judgment(None, f"The schema of {name} must be a constant.")
        if not isinstance(schema, exp.Literal) or schema.name.lstrip()[:1] == "{":
            return UNDECIDED  # JSON, or a call
        text = schema.name.strip()
        is_whole = " " not in text or re.split("[<(]", text, maxsplit=1)[0].upper() in _NESTED
        described = declared_type(text if is_whole else f"STRUCT<{text}>")
        if not all(map(self._is_spelled, _plain_parts(described))):
            return Judgment(None, f"The schema of {name} has an unknown type.")
        found = self.declared(described.text)
        if found is not None and kind_of(found) not in self._described[name]:
            return Judgment(None, f"The schema of {name} cannot be {found}.")
        return Judgment(found)

    def _is_spelled(self, text: str) -> bool:
        """Return whether a type is known by its first word (`DECIMAL(10, 2)`)."""
        return self.knows(re.split(r"[\s(]", text.strip(), maxsplit=1)[0])

    def parameters(self, name: str, arguments: Sequence[Type]) -> tuple[Type, ...]:
        """Return the types of the parameters of a lambda after some arguments of a call."""
        if not self._lambdas:
            return super().parameters(name, arguments)
        return self._signatures.parameters(name, arguments)

    def row_of(self, columns: Mapping[str, Type]) -> Type:
        """Return the type of a row of a relation with these columns."""
        return structure(columns) if self.row and columns else self.row

    def operator(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        """Check a binary operator: the engine accepted the pair when it was measured."""
        if name in COMPARISONS and nodes[1].__class__ in _MAY_QUANTIFY and _is_quantified(nodes[1]):
            name = "IN_QUERY"
        key = (name, left, right)
        found = self._combined.get(key)
        if found is None:
            found = self._operation(name, left, right, nodes)
            if name not in _BY_OPERANDS and len(self._combined) < MOST_KEPT:
                self._combined[key] = found
        if self._assigned and found.fault is None and self._differ(name, left, right, nodes):
            return undefined(name, str(left), str(right))
        if STRING in {left, right} and found.fault is None and not self.reads_literals_late:
            return self._read(found, (left, right), nodes)
        return found

    def _differ(self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]) -> bool:
        """Return whether two nested types cannot be compared, though those of their kind can."""
        if left is None or right is None or name not in COMPARISONS:
            return False
        if left[-1] not in _HOLDING or right[-1] not in _HOLDING:
            return False
        may_adapt = any(map(_has_literal, nodes))
        return not (
            self._stores(left, right, may_adapt=may_adapt)
            or self._stores(right, left, may_adapt=may_adapt)
        )

    def _read(
        self, found: Judgment, types: tuple[Type, Type], nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        """Check the literal of a pair: it must be a value of the other type."""
        other = types[1] if types[0] == STRING else types[0]
        literal = nodes[0] if types[0] == STRING else nodes[1]
        is_text = isinstance(literal, exp.Literal) and other is not None
        can_read = self._reads(str(other), literal.name) and can_hold(str(other), literal.name)
        if is_text and not can_read:
            return Judgment(found.type, f"The literal cannot be read as {other}.")
        return found

    def _operation(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        known = self._operators.get(name)
        if known is None or left is None or right is None:
            return Judgment(self.boolean if name in _CONDITIONS else None)
        if left[-1] in _HOLDING or right[-1] in _HOLDING or name in CONTAINMENT:
            return self._of_holders(name, left, right)
        if STRING in {left, right} and self.reads_literals_late:
            if name in ARITHMETIC and any(node.is_string for node in nodes):
                result = known.get((left, right))
                if result is None:
                    return undefined(name, left, right)
                return Judgment(result if result in self._implicit else None)
            if name not in PATTERNS:
                return self._judged[self.boolean] if name in COMPARISONS else UNDECIDED
            left, right = self.output(left), self.output(right)
        result = known.get((left, right))
        if result is None:
            return undefined(name, left, right)
        return self._judged.get(result, UNDECIDED)

    def _of_holders(self, name: str, left: str, right: str) -> Judgment:
        """Check an operator with nested types: all types of a kind behave alike."""
        if STRING in {left, right} and name in COMPARISONS and self.reads_literals_late:
            return Judgment(self.boolean)
        sides = kind_of(left), kind_of(right)
        result: Type = self._operators[name].get(sides)
        if result is not None and name in _OF_LISTS and left[-1] == right[-1] == "]":
            result = self._both(left, right, "COALESCE")
        if result is None:
            return undefined(name, left, right)
        by_name = self.boolean if name in _CONDITIONS else None
        return Judgment(by_name or (result if name == "||" and result else None))

    def grouped(self, found: Type, node: exp.Expr) -> Judgment:
        """Check a value that rows are grouped by, or that a query makes distinct: all its types."""
        accepted = self._distinct if isinstance(node, exp.Query) else self._grouped
        if found is None or not accepted:
            return super().grouped(found, node)
        if (inner := self._ungrouped(found, accepted)) is not None:
            return Judgment(None, f"Values of type {inner} cannot be grouped or made distinct.")
        return UNDECIDED

    def _ungrouped(self, found: str, accepted: frozenset[str]) -> Type:
        """Return the first type within one that is not accepted as a key; None: all are."""
        kind = kind_of(found)
        if kind in self._implicit and kind not in accepted:
            return found
        inside = [element_of(found), *(fields_of(found) or {}).values()]
        rejected = (self._ungrouped(part, accepted) for part in inside if part)
        return next(filter(None, rejected), None)

    def minus(self, found: Type) -> Judgment:
        """Check a value with a minus before it: a number, or an interval."""
        if found is None or found == STRING:
            return UNDECIDED
        if found not in self._negated:
            return Judgment(None, f"The operator - is not defined for {found}.")
        return Judgment(found)

    def condition(self, found: Type, node: exp.Expr, *, what: str) -> Judgment:
        """Check a value where a condition is expected; without a list, any is converted."""
        known = self._filters if what in _FILTERING else self._conditions
        if known is not None and found is not None and kind_of(found) not in known:
            return Judgment(self.boolean, f"{what} requires a condition, not {found}.")
        return super().condition(found, node, what=what)

    def constant(self, node: exp.Expr) -> Type:
        """Return the type of a node that always has the same one; of an interval that of its unit.

        `INTERVAL '1-2' YEAR TO MONTH` has two units, of which the first decides.
        """
        if not self._intervals or not isinstance(node, exp.Interval):
            return super().constant(node)
        unit = node.args.get("unit")
        first = unit.this if isinstance(unit, exp.IntervalSpan) else unit
        word = first.name.upper() if isinstance(first, exp.Expr) else ""
        return self._intervals.get(word.removesuffix("S"))

    def item(self, found: Type, keys: Sequence[exp.Expr]) -> Judgment:
        """Check `value[key]`: an item of a list, a field of a structure, a value of a map."""
        key = keys[0] if len(keys) == 1 else None
        if self._subscripts and found is not None:
            return self._selected(found, key)
        inner = element_of(found) if found is not None else None
        kind = self.output(self.literal(key) or "") if isinstance(key, exp.Literal) else ""
        if inner is None or not kind:
            return super().item(found, keys)
        is_name = kind == self._columns[STRING]
        if is_name and kind_of(inner) == "STRUCT":  # `items['price']`, a field of all items
            return super().item(inner if self.lists_have_fields else found, keys)
        if is_name or (self._positions and kind not in self._positions):
            return Judgment(None, f"The items of a list are selected by numbers, not by {kind}.")
        return super().item(found, keys)

    def _selected(self, found: str, key: exp.Expr | None) -> Judgment:
        """Check `value[key]` where the catalog lists what the brackets of each type accept."""
        if key is None:
            return Judgment(None, "Brackets select one item.")
        has_word = key.parent is not None and key.parent.args.get("offset") is not None
        way = "OFFSET" if has_word else self.output(self.literal(key) or "")
        known = self._subscripts.get(kind_of(found), ())
        if way not in known and (way or not set(known) - {"OFFSET"}):
            spelled = "a position without OFFSET" if way == "INT64" else way or "a value"
            return Judgment(None, f"{found} does not support {spelled} in brackets.")
        inner = element_of(found)
        return Judgment(found if inner is None else inner)  # an item of JSON is JSON

    def assigned(self, to: str, found: str, node: exp.Expr) -> Judgment:
        """Check a value that a column is to store; a query's literal is a column's value."""
        is_of_query = isinstance(node.parent, exp.Select)
        value = self.output(found) if is_of_query else found
        is_default = isinstance(node, exp.Var)
        if (
            is_default
            or not self._assigned
            or self._stores(value, to, may_adapt=_has_literal(node))
        ):
            return Judgment(to)
        return Judgment(to, f"A column of type {to} cannot store {self.output(found)}.")

    def _stores(self, found: str, to: str, *, may_adapt: bool) -> bool:
        """Return whether a value can be stored; `may_adapt`: it has literals inside."""
        if (kind_of(found), kind_of(to)) not in self._assigned:
            literals = [one for one, kind in self._columns.items() if kind == found]
            return may_adapt and any((one, to) in self._assigned for one in literals)
        inside = [(element_of(found), element_of(to))]
        if (fields := fields_of(found)) is not None and (others := fields_of(to)) is not None:
            if len(fields) != len(others):
                return False
            inside = list(zip(fields.values(), others.values(), strict=True))
        return all(
            self._stores(one, other, may_adapt=may_adapt) for one, other in inside if one and other
        )

    def fields(self, found: Type) -> Mapping[str, Type] | None:
        """Return the fields of a value; of JSON, where brackets select by name, any."""
        if found == "JSON" and "STRING" in self._subscripts.get(found, ()):
            return _Document()
        return super().fields(found)

    def frame(self, kind: str, term: Type, offset: Type, _node: exp.Expr) -> Judgment:
        """Check a bound of a frame: RANGE subtracts it from the term, ROWS counts."""
        counted = kind if kind == "ROWS" or term is None else kind_of(term)
        if not self._frames or counted == "RANGE" or offset is None:
            return UNDECIDED
        if (counted, kind_of(offset)) in self._frames:
            return UNDECIDED
        return Judgment(None, f"A frame of {counted} cannot begin or end at {offset}.")

    def common(self, types: Sequence[Type], nodes: Sequence[exp.Expr], *, what: str) -> Judgment:
        """Check values that must have one type, two and two; literals adapt to the others."""
        rows = zip(types, nodes, strict=False)
        kinds = [found for found, node in rows if node.__class__ is not exp.Null]
        if not kinds or None in kinds or what not in _JUDGED:
            return UNDECIDED
        chosen, *others = sorted(map(str, kinds), key=self._columns.__contains__)
        for found in others:
            if found == chosen:
                continue
            result = self._both(chosen, found, _WAYS.get(what, "COALESCE") or self._tight)
            if result is None:
                return Judgment(None, f"{what} cannot combine {chosen} and {found}.")
            if kind_of(result) not in self._implicit:
                return UNDECIDED
            chosen = result
        return Judgment(self.output(chosen))

    def cast(self, found: Type, to: Type, _node: exp.Expr) -> Judgment:
        """Check a cast; where casts were not measured, it may fail at run time only."""
        if found is None or to is None or not self._casts:
            return Judgment(to)
        if (kind_of(found), kind_of(to)) not in self._casts and kind_of(to) in self._plain_types:
            return Judgment(to, f"{found} cannot be cast to {to}.")
        return Judgment(to)

    def typed_literal(self, to: Type, node: exp.Expr) -> Judgment:
        """Check a literal with the name of its type before it: the text must be in its format."""
        if to is not None and not self._reads(to, node.name):
            return Judgment(to, f"The literal cannot be read as {to}.")
        return super().typed_literal(to, node)

    def _reads(self, kind: str, text: str) -> bool:
        """Return whether a text may be a value of a type: its format, and its day exists."""
        known = self._formats.get(kind)
        found = known.fullmatch(text) if known is not None else None
        if known is None or found is None:
            return known is None
        day = [int(part) for part in found.groups() if part]
        return len(day) != _PARTS_OF_DAY or is_in_calendar(*day)

    def either(self, left: str, right: str, *, reads_texts: bool = True) -> Type:
        """Return the common type of two; empty: not known; None: there is none."""
        return self._both(left, right, "COALESCE" if reads_texts else self._tight)

    def _both(self, left: str, right: str, what: str) -> Type:
        if left == right:
            return left
        kinds = kind_of(left), kind_of(right)
        holds = left[-1] in _HOLDING or right[-1] in _HOLDING
        result = self._operators["COALESCE" if holds and what == self._tight else what].get(kinds)
        if result is None or not holds or what == "UNION":
            return "" if result and holds else result
        if left[-1] == right[-1] == ")":
            return self._both_structures(left, right, what)
        first, second = element_of(left), element_of(right)
        if first is None or second is None:
            return ""
        item = self._both(self.output(first), self.output(second), what)
        return f"{item}[]" if item else item

    def _both_structures(self, left: str, right: str, what: str) -> Type:
        """Return a structure with the names of the first; empty: a type is not known."""
        first, second = fields_of(left), fields_of(right)
        if first is None or second is None or None in {*first.values(), *second.values()}:
            return ""
        if len(first) != len(second):
            return None
        pairs = zip(first.items(), second.values(), strict=True)
        fields = {name: self._both(str(one), str(other), what) for (name, one), other in pairs}
        if None in fields.values():
            return None
        return (structure(fields) or "") if all(fields.values()) else ""


_WEEKDAYS: Final = frozenset("MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY".split())


def _part_of(kind: Type, node: exp.Expr) -> str:
    """Return the part of a date that an argument names, in lower case; empty: it names none.

    All weekdays are alike: `WEEK(FRIDAY)` is called `week(monday)`.
    """
    if isinstance(node, exp.Interval):
        return node.text("unit").lower()
    if isinstance(node, exp.Var) or (isinstance(node, exp.Column) and kind is None):
        return node.name.lower()
    if isinstance(node, exp.Anonymous) and node.name.upper() == "WEEK" and node.expressions:
        day = node.expressions[0].name
        return f"week({'monday' if day.upper() in _WEEKDAYS else day})"
    return ""


def _has_literal(node: exp.Expr) -> bool:
    """Return whether a value is a list or structure that is written with literals."""
    return isinstance(node, _CONSTRUCTORS) and node.find(exp.Literal) is not None


_CONSTRUCTORS: Final = (exp.Array, exp.Struct, exp.Tuple)


class _Document(dict[str, Type]):
    """The fields of a JSON value: any name is one, and JSON again."""

    def __contains__(self, _name: object) -> bool:
        return True

    def __missing__(self, _name: str) -> Type:
        return "JSON"


def _plain_parts(found: DeclaredType) -> Iterator[str]:
    """Yield the types in a type that have no others inside."""
    if found.shape == "plain":
        yield found.name
    for part in (*found.parts, *(field.type for field in found.fields)):
        yield from _plain_parts(part)


def _are_options(node: exp.Expr, found: Type) -> bool:
    """Return whether an argument is a call of `map` whose keys and values are texts."""
    if not isinstance(node, (exp.Map, exp.VarMap)) and node.name.lower() != "map":
        return False
    keys = node.args.get("keys")
    if not (node.expressions or (keys is not None and keys.expressions)):
        return False
    return found is None or all(part in {"STRING", STRING, None} for part in map_of(found) or ())


def _exceeds_one(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and float(node.name) > 1


def _is_null(node: exp.Expr) -> bool:
    return node.__class__ is exp.Null


def _lambdas(signature: Signature) -> Iterator[tuple[int, int]]:
    """Yield place and number of parameters of each lambda of a signature."""
    for place in range(len(signature.arguments or ())):
        if parameters := lambda_parameters(signature, place):
            yield place, len(parameters)


def undefined(name: str, left: str, right: str) -> Judgment:
    """Return the fault of an operator between two types."""
    return Judgment(None, f"The operator {name} is not defined for {left} and {right}.")


def _is_quantified(node: exp.Expr) -> bool:
    """Return whether a value is `ANY (…)` or `ALL (…)`; of a list, sqlglot makes some a call."""
    if isinstance(node, exp.Anonymous):
        return node.name.upper() in {"ANY", "ALL", "SOME"}
    return isinstance(node, (exp.Any, exp.All))


@lru_cache(maxsize=32)
def type_system(catalog: Catalog, _enums: tuple[tuple[str, ...], ...] = ()) -> MeasuredTypes:
    """Return the types of a catalog, cached; enums are only DuckDB's and PostgreSQL's."""
    return MeasuredTypes(catalog)
