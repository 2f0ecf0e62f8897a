"""How functions and operators turn bounds of their operands into one of their result.

A function that is not listed counts as one that compares each byte of its operands with every
other, and as one whose result may be any number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.dialects.registry import dialect_of
from sqlobs.execution.cost import arithmetic
from sqlobs.execution.cost.bound import (
    UNLIMITED,
    Bound,
    either,
    product,
)
from sqlobs.execution.cost.operation import PER_BYTE, Operation, numbers_in, word_of

if TYPE_CHECKING:
    from collections.abc import Callable

_PER_JSON_BYTE: Final = 64
_MOST_YEARS: Final = 10_000


def applied(operation: Operation) -> Bound:
    """Return the bound of an operation's result."""
    node, word = operation.node, word_of(operation.node)
    rule = _RULES.get(word)
    if rule is not None:
        return rule(operation)
    if isinstance(node, exp.AggFunc):
        return _gathered(operation)
    if isinstance(node, exp.Predicate | exp.Connector | exp.Not):
        return Bound(1, 1, 1, operation.all.work + operation.all.size)
    if isinstance(node, exp.Binary):
        return _compared(operation)
    return _unknown(operation) if isinstance(node, exp.Func) else operation.all


def _same(op: Operation) -> Bound:
    """The first operand itself, with words about it: `(x)`, `sum(x) OVER (…)`."""
    return replace(op.operand(0), work=op.all.work)


def _kept(op: Operation) -> Bound:
    """The first operand, otherwise written: `upper(x)`, `round(x, 2)`."""
    first = op.operand(0)
    return op.result(first.size, high=first.high, low=first.low)


def _chosen(op: Operation) -> Bound:
    return either(op.operands)


def _number(op: Operation) -> Bound:
    return op.result(16)


def _length(op: Operation) -> Bound:
    return op.result(8, high=8 * op.operand(0).size, low=1)


def _small(most: float) -> Callable[[Operation], Bound]:
    return lambda op: op.result(8, high=most)


def _row_count(op: Operation) -> Bound:
    return op.result(8, high=op.rows(), low=1)


def _sum(op: Operation) -> Bound:
    return op.result(16, high=product(op.all.high, op.rows()), low=op.all.low)


def _linear(op: Operation) -> Bound:
    return op.result(op.all.size)


def _escaped(op: Operation) -> Bound:
    """Bytes that may be written with several characters each: `to_hex(x)`, `quote_literal(x)`."""
    return op.result(4 * op.all.size)


def _json(op: Operation) -> Bound:
    return op.result(2 * op.all.size, _PER_JSON_BYTE * op.all.size)


def _unknown(op: Operation) -> Bound:
    return op.result(4 * op.all.size + 32, op.all.size**2 / PER_BYTE)


def _gathered(op: Operation) -> Bound:
    """Rows in one value: engines can be interrupted between rows."""
    size = product(op.all.size, op.rows())
    return Bound(size, UNLIMITED, 0, op.all.work + size / 4)


def _located(op: Operation) -> Bound:
    """Every place of one operand compared with all of another: `strpos(x, y)`."""
    return op.result(8, op.pairs, high=op.all.size, low=1)


def _searched(op: Operation) -> Bound:
    return op.result(op.operand(0).size, op.pairs)


def _parted(op: Operation) -> Bound:
    """A part of the first operand; that of `0.99999` may be the number 99999."""
    first, node = op.operand(0), op.node.args.get("this")
    high = first.high if isinstance(node, exp.Column) or _is_text(node) else UNLIMITED
    return op.result(first.size, op.pairs, high=high, low=first.low)


