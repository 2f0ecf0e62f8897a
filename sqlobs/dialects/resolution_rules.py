"""How an engine resolves names: visibility of aliases, hidden columns, namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

Clause = Literal["select", "from", "on", "where", "group", "having", "qualify", "order", "limit"]

GROUP_ORDER: Final[frozenset[Clause]] = frozenset({"group", "having", "order"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionRules:
    """How one engine resolves names. The defaults are the behavior of most engines."""

    alias_ignores_case: bool | None = None
    """Aliases of relations are compared without case; None: like table names."""
    alias_clauses: frozenset[Clause] = frozenset({"group", "order"})
    """Clauses that can refer to aliases of the SELECT list."""
    alias_only_bare: bool = False
    """An alias is resolved only if it is the whole expression (`ORDER BY a`, not `a + 1`)."""
    output_clauses: frozenset[Clause] = frozenset()
    """Clauses where a name that is ambiguous in FROM may mean a column of the SELECT list."""
    repeated_outputs: Literal["ambiguous", "column"] | None = None
    """What a name that several items of the SELECT list have means in clauses behind it: nothing,
    in GROUP BY too; a column of FROM, if there is one. None: as `orders_by` says."""
    repeats_columns: bool = False
    """A column that a list has twice is one column of the query: its name is not ambiguous."""
    alias_first: frozenset[Clause] = frozenset({"order"})
    """Clauses where an alias hides a column of the same name."""
    columns_first_in_terms: bool = False
    """Within an expression of ORDER BY, a column hides an alias of its name."""
    orders_by: Literal["alias", "single output", "column", "output"] | None = None
    """What a bare name in ORDER BY means before any column: an alias, or a column of a star; the
    only output of the name; an output, but several columns are ambiguous; an output, but several of
    any kind are. None: any output."""
    relation_first: bool = False
    """A name means the row of a relation with that alias before a column of that name."""
    merged_column_first: bool = False
    """An unqualified name means the column merged by USING, even if other relations have it too."""
    left_of_join_first: bool = False
    """An unqualified name means the left side's column if both sides of the only join have it, or
    if the others are equal to it: of the same table, or compared in the join."""
    merged_column_alone: bool = False
    """A column merged by USING cannot be qualified."""
    on_sees_all: bool = False
    """An ON condition can refer to every relation of its FROM clause, even later ones."""
    derived_sees_outer: bool = True
    """A subquery in FROM can refer to columns of the outer query."""
    calls_see_siblings: bool = True
    """A function in FROM can refer to columns of earlier items without LATERAL."""
    derived_sees_siblings: bool = False
    """A subquery in FROM can refer to earlier items without LATERAL."""
    lateral_aliases: bool = False
    """An item of the SELECT list can refer to aliases of earlier items."""
    aliases_everywhere: bool = False
    """Any expression can refer to any alias of the query, a later or a nested one too."""
    windows_see_aliases: bool = False
    """The window of a function can refer to aliases of the SELECT list, even later ones."""
    subquery_sees_aliases: bool = False
    """A subquery in the SELECT list can refer to aliases of earlier items."""
    closed_clauses: frozenset[Clause] = frozenset()
    """Clauses that cannot refer to the outer query."""
    aggregates_stay: bool = False
    """An aggregate belongs to the query that it is written in, whatever columns it reads."""
    aggregate_falls_back: bool = False
    """An aggregate of an outer column belongs to the inner query if the outer does not allow it."""
    nests_windows: bool = False
    """A window function can contain another (`sum(x) OVER (ORDER BY rank() OVER (…))`)."""
    nests_aggregates: bool = False
    """Aggregates can be nested (`max(count(*))`)."""
    strict_grouping: bool = False
    """Columns of a grouped query must be grouped or aggregated; where not all functions are known,
    only those are checked that are items of the SELECT list by themselves."""
    word_of_all: str | None = None
    """The lower-case word that means ALL in GROUP BY (`GROUP BY AUTO`)."""
    ungrouped_calls: frozenset[str] = frozenset()
    """Functions whose arguments may be neither grouped nor aggregated."""
    distinct_orders_by_list: bool = False
    """`ORDER BY` of SELECT DISTINCT can refer only to listed expressions."""
    distinct_orders_by_columns: bool = False
    """`ORDER BY` of SELECT DISTINCT can refer only to columns and aliases that are selected."""
    having_needs_list: bool = False
    """HAVING can refer to columns only if they are selected or grouped."""
    groups_by_position: bool = True
    """A number in GROUP BY means an item of the SELECT list; elsewhere it is a constant."""
    key_determines: bool = False
    """A grouped primary key determines the other columns of its table."""
    repeated_alias: Literal["refused", "refused if written", "on_use"] = "refused"
    """Two relations with one name in FROM are an error, or only if an alias gives it, or only a
    reference to them is."""
    order_needs_group: bool = False
    """An aggregate in ORDER BY needs GROUP BY, or an aggregate in the SELECT list."""
    arguments_first: bool = False
    """The arguments of a call are looked up before its name."""
    tables_by_alias: bool = False
    """The alias of an item of FROM names that item once more: `FROM (SELECT 1) AS a, a AS b`."""
    tables_keep_names: bool = False
    """A table with an alias can be referred to by its own name, too."""
    binds_parameters: bool = True
    """A statement may have parameters (`:p`, `?`), whose values the client sends."""
    lists_patterns: bool = False
    """`a LIKE ANY ('b%')` compares with the patterns in parentheses, not with items of a list."""
    queries_give_rows: bool = False
    """A subquery of several columns is a value: a row."""
    having_filters_rows: bool = False
    """HAVING without GROUP BY and without aggregates is like WHERE."""
    lambda_arrows: bool = False
    """`x -> x + 1` is a lambda, never a path into a document."""
    excludes_any_name: bool = False
    """`* EXCEPT (a)` and `* REPLACE (1 AS a)` accept names of no column."""
    stars_in_calls: bool = False
    """A star in a call stands for all columns, as if they were listed (`toDate(*)`)."""
    star_clauses: frozenset[Clause] | None = None
    """Clauses where a star in a call stands for columns; None: all."""
    counts_from_end: bool = False
    """`ORDER BY -1` orders by the last item of the SELECT list."""
    orders_by_all: bool = False
    """`ORDER BY ALL` orders by every output."""
    takes_several_statements: bool = False
    """All statements of a text are run."""
    checks_unused_ctes: bool = True
    """Even an unused CTE is checked."""
    ctes_ignore_case: bool = False
    """Names of CTEs are compared without case, unlike those of tables."""
    ctes_see_later_ones: bool = False
    """A CTE may refer to later ones, and to columns of the query that uses it."""
    ctes_see_themselves: bool = True
    """A CTE that names itself is a circular reference; False: it names a table, as in
    `WITH t AS (SELECT a FROM t)`. It matters where CTEs see later ones."""
    quoted_fallback: bool = False
    """A double-quoted word that names no column is a string."""
    hidden_columns: frozenset[str] = frozenset()
    """Columns that every stored table has without declaring them."""
    views_are_like_tables: bool = True
    """A view may have these columns too, and may be written to."""
    derived_has_hidden: bool = False
    """A subquery in FROM with an alias has these columns too."""
    whole_row: bool = False
    """The name of a relation can be used as a value: its row."""
    names_outputs_by: Literal["call", "text", "field"] | None = None
    """How an output without an alias is named: by its outermost call (`count`), its own text, or
    the field that it reads (`items[0].sku`)."""
    casting_calls: frozenset[str] = frozenset()
    """Functions that are casts. Where there are any, a cast of a column has the column's name."""
    having_hides_list: bool = False
    """Where HAVING reads what the SELECT list lacks, ORDER BY cannot have aggregates."""
    outputs_keep_paths: bool = False
    """An output is named by the path to what it reads: a field `a.b`, and `t.a` where `a` alone
    means a column of an earlier relation."""
    duplicate_outputs: Literal["ambiguous", "first"] = "ambiguous"
    """The meaning of a name that two columns of a derived table have."""
    semi_join_gives_columns: bool = False
    """Other clauses can refer to the right side of SEMI JOIN and ANTI JOIN."""
    qualifies_by_namespace: bool = True
    """A column can be qualified by the namespace of its table, too (`shop.orders.id`)."""
    needs_namespace: bool = False
    """A table that the schema lists in a namespace needs it, unless the search path has it."""
    own_schemas: frozenset[str] = frozenset()
    """Namespaces of the tables that the schema lists without one."""
    one_namespace: bool = False
    """A schema that lists tables without a namespace describes all there are: one in any other
    namespace is unknown, not undecided."""
    lists_namespaces: bool = False
    """A schema with namespaces lists all of them: a table in any other is unknown, too."""
    system_schemas: frozenset[str] = frozenset({"information_schema"})
    """Namespaces of the engine, in lower case, whose tables are not in the schema."""
    system_tables: frozenset[str] = frozenset()
    """Relations of the engine that need no namespace."""
    system_catalogs: frozenset[str] = frozenset()
    """Databases of the engine, with namespaces of any name."""
    file_schemas: frozenset[str] = frozenset()
    """Words in the position of a namespace, before the path of a file."""
    arrays_in_from: bool = False
    """`FROM orders o LEFT JOIN o.items i` reads the elements of a column."""
    fields_by_dot: bool = False
    """`a.b` may be the field b of a column a."""
    fields_of_aliases: bool = False
    """Fields of an alias of the SELECT list can be read: `SELECT struct(1 AS b) AS a, a.b`."""
    chains_calls: bool = False
    """`a.upper()` may be `upper(a)`; elsewhere `a` is a namespace or an object with methods."""
    lists_may_be_rows: bool = False
    """`(a, b) IN (1, 2)` is one row, `a IN ((1, 2))` two values, and a structure is a row; a row
    may be compared with a text."""
    takes_rows_as_values: bool = False
    """A row value is a structure: `(a, b) IN (SELECT STRUCT(a, b) …)`."""
    calls_take_tables: bool = False
    """A query may be an argument of a call in FROM: `ML.PREDICT(MODEL m, (SELECT …))`."""
    deletes_without_from: bool = False
    """`DELETE orders WHERE …` deletes from orders."""
    window_follows_qualify: bool = False
    """WINDOW follows QUALIFY; in DuckDB it precedes it."""
    selects_as_value: bool = False
    """`SELECT AS STRUCT a, b` and `SELECT AS VALUE a` make one value of each row."""
    pivots: bool = False
    """PIVOT and UNPIVOT can be used like a query; their columns are known for any value."""
    pivot_names: str | None = None
    """How PIVOT names the column of a value if its aggregate has an alias; None: unknown."""
    pivots_literals: bool = False
    """The column that PIVOT makes of a string has its quotes in its name (`"'paid'"`)."""
    pivots_names: bool = False
    """The values of PIVOT are names (`IN ([1], [2])`)."""
    inserts_whole_rows: bool = False
    """INSERT without a column list needs a value for each column."""
    generated_columns: Literal["left out", "default", "any"] = "any"
    """The value of a generated column in INSERT: none, DEFAULT, or any, which is ignored."""
    inserts_see_target: bool = False
    """The values of INSERT, and the conflict clause, can refer to the target's columns."""
    calls_name_columns: bool = False
    """The alias of a function in FROM names its column if no columns are listed."""
    unnest_column: str | None = None
    """The name of UNNEST's column in FROM; None: unknown."""
    values_name: str | None = None
    """The name of the first column of VALUES; None: named after its first value."""
    empty_tables: frozenset[str] = frozenset()
    """Tables of the engine without columns."""
    numbered_relations: str | None = None
    """A pattern of virtual relations with one column `seq` (`seq_1_to_10`)."""
    value_relations: frozenset[str] = frozenset()
    """Words allowed in FROM without quotes that return one row with one value (`FROM user`)."""
    over_is_grammar: bool = False
    """A window function without OVER is a syntax error."""
    calls_have_namespace: bool = True
    """A function can be qualified by a namespace."""
    table_calls_are_tables: bool = False
    """An unknown function in FROM is an unknown table."""
    nameless_columns: frozenset[str] = frozenset()
    """Words used like a column that are a value of the engine (`rownum`)."""
    columns_of_calls: frozenset[str] = frozenset()
    """Functions by whose names a query that calls them may refer to their values (`window`)."""
    counting_calls: frozenset[str] = frozenset()
    """Lower-case functions in FROM whose arguments are amounts."""
    columns_without_from: frozenset[str] = frozenset()
    """Columns of a query without FROM."""
    parameter_sign: str | None = None
    """The prefix of parameters that look like a column (`$name`)."""
    sequence_values: frozenset[str] = frozenset()
    """The words after the name of a sequence and a dot (`seq.NEXTVAL`)."""
    sequence_calls: frozenset[str] = frozenset()
    """Functions whose first argument is the name of a sequence, not a column."""
    update_names_alias: bool = False
    """The target of UPDATE may be an alias of its FROM clause."""
    changed_rows: frozenset[str] = frozenset()
    """The names of changed rows in the clause that returns them (`OUTPUT inserted.id`)."""
    wildcard_tables: bool = False
    """A star at the end of a quoted name means every table whose name starts with it."""
    metadata_tables: frozenset[str] = frozenset()
    """The metadata of a table, after its name and a `$` (`"orders$partitions"`)."""
    generators: frozenset[str] = frozenset()
    """Functions that add several columns to a SELECT list, or one with a name of their own; they
    cannot be part of an expression."""
    object_calls: str | None = None
    """A pattern of functions whose first argument is a text that names a table or dictionary."""
    in_calls: frozenset[str] = frozenset()
    """Functions whose second argument may be the name of a table: `in(x, t)` for `x IN t`."""
    allowed_by: tuple[tuple[str, str], ...] = ()
    """Forms with the part of a setting's name that allows them, where the statement sets it."""
    only_lists_end_with_commas: bool = False
    """Where a trailing comma is allowed, it is only behind a SELECT list or in a row of values."""
    signed_literals: bool = False
    """A minus before a literal belongs to it: `-1::String` casts -1."""
    skips_dead_branches: bool = False
    """Of `if(1, a, b)` and `CASE WHEN 1 …`, only the value that is chosen is resolved."""
    parts_are_columns: bool = False
    """A part of a stored column is a column of its own, which GROUP BY does not group with it:
    `SELECT address.city FROM t GROUP BY address` is rejected."""
    spreading_calls: frozenset[str] = frozenset()
    """Functions that may stand for several items of a SELECT list (`untuple(t)`)."""
    values_may_be_described: bool = False
    """The first value of VALUES may be a text that describes the columns of the others."""
    views_take_parameters: bool = False
    """A view may be called in FROM like a function, with values of its parameters."""
    describing_calls: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Lower-case functions in FROM whose columns a text describes (`'a Int32, b String'`), with
    the place of that argument."""
    naming_calls: frozenset[str] = frozenset()
    """Functions in FROM whose arguments are names of tables and servers, not columns."""
