"""The rule of forms of a clause that the engine does not have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.statement import LITERALS
from sqlobs.check.parsing.token_pattern import any_of, letter_of, none_of
from sqlobs.check.rules.rule import finding_at_node, finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case, Trigger


_AFTER_LIMIT: Final = (TokenType.L_PAREN, TokenType.R_PAREN, TokenType.SELECT, TokenType.FOR)
_LIMIT_WITH_COMMA: Final = re.compile(
    f"(?<!{letter_of(TokenType.ALIAS)}){letter_of(TokenType.LIMIT)}"
    f"{none_of(*_AFTER_LIMIT)}*{letter_of(TokenType.COMMA)}"
)
_STRING_ALIAS: Final = re.compile(f"{letter_of(TokenType.ALIAS)}{any_of(*LITERALS)}")


class RefusedForm:
    """A form of LIMIT, of an alias, of IN or of a SELECT list that the engine does not have.

    What it finds: `LIMIT 1, 2` and `AS 'name'` in PostgreSQL, `IN t` outside SQLite, an empty
    list, LIMIT in an IN subquery in MariaDB.
    Why it matters: sqlglot reads every form, engines answer with an error.
    Example: `SELECT name AS 'full name' FROM customers` in PostgreSQL
    Instead: `SELECT name AS "full name" FROM customers`
    """

    code = "syntax.parse_error"
    name = "refused-form"
    triggers: frozenset[Trigger] = frozenset({"forms", _LIMIT_WITH_COMMA, _STRING_ALIAS})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such form."""
        if not case.grounds.refused or case.statement.fault is not None:
            return
        for token, message in _tokens(case):
            yield finding_at_token(token, code=self.code, message=message)
        for node, message in _nodes(case):
            yield finding_at_node(node, code=self.code, message=message)


def _tokens(case: Case) -> Iterator[tuple[Token, str]]:
    if case.refuses("limit_with_comma"):
        for found in _LIMIT_WITH_COMMA.finditer(case.statement.shape):
            yield case.statement.tokens[found.end() - 1], "LIMIT takes OFFSET, not a comma."
    if case.refuses("string_alias"):
        yield from _string_aliases(case)


def _string_aliases(case: Case) -> Iterator[tuple[Token, str]]:
    for found in _STRING_ALIAS.finditer(case.statement.shape):
        yield case.statement.tokens[found.end() - 1], "A string is no alias."


def _nodes(case: Case) -> Iterator[tuple[exp.Expr, str]]:
    for use in case.resolution.forms:
        message = _MESSAGES.get(use.form)
        if message and (case.refuses(use.form) or (use.form in _NOWHERE and case.catalogue)):
            yield use.node, message


