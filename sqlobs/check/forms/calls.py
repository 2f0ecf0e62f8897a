"""Forms of function calls."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.forms.form import (
    Form,
    Tokens,
    both,
    family,
    foreign,
    of,
    reads,
    tree,
    unless,
    within,
)


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.HexString) or (isinstance(node, exp.Literal) and node.is_string)


def _separates_by_value(call: exp.Expr) -> bool:
    separator = call.args.get("separator")
    return separator is not None and not _is_text(separator)


def _lacks_interval(call: exp.Expr) -> bool:
    """Return whether the second argument of `date_add(x, y)` is not an interval.

    `date_add(DAY, 7, x)` begins with a unit instead.
    """
    has_unit = len(call.expressions) == _WITH_UNIT and isinstance(call.expressions[0], exp.Column)
    second = call.expressions[1:2]
    return call.name.upper() in {"DATE_ADD", "DATE_SUB"} and not (
        has_unit or (second and isinstance(second[0], exp.Interval))
    )


_WITH_UNIT: Final = 3
"""Arguments of `date_add` with a unit."""


class Calls:
    """Forms of function calls."""

    filter_clause = foreign(
        "SELECT count(*) FILTER (WHERE x > 1) FROM probe",
        tree(exp.Filter, "FILTER"),
        "`FILTER (WHERE …)`",
    )
    call_without_parameters = Form(
        "SELECT quantiles(x) FROM probe",
        "The aggregate requires parameters before its arguments: `f(parameters)(arguments)`.",
    )
    wrong_parameters = Form(
        "SELECT quantile(1, 2)(x) FROM probe",
        "The aggregate does not accept these parameters.",
    )
    nulls_option_of_scalar = Form(
        "SELECT upper('a') RESPECT NULLS FROM probe",
        "Only aggregates and window functions support `RESPECT NULLS` and `IGNORE NULLS`.",
    )
    deprecated_call = Form(
        "SELECT neighbor(x, 1) FROM probe",
        "The function fails unless a setting allows it: it is deprecated or experimental.",
    )
    within_group = foreign(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM probe",
        tree(exp.WithinGroup, "WITHIN", unless(within(exp.Window))),
    )
    distinct_group_concat_separator = foreign(
        "SELECT group_concat(DISTINCT x, ',') FROM probe",
        tree(exp.GroupConcat, "DISTINCT & GROUP_CONCAT", both("separator", of(exp.Distinct))),
        "`group_concat(DISTINCT …)` with a separator",
    )
    trim_both = foreign(
        "SELECT trim(BOTH 'a' FROM 'b')",
        tree(exp.Trim, "TRIM", "position"),
        "`trim(BOTH … FROM …)`",
    )
    order_in_call = foreign(
        "SELECT max(x ORDER BY x) FROM probe",
        tree(
            exp.Order,
            "ORDER BY",
            lambda node: (
                isinstance(node.parent, (exp.Anonymous, exp.AnonymousAggFunc))
                and node.parent.name.upper() != "JSON_ARRAYAGG"
            ),
            is_disorder=True,
        ),
        "`ORDER BY` inside a call",
    )
    order_in_json_arrayagg = foreign(
        "SELECT json_arrayagg(x ORDER BY x) FROM probe",
        tree(
            exp.Order,
            "JSON_ARRAYAGG & ORDER BY",
            lambda node: (
                isinstance(node.parent, exp.Anonymous)
                and node.parent.name.upper() == "JSON_ARRAYAGG"
            ),
            is_disorder=True,
        ),
        "`ORDER BY` inside `json_arrayagg`",
    )
    order_in_group_concat = foreign(
        "SELECT group_concat('a' ORDER BY x) FROM probe",
        tree(
            exp.Order,
            "GROUP_CONCAT & ORDER BY",
            lambda node: isinstance(
                node.find_ancestor(exp.GroupConcat, exp.Query, exp.Window), exp.GroupConcat
            ),
        ),
        "`ORDER BY` inside `group_concat`",
    )
    date_add_without_interval = foreign(
        "SELECT date_add(CURRENT_DATE, 1)",
        tree(exp.Anonymous, "DATE_ADD", _lacks_interval, is_call=True),
        "`DATE_ADD` without `INTERVAL`",
    )
    date_sub_without_interval = foreign(
        "SELECT date_sub('day', CURRENT_DATE, CURRENT_DATE)",
        tree(exp.Anonymous, "DATE_SUB", _lacks_interval, is_call=True),
        "`DATE_SUB` without `INTERVAL`",
    )
    json_value_returning = foreign(
        "SELECT json_value('{}', '$.a' RETURNING char)",
        tree(exp.JSONValue, "JSON_VALUE & RETURNING", "returning"),
        "`json_value(… RETURNING …)`",
    )
    json_value_on_empty = foreign(
        "SELECT json_value('{}', '$.a' NULL ON EMPTY)",
        tree(exp.JSONValue, "JSON_VALUE & ON", "on_condition"),
        "`json_value(… ON EMPTY)`",
    )
    json_object_null_on_null = foreign(
        "SELECT json_object('a', 1 NULL ON NULL)",
        tree(exp.JSONObject, "JSON_OBJECT & NULL", "null_handling"),
        "`json_object(… NULL ON NULL)`",
    )
    json_object_star = foreign(
        "SELECT json_object(*) FROM probe",
        tree(
            exp.JSONObject,
            "JSON_OBJECT & *",
            lambda node: any(isinstance(item, exp.Star) for item in node.expressions),
        ),
        "`json_object(*)`",
    )
    separator_expression = foreign(
        "SELECT group_concat('a' SEPARATOR upper('b')) FROM probe",
        tree(exp.GroupConcat, "SEPARATOR", _separates_by_value),
        "a `SEPARATOR` that is not a string literal",
    )
    group_concat_star = foreign(
        "SELECT group_concat(*) FROM probe",
        tree(exp.GroupConcat, "GROUP_CONCAT & *", of(exp.Star)),
        "`group_concat(*)`",
    )
    limit_in_call = foreign(
        "SELECT group_concat(x ORDER BY x LIMIT 1) FROM probe",
        tree(
            exp.Limit,
            "LIMIT",
            lambda node: (
                isinstance(node.args.get("this"), exp.Order)
                or isinstance(node.parent, (exp.Anonymous, exp.AnonymousAggFunc))
            ),
            is_disorder=True,
        ),
        "`LIMIT` inside a call",
    )
    call_on_string = Form(
        "SELECT 'a'.upper()",
        "A string literal cannot be followed by `.function()`. Pass it as an argument.",
        Tokens("STRING (?=DOT name open)", rare="STRING DOT"),
    )
    filter_without_where = Form(
        "SELECT count(*) FILTER (x > 1) FROM probe",
        "`FILTER` requires `WHERE`: `FILTER (WHERE …)`.",
        Tokens("close FILTER open (?!WHERE)", rare="FILTER"),
    )
    extract_of_string = Form(
        "SELECT extract('year' FROM CURRENT_TIMESTAMP)",
        "`EXTRACT` requires its unit without quotes.",
        Tokens("VAR open (?=STRING FROM)", words=("EXTRACT",), text=reads("extract")),
    )
    json_object_with_colon = Form(
        "SELECT json_object('a': 1)",
        "`JSON_OBJECT` requires commas between keys and values.",
        Tokens(
            "VAR open (?=[STRING VAR] COLON)",
            words=("JSON_OBJECT", "JSON_OBJECTAGG"),
            text=reads("json_object"),
        ),
    )
    json_object_with_value = Form(
        "SELECT json_object('a' VALUE 1)",
        "`JSON_OBJECT` requires commas between keys and values.",
        Tokens(
            "VAR open (?=VAR? STRING VAR)",
            words=("JSON_OBJECT", "JSON_OBJECTAGG"),
            text=reads(r"json_object(?:agg)?\s*\(\s*(?:key\s+)?'[^']*'\s*value\b"),
        ),
    )
    substring_from = Form(
        "SELECT substring('abc' FROM 2 FOR 1)",
        "`SUBSTRING … FROM … FOR` is not supported. Separate the arguments with commas.",
        Tokens("VAR (?=open in_bracket+ FROM)", words=("SUBSTRING",), text=reads(r"substring\b")),
    )
    position_with_comma = Form(
        "SELECT position('a', 'b')",
        "`POSITION` requires `IN` between its arguments.",
        Tokens("VAR (?=open in_bracket+ COMMA)", words=("POSITION",), text=reads(r"position\b")),
    )
    extract_with_comma = Form(
        "SELECT extract(YEAR, CURRENT_TIMESTAMP)",
        "`EXTRACT` requires `FROM` between its arguments.",
        Tokens("VAR (?=open in_bracket+ COMMA)", words=("EXTRACT",), text=reads(r"extract\b")),
    )
    trim_with_comma = Form(
        "SELECT trim('a', 'b')",
        "`TRIM` requires `FROM` between its arguments.",
        Tokens("VAR (?=open in_bracket+ COMMA)", words=("TRIM",), text=reads(r"trim\b")),
    )
    within_group_of_other = Form(
        "SELECT string_agg('a', ',') WITHIN GROUP (ORDER BY x) FROM probe",
        "`WITHIN GROUP` is not supported for this function.",
        Tokens(
            "VAR (?=open (?:no_bracket|open no_bracket* close)+ close VAR{2} open ORDER_BY)",
            words=("WITHIN",),
            text=reads(r"(?:string_agg|listagg|group_concat)\b"),
            is_call=True,
        ),
    )
    distinct_with_space = Form(
        "SELECT count (DISTINCT x) FROM probe",
        "A call with `DISTINCT` does not allow a space before its parenthesis.",
    )
    call_without_arguments = Form("SELECT count() FROM probe", "The call requires an argument.")
    distinct_star = Form(
        "SELECT count(DISTINCT *) FROM probe", "`DISTINCT *` is not allowed in a call."
    )
    several_distinct_arguments = Form(
        "SELECT count(DISTINCT x, x) FROM probe", "`DISTINCT` allows only one argument."
    )
    order_without_argument = Form(
        "SELECT max(ORDER BY x) FROM probe",
        "`ORDER BY` inside a call requires an argument before it.",
    )
    position_in_order_of_call = Form(
        "SELECT max(x ORDER BY 1) FROM probe",
        "`ORDER BY` inside a call cannot use a constant.",
    )
    row_in_call = Form(
        "SELECT count(DISTINCT (x, x)) FROM probe", "A row value cannot be an argument."
    )
    order_of_distinct_arguments = Form(
        "SELECT group_concat(DISTINCT x ORDER BY y) FROM (SELECT x, x AS y FROM probe) AS t",
        "`ORDER BY` inside a call with `DISTINCT` cannot use a column that is not an argument.",
    )
    order_by_part_of_distinct_arguments = Form(
        "SELECT group_concat(DISTINCT x ORDER BY -x) FROM probe",
        "`ORDER BY` inside a call with `DISTINCT` cannot use an expression of an argument.",
    )
    qualified_star_in_call = Form(
        "SELECT count(probe.*) FROM probe", "A call does not allow `table.*`."
    )
    table_call_as_value = Form(
        "SELECT pragma_table_info('probe') FROM probe", "The function returns a table, not a value."
    )
    call_on_relation = Form("SELECT probe.upper('a') FROM probe", "A table cannot qualify a call.")
    namespace_of_call = Form("SELECT main.upper('a')", "A schema cannot qualify a call.")

    of_grammar = family(
        "call",
        "The engine has no function `{call}`.",
        {
            "all": "SELECT 1 FROM probe WHERE 1 <> ALL (ARRAY[1])",
            "some": "SELECT 1 FROM probe WHERE 1 = SOME (ARRAY[1])",
            "array": "SELECT array(SELECT x FROM probe)",
            "binary": "SELECT binary('a')",
            "cast": "SELECT CAST(1 AS integer)",
            "convert": "SELECT convert('a' USING utf8)",
            "columns": "SELECT columns(*) FROM probe",
            "date": "SELECT date(CURRENT_TIMESTAMP)",
            "extract": "SELECT extract(YEAR FROM CURRENT_TIMESTAMP)",
            "grouping": "SELECT grouping(x) FROM probe GROUP BY x",
            "if": "SELECT if(1 = 1, 1, 2)",
            "likelihood": "SELECT likelihood(1, 0.5)",
            "match": "SELECT match(x) AGAINST ('a') FROM probe",
            "mode": "SELECT mode() WITHIN GROUP (ORDER BY x) FROM probe",
            "normalize": "SELECT normalize('a')",
            "overlay": "SELECT overlay('abc' PLACING 'x' FROM 1)",
            "percentile_cont": "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM probe",
            "percentile_disc": "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM probe",
            "position": "SELECT position('a' IN 'b')",
            "row": "SELECT row(1, 2)",
            "substring": "SELECT substring('abc', 1, 2)",
            "time": "SELECT time(CURRENT_TIMESTAMP)",
            "xmltable": "SELECT 1 FROM xmltable('/a' PASSING xml('<a/>')"
            " COLUMNS b int PATH 'b') AS t",
            "trim": "SELECT trim('a')",
        },
    )
    """Calls that the grammar of some engines defines, so that no list of functions has them."""
    distinct = family(
        "distinct",
        "The function does not support `DISTINCT`.",
        {
            name: f"SELECT {name}(DISTINCT x) FROM probe"  # noqa: S608 - names from here
            for name in "bit_and bit_or bit_xor coalesce std stddev stddev_pop stddev_samp upper"
            " var_pop var_samp variance".split()
        },
    )
    """Calls with DISTINCT before their arguments; `upper` represents all scalar functions."""
    ignoring_nulls_within = family(
        "nulls_within",
        "`{call}` does not support `IGNORE NULLS` within its parentheses.",
        {
            **{
                name: f"SELECT {name}(x IGNORE NULLS) FROM probe"  # noqa: S608 - as above
                for name in "any_value array_agg collect_list first last max".split()
            },
            **{
                name: f"SELECT {name}(x IGNORE NULLS) OVER (ORDER BY x) FROM probe"  # noqa: S608
                for name in "first_value lag last_value lead".split()
            },
            "over": "SELECT any_value(x IGNORE NULLS) OVER (ORDER BY x) FROM probe",
        },
    )
    """`max` represents those without an entry; `over`, the first ones with OVER."""
    ignoring_nulls_behind = family(
        "nulls_behind",
        "`{call}` does not support `IGNORE NULLS`.",
        {
            name: f"SELECT {name}(x) IGNORE NULLS FROM probe"  # noqa: S608 - as above
            for name in "avg count max min sum".split()
        },
    )
    with_unit = family(
        "unit",
        "`{call}` does not support a unit of time without quotes.",
        {
            "timestampdiff": "SELECT timestampdiff(YEAR, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
            "timestampadd": "SELECT timestampadd(YEAR, 1, CURRENT_TIMESTAMP)",
            "datepart": "SELECT datepart(year, CURRENT_TIMESTAMP)",
            "date_part": "SELECT date_part(year, CURRENT_TIMESTAMP)",
            "date_trunc": "SELECT date_trunc(year, CURRENT_TIMESTAMP)",
            "date_diff": "SELECT date_diff(year, CURRENT_DATE, CURRENT_DATE)",
            "datediff": "SELECT datediff(year, CURRENT_DATE, CURRENT_DATE)",
            "date_add": "SELECT date_add(CURRENT_DATE, year)",
            "dateadd": "SELECT dateadd(year, 1, CURRENT_DATE)",
            "timediff": "SELECT timediff(YEAR, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
            "date_sub": "SELECT date_sub(year, CURRENT_DATE, CURRENT_DATE)",
            "last_day": "SELECT last_day(CURRENT_DATE, year)",
        },
    )
    """Calls that may have a unit of time as a bare word."""
