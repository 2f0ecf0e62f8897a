"""The state of resolving one statement: what is known, and what was found so far."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from sqlglot import exp

from sqlobs.check.engine.engine_context import MOST_KNOWN, EngineContext
from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Conditions
from sqlobs.check.forms.form import Form
from sqlobs.check.resolver.model.resolution import (
    AggregateFault,
    ColumnFault,
    ColumnProblem,
    FormUse,
    GroupingFault,
    MisplacedKind,
    Resolution,
    TypeFault,
    WidthFault,
)
from sqlobs.check.resolver.model.scope import DeferredCte, Relation, Scope
from sqlobs.check.resolver.model.tree import children
from sqlobs.check.types.system import NULL_SAFE, Judgment, Type
from sqlobs.dialects.identifiers import Folding

Sides = tuple[exp.Expr, exp.Expr]
"""The left and the right operand."""

ExpressionResolver = Callable[["State", exp.Expr, Scope], Type]

QueryResolver = Callable[["State", Any, Scope], Relation]
"""Takes a node of the class that it is registered for."""

CteResolver = Callable[["State", exp.Expr, Scope, str], Relation]
SourceResolver = Callable[["State", Any, Scope, list[exp.Expr]], None]


_VALUES: Final = (
    *(exp.Column, exp.Literal, exp.Case, exp.Cast, exp.Coalesce, exp.Subquery),
    *(exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod),
)
"""What is certainly no predicate; a call may be one (`CONTAINS(a, 'b')`)."""


def _keys(
    folding: Folding, known: dict[object, str], reserved: Container[str], met: list[exp.Expr]
) -> Callable[[exp.Expr], str]:
    """Return a function that folds identifiers, and collects the reserved ones without quotes.

    `known`: folded names without quotes that are not reserved, shared by all statements.
    """

    def key(identifier: exp.Expr) -> str:
        args = identifier.args
        found = known.get(args.get("this"))
        if found is not None and not args.get("quoted"):
            return found
        name = identifier.name  # of `? -> id`, what looks like a lambda, the parameter is no text
        if args.get("quoted"):
            return folding.quoted(name)
        folded = folding.plain(name)
        if name.upper() in reserved:
            met.append(identifier)
        elif len(known) < MOST_KNOWN:
            known[name] = folded
        return folded

    return key


_Resolver = TypeVar("_Resolver")
OPERATORS: Final[dict[type[exp.Expr], str]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.DPipe: "||",
    exp.Like: "~~",
    exp.ILike: "~~*",
    exp.RegexpLike: "~",
    exp.RegexpFullMatch: "~",  # what an older sqlglot makes of it in DuckDB
    exp.RegexpILike: "~*",
    exp.ArrayOverlaps: "&&",
    exp.ArrayContainsAll: "@>",
    exp.ArrayContainedBy: "<@",
    exp.JSONExtract: "->",
    exp.JSONExtractScalar: "->>",
    exp.JSONBExtract: "#>",
    exp.JSONBExtractScalar: "#>>",
    getattr(exp, "JSONBContainsTopKey", exp.JSONBContains): "?",  # an older sqlglot calls it so
    exp.Pow: "^",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.BitwiseXor: "#",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.NullSafeEQ: "=",
    exp.NullSafeNEQ: "=",
}
"""Binary operations by the name that PostgreSQL and DuckDB give them."""


class DispatchTable(dict[type[exp.Expr], _Resolver]):
    """Resolvers by class of node; a class without one has that of its nearest base class.

    Only extended by new classes, so that threads can share it.
    """

    def __missing__(self, kind: type[exp.Expr]) -> _Resolver:
        found = next(self[base] for base in kind.__mro__ if base in self)
        self[kind] = found
        return found


class Resolvers(NamedTuple):
    """What resolves each class of node.

    `statements.statement` fills it, so that the resolver of one node imports no other.
    """

    expressions: DispatchTable[ExpressionResolver]
    queries: DispatchTable[QueryResolver]
    source: SourceResolver


class State:
    """The state of resolving one statement: what is known, and what was found so far.

    Made anew for each check: nothing is shared between calls.
    """

    def __init__(self, sql: str, shape: str, context: EngineContext, resolvers: Resolvers) -> None:
        self._expressions, self._queries, self._source = resolvers
        self.sql = sql
        self.shape = shape
        """The token pattern of the whole text."""
        self.context = context
        self.traits = context.traits
        self.knowledge = context.knowledge
        self.follows_defaults = context.knowledge.follows_defaults is Answer.YES
        """False: it is unknown, so that only what every engine rejects is a fault."""
        self.types = context.types
        self.reserved_names: list[exp.Expr] = []
        """Names without quotes that are reserved words, in some place at least."""
        words = (context.knowledge.reserved, self.reserved_names)
        self.column_key = _keys(context.column_folding, context.known_columns, *words)
        """Returns the folded form of a column's name."""
        self.table_key = _keys(context.table_folding, context.known_tables, *words)
        """Returns the folded form of a table's name."""
        self.alias_key = _keys(context.alias_folding, context.known_aliases, *words)
        """Returns the folded form of a relation's alias, or of a qualifier."""
        self.output_key = context.column_folding.quoted
        """Returns the folded form of a column's name that is already as the engine keeps it."""
        self.resolution = Resolution()
        self.outermost = Scope()
        """What is around the statement: nothing."""
        self.aggregates: dict[int, Scope] = {}
        """The query that each aggregate belongs to, by the id of its node."""
        self.widths: dict[int, int] = {}
        """How many columns a query that is a value gives, by the id of its node."""
        self.rows: dict[int, tuple[Type, ...]] = {}
        """The types of the values of a row, by the id of its node."""
        self.generated: dict[int, Mapping[str, Type]] = {}
        """The columns that `explode(items)` gives, by the id of its node."""
        self.local_functions: set[str] = set()
        """Lambdas that WITH names (`WITH x -> x + 1 AS f`)."""
        self.named_values: set[str] = set()
        """The folded names of all values of ClickHouse's `WITH 5 AS x`, which CTEs see, too."""
        self.lambda_parameters: dict[str, Type] = {}
        """Types of the parameters of the enclosing lambdas, by lower-case name."""
        self.deferred_ctes: list[DeferredCte] = []
        self.open_cte: DeferredCte | None = None
        """The deferred CTE that is being resolved."""
        self.columns_of_stars = 0
        """Columns that stars have stood for so far."""
        self.recursive: dict[int, Relation] = {}
        """A recursive CTE as its own parts see it, by the id of its set operation."""

    def expression(self, node: exp.Expr, scope: Scope) -> Type:
        """Resolve everything below an expression and return its type; None: not known."""
        return self._expressions[node.__class__](self, node, scope)

    def resolver_of(self, node: exp.Expr) -> ExpressionResolver:
        """Return what resolves an expression of this class."""
        return self._expressions[node.__class__]

    def query(self, node: exp.Expr, outer: Scope) -> Relation:
        """Resolve a query below `outer` and return what it gives."""
        return self._queries[node.__class__](self, node, outer)

    def source(self, node: exp.Expr, scope: Scope, waiting: list[exp.Expr]) -> None:
        """Add an item of FROM to the scope; conditions that see all of FROM go to `waiting`."""
        self._source(self, node, scope, waiting)

    def is_allowed(self, name: str) -> bool:
        """Return whether a setting in the statement itself allows a form."""
        return any(name == one and word in self.sql for one, word in self.traits.allowed_by)

    def add_form(self, node: exp.Expr, form: Form) -> None:
        """Record a form, which the rules report where the engine rejects it.

        One that a setting in the statement itself allows is none.
        """
        if not self.is_allowed(form.name):
            self.resolution.forms.append(FormUse(node, form))

    def add_column_fault(
        self,
        identifier: exp.Expr,
        qualifier: exp.Expr | None,
        problem: ColumnProblem,
        scope: Scope,
        relations: tuple[Relation, ...] = (),
    ) -> None:
        """Record a column reference that could not be resolved."""
        fault = ColumnFault(identifier, qualifier, problem, scope, relations)
        self.resolution.column_faults.append(fault)

    def add_aggregate_fault(
        self, node: exp.Expr, name: str, kind: MisplacedKind, place: str
    ) -> None:
        """Record a call that is not allowed at its place."""
        self.resolution.aggregate_faults.append(AggregateFault(node, name, kind, place))

    def add_grouping_fault(self, node: exp.Expr, name: str) -> None:
        """Record a column that is neither grouped nor aggregated."""
        self.resolution.grouping_faults.append(GroupingFault(node, name))

    def add_type_fault(self, node: exp.Expr, message: str, name: str | None = None) -> None:
        """Record types that the engine, or the function of this name, does not combine."""
        self.resolution.type_faults.append(TypeFault(node, message, name))

    def add_width_fault(self, node: exp.Expr, width: int, expected: int) -> None:
        """Record a row or a query with a number of columns that does not fit."""
        self.resolution.width_faults.append(WidthFault(node, width, expected))

    def rejects(self, form: Form | None) -> bool:
        """Return whether the engine is known to reject a form."""
        return form is not None and form.name in self.knowledge.rejected

    def knows_function(self, name: str) -> bool:
        """Return whether the engine has a function of this name; rules report a missing one."""
        return self.knowledge.has_function(name) is not Answer.NO

    def judge(self, node: exp.Expr, judgment: Judgment, name: str | None = None) -> Type:
        """Record the fault of a judgment, if there is one, and return its type.

        Args:
            node: what was judged.
            judgment: its type and its fault.
            name: the function, if the node is a call.
        """
        is_allowed = judgment.unless and judgment.unless in self.sql
        if judgment.fault is not None and not is_allowed:
            self.add_type_fault(node, judgment.fault, name)
        return judgment.type

    def combine(self, operation: exp.Expr, sides: Sides, left: Type, right: Type) -> Type:
        """Check a binary operation whose sides have these types."""
        if not self.types.is_known:
            return None
        if operation.args.get("variant_extract"):  # `document:a.b`
            return self.judge(operation, self.types.call(":", [left], sides[:1]))
        name = OPERATORS.get(operation.__class__)
        if name is None and operation.__class__ is exp.Operator:
            name = operation.text("operator").rpartition(".")[2]
        if name is not None:
            if name in self.types.never_null and operation.__class__ not in NULL_SAFE:
                self.check_null(name, operation, sides)
            return self.judge(operation, self.types.operator(name, left, right, sides))
        if not isinstance(operation, exp.Connector):
            return None
        for found, node in zip((left, right), sides, strict=True):
            self.condition(found, node, what=operation.key.upper())
        return self.types.boolean

    def check_null(self, name: str, operation: exp.Expr, operands: Iterable[exp.Expr]) -> None:
        """Record an operand that is the word NULL, without a cast."""
        if any(operand.unnest().__class__ is exp.Null for operand in operands):
            self.add_type_fault(operation, f"NULL cannot be an operand of {name}.")

    def compare(self, operator: str, left: Type, right: Type, sides: Sides) -> None:
        """Check a comparison that is written in another form (`IN`, `BETWEEN`, `CASE x WHEN`)."""
        self.judge(sides[0], self.types.operator(operator, left, right, sides))

    def condition(self, found: Type, node: exp.Expr, *, what: str) -> Type:
        """Check a value where a condition is expected."""
        if self.rejects(Conditions.value_as_condition):
            self._note_values(node)
        if node.__class__ is exp.Tuple and self.types.is_known:
            self.add_type_fault(node, f"{what} requires a condition, not a row.")
        elif found is not None and found != self.types.boolean:
            return self.judge(node, self.types.condition(found, node, what=what))
        return self.types.boolean

    def _note_values(self, condition: exp.Expr) -> None:
        """Record the operands of AND and OR that are no predicates; NOT looks at its own."""
        waiting = [condition]
        while waiting:
            node = waiting.pop()
            if isinstance(node, (exp.Paren, exp.Connector)):
                waiting += children(node)
            elif isinstance(node, _VALUES):
                self.add_form(node, Conditions.value_as_condition)

    def common(
        self, node: exp.Expr, types: Sequence[Type], nodes: Sequence[exp.Expr], *, what: str
    ) -> Type:
        """Check values that must have one type."""
        return self.judge(node, self.types.common(types, nodes, what=what))

    def assign(self, column: PreparedColumn | None, found: Type, node: exp.Expr) -> None:
        """Check a value that a column is to store."""
        if column is not None and column.type is not None and found is not None:
            self.judge(node, self.types.assigned(column.type, found, node))

    def given(self, column: PreparedColumn) -> Type:
        """Return the type of a query's column; an untyped literal becomes text."""
        return None if column.type is None else self.types.output(column.type)

    def cte_key(self, identifier: exp.Expr) -> str:
        """Return the folded form of the name of a CTE."""
        key = self.table_key(identifier)
        return key.lower() if self.traits.ctes_ignore_case else key

    def kept_name(self, identifier: exp.Expr) -> str:
        """Return a column's name as the engine keeps it: folded where the engine folds."""
        name = identifier.name
        return name if identifier.args.get("quoted") else self.context.stored(name)

    def is_behind_as(self, alias: exp.Expr, *, unknown: bool = False) -> bool:
        """Return whether AS stands before an alias; `unknown`: the answer without its place."""
        start = alias.meta.get("start")
        if start is None:
            return unknown
        before = self.sql[:start].rstrip()
        return before[-2:].upper() == "AS" and not before[-3:-2].isidentifier()

    def quote(self, identifier: exp.Expr) -> str:
        """Return the character that a quoted identifier opens with; empty: it is not quoted."""
        start = identifier.meta.get("start") if identifier.args.get("quoted") else None
        return self.sql[start : start + 1] if start is not None else ""