_NOWHERE: Final = frozenset(
    {
        "alias_in_brackets",
        "asof_without_inequality",
        "assignment_to_expression",
        "asof_with_inequalities",
        "call_on_relation",
        "call_without_columns",
        "column_in_values_of_pivot",
        "conflict_without_action",
        "distinct_in_call",
        "expression_in_group_of_pivot",
        "group_without_list",
        "insert_without_rows",
        "join_without_from",
        "namespace_of_call",
        "read_of_change_without_returning",
        "repeated_cte",
        "scalar_with_over",
        "several_aliases",
        "star_behind_two_names",
        "table_call_as_value",
        "update_without_assignment",
        "value_behind_in",
        "window_without_over",
    }
)
"""Forms that none of the engines takes that were asked."""
_MESSAGES: Final = {
    "limit": "There is no LIMIT.",
    "fetch": "There is no FETCH.",
    "fetch_without_offset": "FETCH needs OFFSET.",
    "join_using": "A join takes no USING.",
    "natural_join": "There is no NATURAL JOIN.",
    "with_recursive": "WITH takes no RECURSIVE.",
    "interval": "There are no values of INTERVAL.",
    "table_alias_with_as": "The alias of a table takes no AS.",
    "assignment_to_expression": "SET gives values to columns, not to expressions.",
    "qualify_of_group_by_all": "GROUP BY ALL takes no QUALIFY.",
    "column_in_values_of_pivot": "The values of PIVOT are no columns.",
    "expression_in_group_of_pivot": "GROUP BY of PIVOT takes columns by their names only.",
    "asof_without_inequality": "ASOF JOIN needs one comparison of both sides with <, <=, > or >=.",
    "asof_with_inequalities": "ASOF JOIN takes only one comparison of both sides but with =.",
    "table_call_as_value": "The function gives a table, not a value.",
    "repeated_output_of_derived": "Two columns of the subquery have one name.",
    "repeated_output_of_cte": "Two columns of the CTE have one name.",
    "constant_in_group": "GROUP BY takes no constant but a position.",
    "constant_in_order": "ORDER BY takes no constant but a position.",
    "order_behind_rollup": "WITH ROLLUP takes no ORDER BY.",
    "qualify_without_window": "QUALIFY needs a window function.",
    "row_in_group": "GROUP BY takes no row.",
    "row_in_correlated_query": "A row is looked for in no query that reads the one around it.",
    "natural_without_common_column": "NATURAL JOIN needs a column that both sides have.",
    "order_without_argument": "A call orders its argument, and has none.",
    "text_in_group": "GROUP BY takes no text.",
    "text_in_order": "ORDER BY takes no text.",
    "text_in_order_of_set": "ORDER BY takes no text.",
    "read_of_change_without_returning": "A change gives no rows without RETURNING.",
    "repeated_cte": "Two CTEs have this name.",
    "alias_in_brackets": "Brackets hold no alias.",
    "join_without_from": "JOIN needs FROM.",
    "empty_in": "IN needs a value.",
    "limit_in_recursion": "A recursive query takes no LIMIT or OFFSET.",
    "order_in_recursion": "A recursive query takes no ORDER BY.",
    "value_call_as_table": "The function gives a value, not a table.",
    "within_group_of_any": "The call takes no WITHIN GROUP.",
    "window_without_over": "A window function needs OVER.",
    "row_in_call": "A row is no argument.",
    "expression_as_limit": "LIMIT takes a number only.",
    "null_as_limit": "LIMIT takes no NULL.",
    "boolean_as_limit": "LIMIT takes a number only.",
    "brackets_as_limit": "LIMIT takes no brackets.",
    "fraction_as_limit": "LIMIT takes a whole number only.",
    "variable_as_limit": "LIMIT takes no variable.",
    "offset_rows_without_limit": "OFFSET needs LIMIT.",
    "limit_in_quantified": "LIMIT may not stand in a subquery of ANY, SOME or ALL.",
    "distinct_in_call": "The call takes no DISTINCT.",
    "expression_in_order_of_set": "ORDER BY of a set operation takes columns of its list only.",
    "several_aliases": "A bracket stands behind a call.",
    "qualified_star_alias": "A star takes no alias.",
    "star_after_column": "A star must be the first of the list.",
    "table_column_aliases": "A table takes no list of column names.",
    "derived_column_aliases": "A subquery takes no list of column names.",
    "set_operand_first_in_brackets": "A query in brackets is no operand.",
    "set_operand_in_brackets": "A query in brackets is no operand.",
    "offset_without_limit": "OFFSET needs LIMIT.",
    "offset_without_order": "OFFSET needs ORDER BY.",
    "limit_before_offset": "OFFSET stands before LIMIT.",
    "top": "There is no TOP.",
    "group_by_all": "GROUP BY takes no ALL.",
    "query_as_limit": "LIMIT takes no query.",
    "query_as_limit_of_set": "LIMIT of a set operation takes no query.",
    "negative_limit": "LIMIT takes no negative number.",
    "text_as_limit": "LIMIT takes no text.",
    "quoted_number_as_limit": "LIMIT takes no text.",
    "call_without_arguments": "The call needs an argument.",
    "distinct_star": "DISTINCT takes no star here.",
    "star_behind_two_names": "A star takes one name before it.",
    "star_alias": "A star takes no alias.",
    "qualified_star_in_call": "A call takes no star of a table.",
    "field_of_brackets": "Brackets have no fields.",
    "star_without_from": "A star needs FROM.",
    "call_without_columns": "The call needs its columns behind its alias: AS t (a int, b text).",
    "call_on_relation": "A call takes no relation before its name.",
    "namespace_of_call": "A call takes no namespace before its name.",
    "double_quoted_table": "A string is no name of a table.",
    "single_quoted_table": "A string is no name of a table.",
    "equality_chain": "Comparisons do not chain.",
    "comparison_chain": "Comparisons do not chain.",
    "row_as_value": "A row is no value of a SELECT list.",
    "select_without_list": "SELECT has no list.",
    "group_without_list": "GROUP BY has no list.",
    "in_without_brackets": "IN needs brackets.",
    "reversed_frame": "The frame ends before it begins.",
    "frame_from_following_to_preceding": "The frame ends before it begins.",
    "column_in_frame": "A frame takes no column.",
    "filter_of_window": "FILTER takes an aggregate only.",
    "partition_of_named_window": "A named window takes no PARTITION BY.",
    "order_of_ordered_window": "The named window has an order already.",
    "copy_of_framed_window": "The named window has a frame already.",
    "groups_without_order": "GROUPS needs ORDER BY.",
    "recursion_without_union": "A recursive query needs UNION.",
    "recursion_in_first": "The first query of a recursion may not read the CTE itself.",
    "recursion_in_chain": "Only the last query of a recursion may read the CTE itself.",
    "recursion_twice": "A recursive query reads the CTE itself only once.",
    "recursion_in_subquery": "A recursive query reads the CTE itself in no subquery.",
    "recursion_in_derived": "A recursive query reads the CTE itself in no subquery.",
    "recursion_in_outer_join": "A recursive query reads the CTE itself in no outer join.",
    "lock_of_groups": "FOR UPDATE takes rows of tables only.",
    "value_behind_in": "IN needs brackets.",
    "window_in_recursion": "A recursive query takes no window function.",
    "scalar_with_over": "The call takes no OVER.",
    "alias_of_join": "A join in brackets takes no alias.",
    "qualified_target": "SET names its column without a table.",
    "repeated_insert_column": "INSERT lists a column twice.",
    "repeated_assignment": "UPDATE gives a column two values.",
    "empty_array": "An empty array needs a type: cast it.",
    "conflict_without_target": "ON CONFLICT DO UPDATE needs columns or a constraint.",
    "conflict_without_action": "A conflict needs an action: DO NOTHING, or assignments.",
    "insert_without_rows": "INSERT gives no rows.",
    "update_without_assignment": "SET takes assignments: a column, = and a value.",
    "empty_insert_list": "INSERT lists no column.",
    "limit_in_subquery": "LIMIT may not stand in a subquery of IN.",
}
