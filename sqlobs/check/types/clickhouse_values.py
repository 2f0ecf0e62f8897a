"""Values of ClickHouse: operators, conditions by place, common types, casts and literals.

A literal is a value of the type that it is compared with only in some shapes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from sqlobs.check.types.clickhouse_constants import is_computed_late, is_of_rows
from sqlobs.check.types.clickhouse_parts import (
    MARK,
    ClickhouseParts,
    is_dynamic,
    marked,
    plain_of,
)
from sqlobs.check.types.measured import ARITHMETIC, COMPARISONS, undefined
from sqlobs.check.types.signatures import LIST, STRING, element_of, kind_of
from sqlobs.check.types.system import NULL_SAFE, UNDECIDED, Judgment, Type, whole, written
from sqlobs.dialects.catalog import Catalog
from sqlobs.dialects.clickhouse_texts import fault_of_value
from sqlobs.dialects.clickhouse_types import fault_of_type

_NO_BOUND: Final = "A frame begins and ends at whole numbers that are not negative."
_MOST_ROWS: Final = 2**31 - 1
_COMMON: Final = frozenset({"CASE", "COALESCE", "ARRAY", "GREATEST", "LEAST", "UNION"})


class ClickhouseValues(ClickhouseParts):
    """What ClickHouse compares, combines and converts."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog)
        raw = catalog.raw
        self._places = {what: frozenset(kinds) for what, kinds in raw["conditions"].items()}
        self._texts: Mapping[str, Mapping[str, list[str]]] = raw["texts"]
        shapes = (f"(?P<{name}>{shape})" for name, shape in raw["shapes"])
        self._shape = re.compile("|".join(shapes))
        self._ordered = frozenset(raw["ordered"])

    def of_alias(self, found: Type) -> Type:
        """Return the type of a name that stands for a constant; a text may be read as any type."""
        return found if found is not None and kind_of(found) in _NEVER_READ else None

    def condition(self, found: Type, _node: exp.Expr, *, what: str) -> Judgment:
        """Check a value where a condition is expected: each place accepts other types."""
        if found == _DYNAMIC and what not in {"NOT", "XOR"}:
            return Judgment(self.boolean, f"{what} requires a condition, not {found}.")
        accepted, found = self._places.get("AND" if what == "XOR" else what), plain_of(found)
        if accepted is not None and found is not None and kind_of(found) not in accepted:
            return Judgment(self.boolean, f"{what} requires a condition, not {found}.")
        return Judgment(self.boolean)

    def counted(self, found: Type, node: exp.Expr) -> Judgment:
        """Check the value of LIMIT or OFFSET: a whole number, or a share of the rows below 1."""
        if isinstance(node, exp.Literal) and not node.is_string:
            number = float(node.name)
            if not number.is_integer() and number > 1:
                return Judgment(None, "LIMIT requires a whole number, or one between 0 and 1.")
        plain = plain_of(found)
        if plain is None or kind_of(plain) in _COUNTS:
            return UNDECIDED
        return Judgment(None, f"LIMIT requires a number, not {plain}.")

    def frame(self, kind: str, _term: Type, _offset: Type, node: exp.Expr) -> Judgment:
        """Check a bound of a frame: a whole number; that of RANGE may be an interval."""
        number = node.this if isinstance(node, exp.Neg) else node
        if isinstance(number, exp.Literal) and not number.is_string:
            is_whole = number.is_int and whole(number.name) < _MOST_ROWS
            if is_whole and (number is node or number.name == "0"):
                return UNDECIDED
        elif not isinstance(number, (exp.Literal, exp.Null, exp.Array)):
            is_interval = isinstance(number, exp.Interval) and kind != "RANGE"
            return Judgment(None, _NO_BOUND) if is_interval else UNDECIDED
        return Judgment(None, _NO_BOUND)

    def common(self, types: Sequence[Type], nodes: Sequence[exp.Expr], *, what: str) -> Judgment:
        """Check values that must have one type; most combine any two, to a variant if need be."""
        rows = list(zip(types, nodes, strict=False))
        kinds = [found for found, node in rows if node.__class__ is not exp.Null]
        if not kinds or None in kinds or what not in _COMMON:
            return UNDECIDED
        if _DYNAMIC in kinds:
            return Judgment(_DYNAMIC)
        if None in map(plain_of, kinds):
            return UNDECIDED
        plain = [str(plain_of(found)) for found in kinds]
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
        if what == "ARRAY" and known == "VARIANT" and _is_literal_by_itself(nodes[0].parent):
            return Judgment(None, "The literals of an array have no common type.")
        may_be_null |= what == "CASE" and nodes[0].arg_key == "true"  # it has no ELSE
        if may_be_null and known is not None and known[-1] in "])":
            return UNDECIDED  # it may be a variant
        return Judgment(marked(known) if may_be_null else known)

    def _both(self, left: str, right: str, what: str) -> Type:
        """Return the common type of two, as if their values were never null."""
        first, second = plain_of(left), plain_of(right)
        if first is None or second is None:
            return ""
        found = super()._both(first, second, what)
        is_variant = found is None and what in _VARYING and "STRUCT(" in first
        return "" if is_variant else found

    def either(self, left: str, right: str, *, reads_texts: bool = False) -> Type:  # noqa: ARG002
        """Return the common type of two; None: there is none, though a variant could hold both.

        No text is ever read as a value of another type.
        """
        first, second = str(plain_of(left)), str(plain_of(right))
        return left if first == second else self._both(first, second, "ITEM") and ""

    def operator(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        """Check a binary operator; a text is compared with other types when the rows are read."""
        if name == "=" and (pairs := self._pairs_without_conversion(nodes)) is not None:
            return self._unconverted(pairs, left, right)
        judged = self._operated(name, left, right, nodes)
        if judged.fault is None or name not in COMPARISONS:
            return judged
        if _is_found_anyway(nodes) if name == "IN" else _is_settled_beside((left, right), nodes):
            return Judgment(marked(self.boolean))
        has_text = not TEXTS.isdisjoint((plain_of(left), plain_of(right)))
        is_late = has_text and (
            is_computed_late(nodes[0], in_prewhere=name != "IN")
            or (name != "IN" and (is_of_rows(nodes) or _is_of_outer_join(nodes)))
        )
        return Judgment(marked(self.boolean)) if is_late else judged

    def _pairs_without_conversion(
        self, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Mapping[tuple[str, str], str] | None:
        """Return the pairs of kinds that an equality accepts; None: it may read texts, or wait.

        The keys of a join, which USING may name, need a common type, and `a <=> b` reads no text.
        """
        if nodes[0] is nodes[1] or _join_of_both(nodes) is not None:
            return self._operators["KEYS"]
        own = nodes[0].parent
        return self._operators["="] if own.__class__ in NULL_SAFE else None

    def _unconverted(
        self, pairs: Mapping[tuple[str, str], str], left: Type, right: Type
    ) -> Judgment:
        first, second = plain_of(left), plain_of(right)
        if first is None or second is None:
            return Judgment(self.boolean)
        kinds = kind_of(self.output(first)), kind_of(self.output(second))
        is_known = all(kind in self._implicit and kind != "VARIANT" for kind in kinds)
        if is_known and kinds[0] != kinds[1] and kinds not in pairs:
            return undefined("=", first, second)
        return Judgment(self.boolean)

    def _operated(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        """Check a binary operator; what may be null is compared only when there are rows."""
        if nodes[0] is nodes[1]:  # a term of ORDER BY
            return self._as_key(left, self._ordered, "order")
        if name in _OF_LISTS and left is not None and (listed := self._of_list(name, left, right)):
            return listed
        plain = plain_of(left), plain_of(right)
        if name == "||":  # which writes its values, whatever the text is
            judged = self._operation(name, *plain, nodes)
            return judged if plain == (left, right) else Judgment(marked(judged.type), judged.fault)
        if name in _SYMMETRIC and _are_tuple_and_text(plain, nodes):
            return undefined(name, str(plain[0]), str(plain[1]))
        if name in COMPARISONS and any(map(_is_computed, plain, nodes)):
            return Judgment(marked(self.boolean))
        if plain == (left, right):
            return super().operator(name, left, right, nodes)
        if name not in COMPARISONS:
            judged = super().operator(name, *plain, nodes)
            return Judgment(marked(judged.type), judged.fault)
        accepted = self._operators.get(f"{_LIKE_OTHERS.get(name, name)} NULL", {})
        first, second = plain if plain[0] != left else plain[::-1]
        if first is None or second is None or (plain[0] == left and name not in _SYMMETRIC):
            return Judgment(marked(self.boolean))
        if (kind_of(first), kind_of(second)) not in accepted:
            return undefined(name, str(plain[0]), str(plain[1]))
        result = Judgment(marked(self.boolean))
        return self._read(result, plain, nodes) if name == "IN" else result

    def _of_list(self, name: str, left: str, right: Type) -> Judgment | None:
        """Return whether IN searches for values of a type, where their type alone decides."""
        if _UNLISTED.match(left):
            return undefined(name, left, str(right))
        is_array = name == "IN" and left[-1] == "]"
        return Judgment(self.boolean) if is_array else None  # of arrays, and of their items

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
        is_text = isinstance(literal, exp.Literal) and other is not None
        if not is_text or self._holds("=", str(other), literal.name):
            return found
        return Judgment(found.type, f"The literal cannot be read as {other}.")

    def _holds(self, how: str, kind: str, text: str) -> bool:
        """Return whether a text may be a value of a type; True where that is not known."""
        if MARK in kind[:-1] or kind_of(kind) == "STRUCT":
            return True
        shapes = self._texts[how].get(kind_of(str(plain_of(kind))))
        match = self._shape.fullmatch(text)
        return shapes is None or match is None or match.lastgroup in shapes

    def _operation(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        if name in COMPARISONS and left is not None and right is not None:
            known = self._operators[name]
            if (kind_of(left), kind_of(right)) not in known:
                return undefined(name, left, right)
            items = element_of(left), element_of(right)
            if None not in items and self.either(str(items[0]), str(items[1])) is None:
                return undefined(name, left, right)
            return Judgment(self.boolean)
        judged = super()._operation(name, left, right, nodes)
        if judged.fault is None and name in ARITHMETIC:
            return self._itemwise(name, left, right, nodes) or judged
        return judged

    def _itemwise(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment | None:
        """Return what is wrong with a sum of arrays, which is one of their items: `[1] + ['a']`."""
        items = [element_of(one) if one is not None else None for one in (left, right)]
        if items == [None, None]:
            return None
        sides = [item or one for item, one in zip(items, (left, right), strict=True)]
        may_be_null = any(item is not None and item[-1] == MARK for item in items)
        if may_be_null or "VARIANT" in sides:
            return undefined(name, str(left), str(right))
        found = self._operation(name, sides[0], sides[1], nodes)
        return found if found.fault is not None else None

    def grouped(self, found: Type, node: exp.Expr) -> Judgment:
        """Check a value that rows are grouped by; DISTINCT accepts any."""
        if isinstance(node, exp.Query) or node.parent.__class__ is exp.Distinct:
            return UNDECIDED  # `count(DISTINCT document.path)` is accepted
        return self._as_key(found, self._grouped, "group")

    def _as_key(self, found: Type, accepted: frozenset[str], what: str) -> Judgment:
        kind = found and kind_of(self.output(found.removesuffix(MARK)))
        if is_dynamic(found) or (kind in self._implicit and kind not in accepted):
            fault = f"Rows cannot be {what}ed by values of type {found}. Cast them."
            return Judgment(None, fault, f"allow_suspicious_types_in_{what}_by")
        return Judgment(self.boolean)

    def minus(self, found: Type) -> Judgment:
        """Check a value with a minus before it; that of a tuple is one of each value."""
        if found is not None and kind_of(found) == "STRUCT":
            return Judgment(found)
        if found == STRING:
            return Judgment(None, "The operator - is not defined for texts.")
        judged = super().minus(plain_of(found))
        return judged if plain_of(found) == found else Judgment(marked(judged.type), judged.fault)

    def cast(self, found: Type, to: Type, node: exp.Expr) -> Judgment:
        """Check a cast; a literal must be readable, as it is cast before anything runs."""
        if isinstance(node.parent, exp.JSONCast) and node.find(exp.JSONCast) is not None:
            return UNDECIDED  # `j.items[].price.:Int64` is an array
        cast = node.parent
        if isinstance(cast, exp.Cast) and cast.this is node:
            text = written(cast.args["to"], self._dialect)
            faulty = fault_of_type(text)
            if faulty is not None:
                return Judgment(to, *faulty)
            if (fault := _fault_of_cast_literal(text, node)) is not None:
                return Judgment(to, fault)
        if (
            _is_null_literal(node)
            and to is not None
            and plain_of(to) == to
            and kind_of(to) in _NEVER_NULL
        ):
            return Judgment(to, f"NULL cannot be cast to {to}.")
        judged = super().cast(plain_of(found), plain_of(to), node)
        if judged.fault is not None and found == self.boolean:  # or `true`, which is a Bool
            judged = super().cast("BOOL", plain_of(to), node)
        judged = Judgment(to, judged.fault)
        is_text = isinstance(node, exp.Literal) and node.is_string
        if judged.fault is not None or not is_text or to is None or plain_of(to) != to:
            return judged  # a text that cannot be read as a type that may be null is NULL
        if not self._holds("CAST", to, node.name):
            return Judgment(to, f"The literal cannot be cast to {to}.")
        return judged

    def cast_to_text(self, found: Type, to: exp.Expr, node: exp.Expr) -> Judgment:
        """Check `CAST(a, 'Array(Int32)')`."""
        if not self.knows(" ".join(to.name.partition("(")[0].split())):
            return Judgment(None, f"{to.name} is not a type.")
        if (faulty := fault_of_type(to.name)) is not None:
            return Judgment(None, *faulty)
        if (fault := _fault_of_cast_literal(to.name, node)) is not None:
            return Judgment(None, fault)
        return self.cast(found, self.declared(to.name), node)


def _fault_of_cast_literal(kind: str, node: exp.Expr) -> str | None:
    """Return why a type cannot have a literal as its value, also one that is cast before."""
    sign, literal = "", node
    while isinstance(literal, (exp.Cast, exp.Paren, exp.Neg)):
        sign = "-" if isinstance(literal, exp.Neg) else sign
        literal = literal.this
    if not isinstance(literal, exp.Literal):
        return None
    is_text = bool(literal.is_string)
    text = literal.name if is_text else literal.name.partition(".")[0]
    return fault_of_value(kind, sign + text, is_text=is_text)


def _is_null_literal(node: exp.Expr) -> bool:
    """Return whether a value is written as NULL, also as one of a type: `NULL::Nullable(Date)`."""
    while isinstance(node, (exp.Cast, exp.Paren)):
        if isinstance(node, exp.Cast) and _VARIED.search(node.args["to"].sql()):
            return False
        node = node.this
    return node.__class__ is exp.Null


_VARIED: Final = re.compile("VARIANT|DYNAMIC", re.IGNORECASE)
"""Types whose NULL is cast to a value of any type."""


def _is_found_anyway(nodes: tuple[exp.Expr, exp.Expr]) -> bool:
    """Return whether IN converts no value: of a text in a list, or in a list that varies."""
    listed = nodes[1].parent
    values = listed.expressions if listed is not None else ()
    return nodes[0].is_string or any(
        one.find(exp.Column) is not None for one in values if one is not nodes[0]
    )


def _is_settled_beside(types: tuple[Type, Type], nodes: tuple[exp.Expr, exp.Expr]) -> bool:
    """Return whether AND compares a text with another constant, too: `url > 5 AND url = 'a'`.

    The engine then drops one of the comparisons, or finds that no row has both.
    """
    own = nodes[0].parent
    if own is None or own.parent.__class__ is not exp.And or own.__class__ not in _ORDERING:
        return False
    texts = [kind in TEXTS for kind in types]
    if sorted(texts) != [False, True] or types[texts.index(False)] not in _SETTLED:
        return False
    value, constant = nodes if texts[0] else nodes[::-1]
    if constant.find(exp.Column, exp.Query) is not None:
        return False
    chain = own.parent
    while chain.parent.__class__ is exp.And:
        chain = chain.parent
    others = (one for one in chain.flatten() if one is not own and one.__class__ in _ORDERING)
    sides = ([one.this, one.expression] for one in others)
    return any(value in pair and any(side.is_string for side in pair) for pair in sides)


_ORDERING: Final = frozenset({exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE})
_SETTLED: Final = frozenset("BOOL UINT8 INTEGER_LITERAL DECIMAL_LITERAL DATETIME".split())
"""Types of constants that are compared with a text beside them."""
_COUNTS: Final = frozenset(
    "BOOL UINT8 UINT UINT64 INT INT64 FLOAT INTEGER_LITERAL DECIMAL_LITERAL VARIANT JSON".split()
)
"""Types of LIMIT, and those whose values may have any."""
_VARYING: Final = frozenset({"ARRAY", "CASE"})
"""What combines tuples that have no common type to a variant."""
_NEVER_NULL: Final = frozenset(
    "BOOL UINT8 UINT UINT64 INT INT64 HUGEINT FLOAT DECIMAL STRING FIXEDSTRING DATE DATE32 DATETIME"
    " DATETIME64 TIME UUID IPV4 IPV6 ENUM JSON MAP".split()
) | {LIST}
"""Types without NULL, unless they are declared with it."""
_NEVER_READ: Final = frozenset(
    "BOOL UINT UINT64 INT INT64 HUGEINT FLOAT DECIMAL DATE DATE32 DATETIME DATETIME64 TIME UUID"
    " IPV4 IPV6 INTERVAL STRUCT MAP".split()
) | {LIST}
"""Types of constants whose values are of no other type, as those of literals may be."""
_DYNAMIC: Final = "DYNAMIC"
_OF_LISTS: Final = frozenset({"IN", "IN_QUERY"})
_UNLISTED: Final = re.compile(r"(?:DYNAMIC|JSON)(?:\[\])*\Z")
"""Types whose values IN does not search for."""
_LIKE_OTHERS: Final = {"<>": "=", "<=": "<", ">": "<", ">=": "<"}
_SYMMETRIC: Final = frozenset("= <> < <= > >=".split())


def _join_of_both(nodes: tuple[exp.Expr, exp.Expr]) -> exp.Join | None:
    """Return the join whose ON compares both sides by this: `JOIN b ON a.x = b.y`."""
    around = nodes[0].parent
    while around is not None and around.parent.__class__ in {exp.And, exp.Paren}:
        around = around.parent
    join = around.parent if around is not None and around.arg_key == "on" else None
    if not isinstance(join, exp.Join):
        return None
    sides = [{column.table for column in node.find_all(exp.Column)} for node in nodes]
    are_qualified = all(sides) and "" not in sides[0] | sides[1]
    is_of_both = {join.alias_or_name} in sides and not sides[0] & sides[1]
    return join if are_qualified and is_of_both else None


def _is_of_outer_join(nodes: tuple[exp.Expr, exp.Expr]) -> bool:
    """Return whether ON compares the sides of an outer join, which is done where there are rows."""
    join = _join_of_both(nodes)
    return join is not None and bool(join.args.get("side")) and join.args.get("method") != "ASOF"


def _is_literal_by_itself(array: exp.Expr | None) -> bool:
    """Return whether an array of literals is an item of a list, unfolded or aggregated.

    The engine then makes one value of it, whose literals need a common type; `length([1, 'a'])`
    is a call of `array`, which makes variants.
    """
    while array is not None and isinstance(array.parent, (exp.Array, exp.Alias)):
        array = array.parent
    if array is None or not isinstance(array.parent, (exp.Select, exp.Explode, exp.AggFunc)):
        return False
    parts = array.unalias().walk()
    return all(isinstance(part, _OF_LITERAL_ARRAYS) for part in parts)


_OF_LITERAL_ARRAYS: Final = (exp.Array, exp.Literal, exp.Neg, exp.Boolean, exp.Null)


def _are_tuple_and_text(types: tuple[Type, Type], nodes: tuple[exp.Expr, exp.Expr]) -> bool:
    """Return whether a tuple is compared with a column of text; a literal is read as a tuple."""
    kinds = [found and kind_of(found) for found in types]
    if set(kinds) != {"STRUCT", "STRING"}:
        return False
    text, row = nodes[kinds.index("STRING")], nodes[kinds.index("STRUCT")]
    is_stored = isinstance(row, exp.Query) and row.find(exp.From) is not None  # it may be NULL
    is_column = text.find(exp.Column) is not None and not isinstance(text, exp.Query)
    return is_column and not is_stored


TEXTS: Final = frozenset({STRING, "STRING", "FIXEDSTRING"})


def _is_computed(found: Type, node: exp.Expr) -> bool:
    """Return whether the engine computes a side before it compares: a text, or a subquery."""
    if isinstance(node, exp.Query):
        return True
    if found != "STRING" or isinstance(node, exp.Literal):
        return False
    return _is_named_text(node) or node.find(exp.Column, exp.Query) is None


def _is_named_text(node: exp.Expr) -> bool:
    """Return whether a column may be a text that a query in FROM names: `(SELECT '1' AS a)`."""
    query = node.find_ancestor(exp.Select) if isinstance(node, exp.Column) else None
    if query is None or query.root().find(exp.Subquery, exp.CTE) is None:
        return False
    return any(
        one.this.is_string and one.alias == node.name for one in query.root().find_all(exp.Alias)
    )