def _is_text(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def _collected(op: Operation) -> Bound:
    return op.result(op.all.size, high=op.all.high, low=op.all.low)


def _extracted(op: Operation) -> Bound:
    """`extract(year FROM x)` is small, `extract(epoch FROM x)` is not."""
    part = op.node.args.get("this")
    is_small = part is not None and part.name.lower() in _SMALL_PARTS
    return op.result(8, high=_MOST_YEARS if is_small else UNLIMITED)


_SMALL_PARTS: Final = frozenset(
    "year years month months day days hour hours minute minutes second seconds week weeks quarter"
    " dow doy isodow isoyear dayofweek dayofyear century decade year_month weekday".split()
)


def _days_between(op: Operation) -> Bound:
    is_days = op.node.args.get("unit") is None
    return op.result(8, high=366 * _MOST_YEARS if is_days else UNLIMITED)


def _matched(op: Operation) -> Bound:
    """A regular expression; MySQL and MariaDB convert the text again at each match."""
    again = (
        op.operand(0).size ** 2 / _PER_JSON_BYTE
        if dialect_of(op.dialect).execution.computes_when_preparing
        else 0.0
    )
    return op.result(op.operand(0).size, max(4 * op.pairs, again))


def _compared(op: Operation) -> Bound:
    """Elements of one operand compared with those of another: `a && b`."""
    return op.result(op.all.size, op.pairs / _PER_JSON_BYTE)


def _replaced(op: Operation) -> Bound:
    """A part of a text exchanged wherever it stands: `replace(x, 'a', 'bb')` doubles."""
    text, part, other = op.operand(0), op.node.args.get("expression"), op.operand(2)
    is_known = isinstance(part, exp.Literal) and part.name
    growth = other.size / (len(part.name) if part is not None and is_known else 1)
    return op.result(product(text.size, max(growth, 1)), op.pairs)


def _rewritten(op: Operation) -> Bound:
    """A regular expression's matches exchanged, empty ones between all characters too."""
    text, other = op.operand(0), op.operand(2)
    return op.result(product(text.size + 1, other.size + 1), _matched(op).work)


def _repeated(op: Operation) -> Bound:
    return op.result(product(op.operand(0).size, op.operand(1).high))


def _padded(op: Operation) -> Bound:
    return op.result(op.operand(1).high)


def _spaces(op: Operation) -> Bound:
    return op.result(op.operand(0).high)


def _filled(op: Operation) -> Bound:
    """`array_fill(x, ARRAY[10, 20])` holds 200 elements."""
    lengths = op.node.expressions[1] if len(op.node.expressions) > 1 else None
    if isinstance(lengths, exp.Array) and all(e.is_number for e in lengths.expressions):
        factors = [float(each.name) for each in lengths.expressions]
    elif lengths is not None and lengths.is_string:
        factors = numbers_in(lengths.name)
    else:
        factors = [op.operand(1).high] * 6
    return op.result(product(max(op.operand(0).size, 8), *factors))


def _resized(op: Operation) -> Bound:
    added = product(op.operand(2).size + 8, op.operand(1).high)
    return op.result(op.operand(0).size + added)


def _cornered(op: Operation) -> Bound:
    """`polygon(1000, c)` has a thousand corners."""
    size = op.operand(0).size + 16 * op.operand(0).high * (len(op.operands) > 1)
    return op.result(size, size**2 / PER_BYTE)


def _printed(op: Operation) -> Bound:
    """`format('%10s', x)`: widths stand in the format, or as `*` among the arguments."""
    pattern = op.node.this if isinstance(op.node, exp.Format) else op.node.expressions[0]
    values = op.operands[1:]
    largest = max((value.size for value in values), default=0.0)
    if isinstance(pattern, exp.Column) and op.operand(0).size <= _SHORT:
        widths = 0.0
    elif isinstance(pattern, exp.Literal):
        widths = sum(numbers_in(pattern.name))
        widths += ("*" in pattern.name) * sum(value.high for value in values)
    else:
        widths = UNLIMITED
    return op.result(product(op.operand(0).size, largest + 8) + widths)


_SHORT: Final = 1_000


def _separated(op: Operation) -> Bound:
    """`array_to_string(x, ', ')`: a separator for each element."""
    return op.result(product(op.all.size, 1 + op.operand(1).size))


def _concatenated(op: Operation) -> Bound:
    """`concat_ws(', ', a, b)`."""
    return op.result(op.all.size + op.operand(0).size * len(op.operands))


def _exported(op: Operation) -> Bound:
    return op.result(64 * op.all.size)


def _inflated(op: Operation) -> Bound:
    return op.result(1_032 * op.all.size)


def _formatted(op: Operation) -> Bound:
    return op.result(16 + 8 * op.all.size)


def _series(op: Operation) -> Bound:
    """The numbers of a series: a list of them in DuckDB, one at a time elsewhere."""
    is_list = dialect_of(op.dialect).execution.series_are_lists and not isinstance(
        op.node.parent, exp.Table
    )
    size = 8 * op.all.high if is_list else 16
    return op.result(size, high=op.all.high, low=1)


def _cast(op: Operation) -> Bound:
    """`x::char(100)` is as long as that; `x::int` short, `x::json` read as JSON."""
    kind, value = op.node.args.get("to"), op.operand(0)
    size, work = value.size, 0.0
    if isinstance(kind, exp.DataType):
        lengths = [float(each.name) for each in kind.find_all(exp.Literal) if each.is_number]
        if kind.this in _PADDED:
            size = max([size, *lengths])
        elif kind.this in exp.DataType.NUMERIC_TYPES and kind.this not in _LONG:
            size = min(size, 32)
        elif kind.this in _DOCUMENTS:
            work = _PER_JSON_BYTE * size
    if isinstance(kind, exp.DataType) and kind.this in exp.DataType.TEMPORAL_TYPES:
        return op.result(size, high=max(value.high, 366 * _MOST_YEARS), low=1)
    is_unsigned = (
        isinstance(kind, exp.DataType) and kind.this in exp.DataType.UNSIGNED_INTEGER_TYPES
    )
    wraps = is_unsigned and any(op.node.find_all(exp.Neg, exp.Sub))
    return op.result(size, work, high=UNLIMITED if wraps else value.high, low=value.low)


_PADDED: Final = {
    *(exp.DataType.Type.CHAR, exp.DataType.Type.NCHAR, exp.DataType.Type.BIT),
    *(exp.DataType.Type.BINARY, exp.DataType.Type.BPCHAR),
}
_LONG: Final = {exp.DataType.Type.DECIMAL, exp.DataType.Type.BIGDECIMAL}
_DOCUMENTS: Final = {exp.DataType.Type.JSON, exp.DataType.Type.JSONB, exp.DataType.Type.XML}

_BY_RULE: Final[dict[Callable[[Operation], Bound], str]] = {
    _kept: "abs avg ceil floor round trunc max min anyvalue first firstvalue last lastvalue lag"
    " lead nthvalue mode median percentilecont percentiledisc upper lower initcap"
    " any_value collate arrayslice neg argmax argmin quantile",
    _same: "any all window filter withingroup ignorenulls respectnulls order ordered alias paren"
    " subquery",
    _parted: "left right substring mid trim splitpart substringindex",
    _chosen: "coalesce greatest least nullif case if nvl2 elt try",
    _number: "acos acosh asin asinh atan atan2 atanh cbrt cos cosh cot crc32 degrees exp gcd hash"
    " hashtext ln log pi radians rand sin sinh sqrt stddev stddevpop stddevsamp tan tanh variance"
    " variancepop corr covarpop covarsamp timestampdiff timetounix tonumber currentdate"
    " currenttimestamp currenttime dateadd datesub timestampadd date timestamptrunc datetrunc"
    " strtodate unixtotime interval lastday makeinterval timefromparts datefromparts"
    " timestampfromparts time timestamp addmonths age tsordstodate tsordstotimestamp"
    " tsordstotime tsordstodatetime md5 sha sha2 sha2digest uuid typeof hashtextextended"
    " julianday unixepoch attimezone",
    _length: "length bitlength octet_length lengthb arraysize cardinality array_upper array_ndims"
    " json_array_length jsonb_array_length json_length strlen list_length",
    _row_count: "count countif rownumber rank denserank ntile approxdistinct regrcount",
    _sum: "sum total",
    _linear: "concat dpipe arrayconcat arrayappend arrayprepend overlay insert make_set reverse"
    " arrayremove array_positions arrayreverse arraydistinct arrayposition startswith endswith"
    " compress bitwisenot",
    _collected: "array tuple struct unnest explode row bracket",
    _escaped: "hex tohex to_hex unhex encode decode tobase64 frombase64 quote_literal quote_ident"
    " quote_nullable json_quote quote convert_to convert_from",
    _json: "json_build_object jsonb_build_object json_build_array jsonb_build_array jsonobject"
    " jsonarray to_json to_jsonb row_to_json json_object json_array jsonextract jsonbextract"
    " jsonextractscalar jsonbextractscalar jsonvalue json_query json_each jsonb_each json_each_text"
    " jsonb_each_text json_array_elements jsonb_array_elements json_array_elements_text"
    " jsonb_array_elements_text jsonset jsonremove jsontype jsonkeys jsonb_set parsejson json"
    " jsonb array_to_json json_tree jsontable json_table json_unquote json_valid json_typeof"
    " jsonb_typeof jsonb_pretty json_extract_path json_extract_path_text jsonb_extract_path"
    " jsonb_extract_path_text json_object_keys jsonb_object_keys",
    _located: "strposition find_in_set",
    _searched: "stringtoarray split translate like ilike glob likeany string_to_table contains",
    _matched: "regexplike regexpilike regexpsubstr regexpinstr regexpcount regexpextract"
    " regexpextractall regexp_match regexp_matches regexpsplit regexp_split_to_array"
    " regexp_split_to_table similarto regexpfullmatch regexp",
    _compared: "arraycontainsall arrayoverlaps arraycontains arraycontainedby jsonbcontains",
    _replaced: "replace",
    _rewritten: "regexpreplace",
    _repeated: "repeat",
    _padded: "pad",
    _spaces: "space",
    _filled: "array_fill",
    _resized: "list_resize array_resize",
    _cornered: "polygon",
    _printed: "format printf sformat",
    _separated: "arraytostring array_to_string",
    _concatenated: "concatws",
    _exported: "export_set",
    _inflated: "uncompress",
    _formatted: "timetostr tochar numbertostr to_char strftime dayname monthname",
    _series: "generateseries explodinggenerateseries range generate_series",
    arithmetic.added: "add",
    arithmetic.subtracted: "sub",
    arithmetic.multiplied: "mul",
    arithmetic.divided: "div intdiv",
    arithmetic.remaining: "mod",
    arithmetic.shifted: "bitwiseleftshift",
    arithmetic.raised: "pow",
    _cast: "cast trycast",
    _extracted: "extract",
    _days_between: "datediff",
    _small(_MOST_YEARS): "year",
    _small(1_200_000): "ascii unicode",
    _small(366): "month day hour minute second dayofmonth dayofweek dayofyear week weekofyear"
    " quarter dayofweekiso weekday",
    _small(1): "sign cumedist percentrank grouping exists logicaland logicalor isnull",
}
_RULES: Final = {word: rule for rule, words in _BY_RULE.items() for word in words.split()}
