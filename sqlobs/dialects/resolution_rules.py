"""How an engine resolves names: visibility of aliases, hidden columns, namespaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Clause = Literal["select", "from", "on", "where", "group", "having", "qualify", "order", "limit"]

GROUP_ORDER: Final[frozenset[Clause]] = frozenset({"group", "having", "order"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionRules:
    """How one engine resolves names. The defaults are the behavior of most engines."""

    alias_ignores_case: bool | None = None
    """Aliases of relations are compared without case; None: like table names."""
    alias_clauses: frozenset[Clause] = frozenset({"group", "order"})
    """Clauses that see the aliases of the SELECT list."""
    alias_only_bare: bool = False
    """The alias counts only where it is the whole expression (`ORDER BY a`, not `a + 1`)."""
    output_clauses: frozenset[Clause] = frozenset()
    """Clauses where a name that is ambiguous in FROM may mean a column of the SELECT list."""
    alias_first: frozenset[Clause] = frozenset({"order"})
    """Clauses where an alias hides a column of the same name."""
    columns_first_in_terms: bool = False
    """Within an expression of ORDER BY, a column hides an alias of its name."""
    orders_by: Literal["alias", "single output", "column", "output"] | None = None
    """What a bare name in ORDER BY means before any column: an alias, or a column of a star; the
    only output of the name; an output, but several columns are ambiguous; an output, but several of
    any kind are. None: any output."""
    merged_column_first: bool = False
    """A bare name means the column that USING has merged, whatever other relation has it too."""
    left_of_join_first: bool = False
    """A bare name means the column of the left side where both sides of the only join have it."""
    merged_column_alone: bool = False
    """A column that USING has merged is named without a qualifier only."""
    on_sees_all: bool = False
    """An ON condition sees every relation of its FROM clause, later ones too."""
    derived_sees_outer: bool = True
    """A subquery in FROM sees the columns of the query around it."""
    derived_sees_siblings: bool = False
    """A subquery in FROM sees earlier items without LATERAL."""
    lateral_aliases: bool = False
    """An item of the SELECT list sees the aliases of earlier items."""
    windows_see_aliases: bool = False
    """The window of a function sees the aliases of the SELECT list, later ones too."""
    subquery_sees_aliases: bool = False
    """A subquery in the SELECT list sees the aliases of earlier items."""
    closed_clauses: frozenset[Clause] = frozenset()
    """Clauses from which the query around cannot be seen."""
    aggregate_falls_back: bool = False
    """An aggregate over an outer column is the inner query's where the outer cannot take it."""
    nests_aggregates: bool = False
    """An aggregate may take those of the groups (`max(count(*))`)."""
    strict_grouping: bool = False
    """Columns of a grouped query must be grouped or aggregated; of engines that were not asked only
    those are judged that stand in the SELECT list by themselves."""
    ungrouped_calls: frozenset[str] = frozenset()
    """Calls that take columns which are neither grouped nor aggregated."""
    distinct_orders_by_list: bool = False
    """SELECT DISTINCT orders only by what it lists."""
    having_needs_list: bool = False
    """HAVING sees columns only if they are selected or grouped."""
    key_determines: bool = False
    """A grouped primary key determines the other columns of its table."""
    repeated_alias: Literal["refused", "on_use"] = "refused"
    """Two relations of one name in FROM are an error, or only a reference to them is."""
    order_needs_group: bool = False
    """An aggregate in ORDER BY needs GROUP BY, or an aggregate in the SELECT list."""
    arguments_first: bool = False
    """The arguments of a call are looked up before its name."""
    takes_several_statements: bool = False
    """A text with several statements is run as a whole."""
    checks_unused_ctes: bool = True
    """A CTE is looked at even if nothing reads it."""
    ctes_ignore_case: bool = False
    """Names of CTEs are compared without case, other than those of tables."""
    ctes_see_later_ones: bool = False
    """A CTE may read those behind it, and columns around the place where it is read."""
    """Names in a CTE that nothing reads are resolved too."""
    quoted_fallback: bool = False
    """A double-quoted word that names no column is a string."""
    hidden_columns: frozenset[str] = frozenset()
    """Columns that every stored table has without declaring them."""
    views_are_like_tables: bool = True
    """A view may have those columns too, and may be written to."""
    derived_has_hidden: bool = False
    """A subquery in FROM with an alias has those columns too."""
    whole_row: bool = False
    """The name of a relation is a value: its row."""
    names_outputs_by: Literal["call", "text"] | None = None
    """What names an output without an alias: its outermost call (`count`) or its own text."""
    duplicate_outputs: Literal["ambiguous", "first"] = "ambiguous"
    """What a name stands for that a derived table gives twice."""
    semi_join_gives_columns: bool = False
    """What SEMI JOIN and ANTI JOIN join is seen in the other clauses too."""
    own_schemas: frozenset[str] = frozenset()
    """Namespaces in which tables are that the schema gives without one."""
    system_schemas: frozenset[str] = frozenset({"information_schema"})
    """Namespaces of the engine, in lower case, whose tables no schema lists."""
    system_tables: frozenset[str] = frozenset()
    """Relations of the engine that are named without a namespace."""
    system_catalogs: frozenset[str] = frozenset()
    """Databases of the engine, with namespaces of any name."""
    file_schemas: frozenset[str] = frozenset()
    """Words that stand where a namespace does, before the path of a file."""
    arrays_in_from: bool = False
    """`FROM orders o LEFT JOIN o.items i` reads the elements of a column."""
    fields_by_dot: bool = False
    """`a.b` may be the field b of a column a."""
    takes_rows_as_values: bool = False
    """A row is one value, of a structure: `(a, b) IN (SELECT STRUCT(a, b) …)`."""
    pivots: bool = False
    """PIVOT and UNPIVOT may stand where a query does; what they give is known of any value."""
    pivot_names: str | None = None
    """What PIVOT calls the column of a value where its aggregate has an alias; None: not told."""
    pivots_literals: bool = False
    """The column that PIVOT makes of a text has its quotes in its name (`"'paid'"`)."""
    pivots_names: bool = False
    """The values of PIVOT are names (`IN ([1], [2])`)."""
    inserts_whole_rows: bool = False
    """INSERT without a list of columns gives a value for each."""
    generated_columns: Literal["left out", "default", "any"] = "any"
    """What INSERT gives a generated column: nothing, DEFAULT, or anything, which is passed over."""
    inserts_see_target: bool = False
    """The values of INSERT may read the columns of the target, a query's names its conflict."""
    calls_name_columns: bool = False
    """What a function in FROM gives has one column, of the alias, where none is listed."""
    unnest_column: str | None = None
    """What UNNEST in FROM calls its column; None: not told."""
    values_name: str | None = None
    """What the first column of a VALUES list is called; None: after its first value."""
    empty_tables: frozenset[str] = frozenset()
    """Tables of the engine without any column."""
    numbered_relations: str | None = None
    """A pattern of relations that the engine makes up, with one column `seq` (`seq_1_to_10`)."""
    value_relations: frozenset[str] = frozenset()
    """Words that may stand in FROM unquoted and give one row with one value (`FROM user`)."""
    over_is_grammar: bool = False
    """A window function without OVER is a syntax error."""
    calls_have_namespace: bool = True
    """A namespace may stand before the name of a function."""
    table_calls_are_tables: bool = False
    """An unknown function in FROM is an unknown table."""
    nameless_columns: frozenset[str] = frozenset()
    """Words that stand alone like a column and are a value of the engine (`rownum`)."""
    parameter_sign: str | None = None
    """What the name of a parameter begins with that looks like a column (`$name`)."""
    sequence_values: frozenset[str] = frozenset()
    """What stands behind the name of a sequence and a dot (`seq.NEXTVAL`)."""
    sequence_calls: frozenset[str] = frozenset()
    """Calls whose first argument is the name of a sequence, no column."""
    update_names_alias: bool = False
    """The target of UPDATE may be an alias of its FROM clause."""
    changed_rows: frozenset[str] = frozenset()
    """What a change calls its rows where it gives them back (`OUTPUT inserted.id`)."""
    wildcard_tables: bool = False
    """A star at the end of a quoted name stands for every table whose name begins so."""
    metadata_tables: frozenset[str] = frozenset()
    """What a table tells about itself, behind its name and a `$` (`"orders$partitions"`)."""
    generators: frozenset[str] = frozenset()
    """Calls that give a SELECT list several columns, or one with a name of the call's own."""
    naming_calls: frozenset[str] = frozenset()
    """Calls in FROM whose arguments are names of tables and servers, no columns."""
