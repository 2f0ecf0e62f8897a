"""Texts of a given length that hold as much of one flaw, or of one construct, as fits."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FORMS: Final[dict[str, tuple[str, str, str, str]]] = {
    "unknown columns": ("SELECT ", "col{n}", ", ", " FROM customers"),
    "columns misspelled": ("SELECT ", "nme{n}", ", ", " FROM customers"),
    "one unknown column": ("SELECT ", "nmae", ", ", " FROM customers"),
    "unknown columns of aliases": ("SELECT ", "c.nam{n}", ", ", " FROM customers c"),
    "unknown qualifiers": ("SELECT ", "q{n}.name", ", ", " FROM customers"),
    "long unknown columns": ("SELECT ", "{n}" + "customer_" * 40, ", ", " FROM customers"),
    "unknown functions": ("SELECT ", "fn{n}(1)", ", ", " FROM customers"),
    "one unknown function": ("SELECT ", "coutn(1)", ", ", " FROM customers"),
    "long unknown functions": ("SELECT ", "fn{n}" + "string_agg" * 40 + "(1)", ", ", ""),
    "unknown tables": ("SELECT 1 FROM ", "ghost{n}", ", ", ""),
    "misspelled tables": ("SELECT 1 FROM ", "custmers{n} c{n}", ", ", ""),
    "unknown tables in brackets": ("SELECT ", "(SELECT 1 FROM g{n})", ", ", ""),
    "unknown tables in joins": (
        "SELECT 1 FROM customers c",
        "JOIN ghost{n} g{n} ON g{n}.a = c.id",
        " ",
        "",
    ),
    "columns of unknown tables": ("SELECT ", "g.a{n}", ", ", " FROM ghost g"),
    "one table": ("SELECT 1 FROM ", "customers", ", ", ""),
    "one alias": ("SELECT 1 FROM ", "customers c", ", ", ""),
    "aliases": ("SELECT 1 FROM ", "customers c{n}", ", ", ""),
    "columns of many aliases": ("SELECT c1.id FROM ", "customers c{n}", ", ", " WHERE c1.x = name"),
    "ambiguous names": ("SELECT ", "id", ", ", " FROM customers, orders"),
    "ambiguous names of many": (
        "SELECT id, id, id FROM ",
        "customers c{n}",
        ", ",
        " WHERE id = name AND id = id",
    ),
    "ordered outputs": ("SELECT id, name, id AS name FROM customers ORDER BY ", "name", ", ", ""),
    "ordered stars": ("SELECT *, c.* FROM customers c, orders ORDER BY ", "id", ", ", ""),
    "outputs of one name": ("SELECT ", "name AS id", ", ", " FROM customers ORDER BY id, id"),
    "one item": ("SELECT ", "id", ", ", " FROM customers"),
    "items of one alias": ("SELECT ", "id AS a", ", ", " FROM customers ORDER BY a"),
    "ASOF joins": (
        "SELECT 1 FROM customers c",
        "ASOF JOIN orders o{n} ON c.id = o{n}.customer_id AND c.id >= o{n}.id",
        " ",
        "",
    ),
    "quoted names in order": ("SELECT 1 FROM customers ORDER BY ", "`a {n}`", ", ", ""),
    "adjacent values": ("SELECT ", "1", " ", ""),
    "adjacent strings": ("SELECT ", "'a'", " ", ""),
    "adjacent names": ("SELECT ", "a{n}", " ", " FROM customers"),
    "adjacent values in commas": ("SELECT ", "1 2", ", ", ""),
    "statements": ("", "SELECT 1", "; ", ""),
    "bad statements": ("", "SELECT a FROM g{n}", "; ", ""),
    "semicolons": ("SELECT 1", ";", "", ""),
    "unknown types": ("SELECT ", "CAST(1 AS typ{n})", ", ", ""),
    "unknown types by colons": ("SELECT ", "1::typ{n}", ", ", ""),
    "refused casts": ("SELECT ", "CAST('abc' AS int)", ", ", ""),
    "WHEN chain": ("SELECT CASE ", "WHEN a{n} THEN b{n}", " ", " END FROM customers"),
    "WHEN chain of known": ("SELECT CASE ", "WHEN id = {n} THEN 1", " ", " END FROM customers"),
    "WHEN chain of kinds": ("SELECT CASE ", "WHEN 1 = 1 THEN 'a{n}'", " ", " ELSE 1 END"),
    "CASE list": ("SELECT ", "CASE WHEN 1 THEN id END", ", ", " FROM customers"),
    "AND chain": ("SELECT 1 FROM customers WHERE ", "a{n} = 1", " AND ", ""),
    "OR chain": ("SELECT 1 FROM customers WHERE ", "name = {n}", " OR ", ""),
    "AND chain of known": ("SELECT 1 FROM customers WHERE ", "id = 1", " AND ", ""),
    "tautologies": ("SELECT 1 FROM customers WHERE ", "1 = 1", " OR ", ""),
    "null comparisons": ("SELECT 1 FROM customers WHERE ", "id = NULL", " AND ", ""),
    "leading wildcards": ("SELECT 1 FROM customers WHERE ", "name LIKE '%a'", " AND ", ""),
    "wrapped columns": ("SELECT 1 FROM customers WHERE ", "lower(name) = 'a'", " AND ", ""),
    "plus chain": ("SELECT ", "name", " + ", " FROM customers"),
    "concat chain": ("SELECT ", "id", " || ", " FROM customers"),
    "comparison chain": ("SELECT ", "id", " = ", " FROM customers"),
    "integer divisions": ("SELECT ", "id / id", ", ", " FROM customers"),
    "UNION chain": ("", "SELECT 1", " UNION ", ""),
    "UNION chain of widths": ("", "SELECT 1, 2 UNION SELECT 1", " UNION ", ""),
    "UNION chain of unknown": ("", "SELECT a{n} FROM customers", " UNION ALL ", ""),
    "UNION chain of tables": ("", "SELECT id FROM customers", " UNION ALL ", ""),
    "IN list": ("SELECT 1 FROM customers WHERE id IN (", "{n}", ", ", ")"),
    "IN list of strings": ("SELECT 1 FROM customers WHERE id IN (", "'a'", ", ", ")"),
    "IN list of columns": ("SELECT 1 FROM customers WHERE id IN (", "a{n}", ", ", ")"),
    "IN subqueries": (
        "SELECT 1 FROM customers WHERE ",
        "id IN (SELECT b FROM orders)",
        " AND ",
        "",
    ),
    "NOT IN subqueries": (
        "SELECT 1 FROM customers WHERE ",
        "id NOT IN (SELECT customer_id FROM orders)",
        " AND ",
        "",
    ),
    "EXISTS correlated": (
        "SELECT 1 FROM customers c WHERE ",
        "EXISTS (SELECT 1 FROM orders WHERE customer_id = c.idd)",
        " AND ",
        "",
    ),
    "scalar subqueries": (
        "SELECT ",
        "(SELECT max(id) FROM orders o WHERE o.customer_id = c.id)",
        ", ",
        " FROM customers c",
    ),
    "GROUP BY": ("SELECT name, count(*) FROM customers GROUP BY ", "id + {n}", ", ", ""),
    "GROUP BY positions": ("SELECT name, count(*) FROM customers GROUP BY ", "{n}", ", ", ""),
    "GROUP BY unknown": ("SELECT name, count(*) FROM customers GROUP BY ", "g{n}", ", ", ""),
    "ungrouped columns": ("SELECT ", "name, city", ", ", ", count(*) FROM customers GROUP BY born"),
    "ungrouped expressions": (
        "SELECT ",
        "id + {n}",
        ", ",
        ", count(*) FROM customers GROUP BY name",
    ),
    "ORDER BY": ("SELECT name FROM customers ORDER BY ", "name", ", ", ""),
    "ORDER BY positions": ("SELECT name FROM customers ORDER BY ", "{n}", ", ", ""),
    "ORDER BY unknown": ("SELECT name FROM customers ORDER BY ", "o{n}", ", ", ""),
    "HAVING chain": (
        "SELECT name FROM customers GROUP BY name HAVING ",
        "city = 'x'",
        " AND ",
        "",
    ),
    "aggregates in WHERE": ("SELECT 1 FROM customers WHERE ", "count(id) > 1", " AND ", ""),
    "nested aggregates": ("SELECT ", "max(min(id))", ", ", " FROM customers"),
    "windows": ("SELECT ", "row_number() OVER (ORDER BY nme)", ", ", " FROM customers"),
    "named windows": ("SELECT 1 FROM customers WINDOW ", "w{n} AS (ORDER BY id)", ", ", ""),
    "words behind AS": ("SELECT 1", " AS x", "", ""),
    "CTEs": ("WITH ", "c{n} AS (SELECT 1 AS x)", ", ", " SELECT 1"),
    "CTEs read": ("WITH ", "c{n} AS (SELECT id FROM customers)", ", ", " SELECT x FROM c1, c2"),
    "one CTE again": ("WITH ", "c AS (SELECT 1 AS x)", ", ", " SELECT x FROM c"),
    "bad CTEs": ("WITH ", "c{n} AS (SELECT a FROM customers)", ", ", " SELECT 1"),
    "misspelled CTEs": ("WITH c AS (SELECT 1 AS x) SELECT 1 FROM ", "cc{n}", ", ", ""),
    "derived tables": ("SELECT 1 FROM ", "(SELECT 1 AS x) d{n}", ", ", ""),
    "derived tables, no name": ("SELECT 1 FROM ", "(SELECT 1 AS x)", ", ", ""),
    "stars": ("SELECT ", "*", ", ", " FROM customers, orders, items"),
    "stars of tables": ("SELECT ", "c.*", ", ", " FROM customers c"),
    "stars of unknown": ("SELECT ", "g{n}.*", ", ", " FROM customers c"),
    "wide star": ("SELECT * FROM (SELECT * FROM ", "orders o{n}", ", ", ") d WHERE d.a = d.b"),
    "CTE of aliases": ("WITH w AS (SELECT ", "1 AS a{n}", ", ", ") SELECT a, b, c, d FROM w"),
    "derived aliases": ("SELECT b1, b2, b3, b4 FROM (SELECT ", "1 AS a{n}", ", ", ") d"),
    "aliases of values": ("SELECT ", "1 AS a{n}", ", ", ""),
    "one alias of values": ("SELECT ", "1 AS a", ", ", " ORDER BY a"),
    "aliases in ORDER BY": ("SELECT id AS a FROM customers ORDER BY ", "a + id", ", ", ""),
    "natural joins": ("SELECT id FROM customers", "NATURAL JOIN customers c{n}", " ", ""),
    "USING joins": ("SELECT id FROM customers", "JOIN orders o{n} USING (id)", " ", ""),
    "USING unknown": ("SELECT id FROM customers", "JOIN orders o{n} USING (x{n})", " ", ""),
    "joins": ("SELECT 1 FROM customers", "JOIN orders o{n} ON o{n}.id = 1", " ", ""),
    "joins with no ON": ("SELECT 1 FROM customers", "CROSS JOIN orders o{n}", " ", ""),
    "left joins filtered": (
        "SELECT 1 FROM customers c",
        "LEFT JOIN orders o{n} ON o{n}.customer_id = c.id",
        " ",
        " WHERE o1.id = 1",
    ),
    "wrong arguments": ("SELECT ", "lower(1, 2, 3, {n})", ", ", " FROM customers"),
    "arguments": ("SELECT coalesce(", "id", ", ", ") FROM customers"),
    "arguments of kinds": ("SELECT coalesce(", "id, name", ", ", ") FROM customers"),
    "type mismatches": ("SELECT 1 FROM customers WHERE ", "id = 'abc'", " OR ", ""),
    "text with number": ("SELECT 1 FROM customers WHERE ", "name = 5", " OR ", ""),
    "wrong units": ("SELECT ", "extract(foo{n} FROM born)", ", ", " FROM customers"),
    "unknown collations": ("SELECT ", "name COLLATE c{n}", ", ", " FROM customers"),
    "BETWEENs": ("SELECT 1 FROM customers WHERE ", "id BETWEEN 1 AND 2", " AND ", ""),
    "commas": ("SELECT ", ",", "", ""),
    "dangling commas": ("SELECT ", "(1,)", ", ", ""),
    "opening brackets": ("SELECT ", "(1", ") + ", ""),
    "closing brackets": ("SELECT 1", ")", "", ""),
    "clauses again": ("SELECT 1 FROM customers ", "WHERE id = 1", " ", ""),
    "selects again": ("", "SELECT", " ", ""),
    "froms again": ("SELECT 1", "FROM customers", " ", ""),
    "order of clauses": ("SELECT 1 FROM customers ", "LIMIT 1 WHERE 1 GROUP BY 1", " ", ""),
    "reserved words": ("SELECT ", "table", ", ", " FROM customers"),
    "reserved aliases": ("SELECT ", "1 AS select", ", ", " FROM customers"),
    "keywords": ("SELECT ", "AND OR NOT IN BETWEEN LIKE IS", " ", ""),
    "quoted names": ("SELECT ", '"Nam{n}"', ", ", " FROM customers"),
    "backticks": ("SELECT ", "`nam{n}`", ", ", " FROM customers"),
    "dots": ("SELECT ", "a.b.c.d{n}", ", ", " FROM customers"),
    "schemas": ("SELECT 1 FROM ", "s{n}.customers", ", ", ""),
    "system tables": ("SELECT 1 FROM ", "information_schema.tables", ", ", ""),
    "file functions": ("SELECT ", "pg_read_file('/etc/passwd')", ", ", ""),
    "parameters": ("SELECT ", "?", ", ", ""),
    "named parameters": ("SELECT ", ":a{n}", ", ", ""),
    "dollars": ("SELECT ", "$a{n}$", " ", ""),
    "comments": ("SELECT 1 ", "/* a */", " ", ""),
    "line comments": ("SELECT 1 ", "-- a\n", "", ""),
    "comments of names": ("SELECT ", "a /* sqlglot.anonymous */", ", ", " FROM customers"),
    "open comments": ("SELECT 1 ", "/*", " ", ""),
    "open comments after a backtick": ("SELECT `a` ", "/*", " ", ""),
    "open quotes": ("SELECT `a` ", "'a", " ", ""),
    "double quotes": ("SELECT `a` ", '"a', " ", ""),
    "backslashes": ("SELECT 'a", "\\'", "", ""),
    "limits again": ("SELECT 1 ", "LIMIT 1", " ", ""),
    "offsets again": ("SELECT 1 ", "OFFSET 1", " ", ""),
    "joins of names": ("SELECT 1 FROM a JOIN ", "b", " ", ""),
    "calls open": ("SELECT ", "f(a", ") ", ""),
    "WITHIN GROUP": ("SELECT ", "f((a)) WITHIN GROUP (a)", ", ", ""),
    "many arguments of calls": ("SELECT f(", "g(a)", ", ", ")"),
    "JSON of SQL": ('{"sql": "SELECT ', "a{n}", ", ", '"'),
    "JSON keys": ("{", '"sql":', " ", ""),
    "empty lines": ("SELECT 1", "\n\nthe query", " ", ""),
    "sections": ("SELECT 1\n", "Explanation:", "\n", ""),
    "labels": ("", "SQL query:", " ", "SELECT 1"),
    "new lines": ("SELECT ", "a{n}\n", ",", " FROM customers"),
    "VALUES": ("VALUES ", "(1)", ", ", ""),
    "VALUES of widths": ("VALUES ", "(1), (1, 2)", ", ", ""),
    "INSERT": ("INSERT INTO customers (id) VALUES ", "(a{n})", ", ", ""),
    "INSERT of columns": ("INSERT INTO customers (", "x{n}", ", ", ") VALUES (1)"),
    "UPDATE": ("UPDATE customers SET ", "x{n} = 1", ", ", ""),
    "CREATE TABLE": ("CREATE TABLE t (", "x{n} int", ", ", ")"),
    "arrays": ("SELECT ", "ARRAY[1, 'a', id]", ", ", " FROM customers"),
    "subscripts": ("SELECT ", "name[1]", ", ", " FROM customers"),
    "json arrows": ("SELECT ", "name -> 'a'", ", ", " FROM customers"),
    "lambdas": ("SELECT ", "list_transform([1], x{n} -> x{n} + y)", ", ", " FROM customers"),
    "stars but": ("SELECT * EXCLUDE (", "x{n}", ", ", ") FROM customers"),
    "intervals": ("SELECT ", "INTERVAL '1 foo{n}'", ", ", ""),
    "grouping sets": (
        "SELECT 1 FROM customers GROUP BY GROUPING SETS (",
        "(id, a{n})",
        ", ",
        ")",
    ),
    "filters": ("SELECT ", "count(*) FILTER (WHERE nme)", ", ", " FROM customers"),
    "zero-width": ("SELECT ", "na\u200bme{n}", ", ", " FROM customers"),
    "confusables": ("SELECT ", "n\u0430m\u0435{n}", ", ", " FROM customers"),
    "surrogates": ("SELECT ", "\udc80{n}", ", ", " FROM customers"),
    "NULs": ("SELECT ", "a\x00b", ", ", " FROM customers"),
    "combining": ("SELECT ", "a" + "\u0301" * 50, ", ", " FROM customers"),
    "full width": ("SELECT ", "\uff4e\uff41\uff4d\uff45", "\uff0c", " FROM customers"),
    "ligatures": ("SELECT ", "\ufdfa{n}", ", ", " FROM customers"),
    "controls": ("SELECT ", "\x01\x02", ", ", ""),
    "emoji": ("SELECT ", "\U0001f4a9", ", ", ""),
    "prose": ("", "Here is the query you asked for.", " ", ""),
    "prose of selects": ("", "You can select from the table with care.", " ", ""),
    "prose lines": ("", "Select the rows.\n", "", ""),
    "fences": ("", "```sql\nSELECT 1\n```\n", "", ""),
    "open fences": ("", "```\n", "", ""),
    "backticks in prose": ("The query `", "`SELECT 1`", " and ", ""),
    "single quotes": ("SELECT ", "''", "", ""),
    "odd quotes": ("SELECT ", "'", " ", ""),
    "think tags": ("", "<think>", "", "</think> SELECT 1"),
    "with prose": ("With this ", "SELECT", " with ", ""),
    "colons": ("SELECT", ":", " ", ""),
    "at signs": ("SELECT ", "@@a{n}", ", ", ""),
    "braces": ("SELECT ", "{{a: {n}}}", ", ", ""),
    "jinja": ("SELECT ", "{{{{ a }}}}", ", ", ""),
    "recursive CTE": (
        "WITH RECURSIVE c AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM c WHERE ",
        "x < {n}",
        " AND ",
        ") SELECT x FROM c",
    ),
    "laterals": (
        "SELECT 1 FROM customers c",
        "CROSS JOIN LATERAL (SELECT c.idd) l{n}",
        " ",
        "",
    ),
    "set returning": ("SELECT 1 FROM ", "generate_series(1, 2) g{n}", ", ", ""),
    "pivot": ("SELECT 1 FROM customers PIVOT (count(id) FOR name IN (", "'a{n}'", ", ", "))"),
    "typed literals": ("SELECT ", "DATE '2012-01-x{n}'", ", ", ""),
    "hex": ("SELECT ", "x'zz{n}'", ", ", ""),
    "windows named": (
        "SELECT 1 FROM customers WINDOW w AS (ORDER BY id), ",
        "w{n} AS (w PARTITION BY id)",
        ", ",
        "",
    ),
    "windows by aliases": (
        "SELECT ",
        "rank() OVER (ORDER BY n{n}) AS n{n}",
        ", ",
        " FROM customers",
    ),
    "rows": ("SELECT 1 FROM customers WHERE (id, name) IN (", "(1, 'x')", ", ", ")"),
    "brackets of names": ("SELECT ", "[nam{n}]", ", ", " FROM customers"),
}
"""Opening, a repeated part with its number as `{n}`, what stands between two, and the end."""


def repeated(form: tuple[str, str, str, str], size: int) -> str:
    """Return a text of at most `size` bytes with as many parts as fit."""
    opening, part, between, end = form
    room = size - _length(opening) - _length(end) - 2
    return f"{opening} {between.join(_filling(_numbered(part), _length(between), room))} {end}"


def _length(text: str) -> int:
    return len(text.encode(errors="replace"))


def _numbered(part: str) -> Iterator[str]:
    return (part.format(n=number) for number in count(1))


def _filling(parts: Iterable[str], between: int, room: int) -> Iterator[str]:
    for part in parts:
        room -= _length(part) + between
        if room < 0:
            return
        yield part


def _deep(opening: str, inner: str, closing: str) -> Callable[[int], str]:
    """Return many expressions, each nested nearly as deep as is read."""
    depth = 90

    def text(size: int) -> str:
        one = opening * depth + inner + closing * depth
        number = max((size - 40) // (len(one) + 2), 1)
        return "SELECT " + ", ".join([one] * number) + " FROM customers"

    return text


def _chained_ctes(size: int) -> str:
    links, room = ["c0 AS (SELECT id FROM customers)"], size - 80
    for number in count(1):
        link = f"c{number} AS (SELECT id FROM c{number - 1})"
        room -= len(link) + 2
        if room < 0:
            return f"WITH {', '.join(links)} SELECT idd FROM c{len(links) - 1}"
        links.append(link)
    raise AssertionError


def _wide_chain(size: int) -> str:
    """A derived table with many columns, read by many stars one in the other."""
    columns = ", ".join(f"1 AS a{number}" for number in range(size // 16))
    links = [f"c0 AS (SELECT {columns})"]
    room = size - len(links[0]) - 80
    for number in count(1):
        link = f"c{number} AS (SELECT * FROM c{number - 1})"
        room -= len(link) + 2
        if room < 0:
            return f"WITH {', '.join(links)} SELECT b FROM c{len(links) - 1}"
        links.append(link)
    raise AssertionError


def _doubling(size: int) -> str:
    """Stars over stars over stars: twice as many columns with each."""
    links = ["c0 AS (SELECT * FROM customers)"]
    links += [
        f"c{n} AS (SELECT * FROM c{n - 1} a, c{n - 1} b)" for n in range(1, min(size // 50, 900))
    ]
    return f"WITH {', '.join(links)} SELECT b FROM c{len(links) - 1}"


def _held_twice(make: str) -> Callable[[int], str]:
    """Values that hold those of the CTE before twice: their types would double with each."""

    def text(size: int) -> str:
        links = ["c0 AS (SELECT id AS a FROM customers)"]
        links += [
            f"c{n} AS (SELECT {make} AS a FROM c{n - 1} x)"
            for n in range(1, size // (len(make) + 30))
        ]
        return f"WITH {', '.join(links)} SELECT a FROM c{len(links) - 1}"

    return text


def _crossed(
    part: Callable[[int], str], between: str, end: Callable[[int], str]
) -> Callable[[int], str]:
    """Half of one list, half of another that is looked up in the first."""

    def text(size: int) -> str:
        number = size // (len(part(1000)) + len(end(1000)) + 4)
        return (
            "SELECT "
            + ", ".join(map(part, range(number)))
            + between
            + ", ".join(map(end, range(number)))
        )

    return text


def _wide(read: Callable[[int], str], between: str, tail: str) -> Callable[[int], str]:
    """A CTE with many columns that is read many times in one FROM."""

    def text(size: int) -> str:
        columns = ", ".join(f"1 AS a{number}" for number in range(size // 32))
        relations = between.join(map(read, range(size // (2 * len(read(1_000) + between)))))
        return f"WITH w AS (SELECT {columns}) SELECT a1 FROM {relations}{tail}"

    return text


def _distinct_on(size: int) -> str:
    """Terms that are looked up in a SELECT list whose last item they name."""
    number = size // 16
    return (
        f"SELECT DISTINCT ON ({'id, ' * number}id) {'name, ' * number}id FROM customers"
        f" ORDER BY {'id, ' * number}id"
    )


GROWN: Final[dict[str, Callable[[int], str]]] = {
    "brackets deep": _deep("(", "a", ")"),
    "calls deep": _deep("abs(", "a", ")"),
    "unknown calls deep": _deep("fnx(", "a", ")"),
    "CASE deep": _deep("CASE WHEN 1 THEN ", "a", " END"),
    "subqueries deep": _deep("(SELECT ", "a", ")"),
    "derived deep": _deep("(SELECT a FROM ", "(SELECT 1) d", ") d"),
    "casts deep": _deep("CAST(", "a", " AS typx)"),
    "CTEs chained": _chained_ctes,
    "stars chained": _wide_chain,
    "stars doubling": _doubling,
    "columns of many tables": _crossed(lambda n: f"t{n}.a", " FROM ", lambda n: f"customers t{n}"),
    "bare columns of many tables": _crossed(
        lambda n: f"b{n}", " FROM ", lambda n: f"customers t{n}"
    ),
    "ambiguous of many tables": _crossed(lambda _: "id", " FROM ", lambda n: f"customers t{n}"),
    "distinct on many": _distinct_on,
    "structures held twice": _held_twice("{'p': a, 'q': a}"),
    "maps held twice": _held_twice("map([a], [a])"),
    "rows held twice": _held_twice("ROW(a, a)"),
    "wide CTE joined": _wide(lambda n: f"w w{n}", ", ", ""),
    "wide CTE joined naturally": _wide(lambda n: f"w w{n}", " NATURAL JOIN ", ""),
    "grouped by one aggregate": _crossed(
        lambda _: "count(*) AS x", " FROM customers GROUP BY ", lambda _: "x"
    ),
    "grouped by many": _crossed(
        lambda n: f"id + {n}", " FROM customers GROUP BY ", lambda n: f"id - {n}"
    ),
    "grouped by aliases": _crossed(
        lambda n: f"id AS a{n}", " FROM customers GROUP BY ", lambda n: f"b{n}"
    ),
    "grouped by computed": _crossed(
        lambda n: f"max(id) AS a{n}", " FROM customers GROUP BY ", lambda n: f"a{n}"
    ),
    "ordered by many": _crossed(
        lambda n: f"id AS a{n}", " FROM customers ORDER BY ", lambda n: f"b{n}"
    ),
    "ordered by aliases": _crossed(
        lambda n: f"id AS a{n}", " FROM customers ORDER BY ", lambda n: f"a{n}"
    ),
    "distinct ordered": _crossed(
        lambda n: f"DISTINCT id + {n}" if n == 0 else f"id + {n}",
        " FROM customers ORDER BY ",
        lambda n: f"id - {n}",
    ),
    "misspelled aliases": _crossed(
        lambda n: f"alia{n}.a", " FROM ", lambda n: f"customers alias{n}"
    ),
    "misspelled outputs": lambda size: (
        "SELECT "
        + ", ".join(f"totl{n}" for n in range(size // 32))
        + " FROM (SELECT "
        + ", ".join(f"1 AS total{n}" for n in range(size // 32))
        + ") d"
    ),
    "one name": lambda size: "SELECT " + "a" * (size - 30) + " FROM customers",
    "one table's name": lambda size: "SELECT 1 FROM " + "a" * (size - 30),
    "one function's name": lambda size: "SELECT " + "a" * (size - 30) + "(1)",
    "two long names": lambda size: (
        f"SELECT {'ab' * (size // 4 - 20)} FROM (SELECT 1 AS {'ba' * (size // 4 - 20)}) d"
    ),
    "long names alike": lambda size: (
        "SELECT "
        + ", ".join(f"{'ab' * (size // 80)}{n}" for n in range(10))
        + " FROM (SELECT "
        + ", ".join(f"1 AS {'ab' * (size // 80)}x{n}" for n in range(10))
        + ") d"
    ),
    "one string": lambda size: "SELECT '" + "a" * (size - 30) + "'",
    "one open string": lambda size: "SELECT '" + "a" * (size - 30),
    "one comment": lambda size: "SELECT 1 /*" + "a" * (size - 30) + "*/",
    "one open comment": lambda size: "SELECT 1 /*" + "a" * (size - 30),
    "one number": lambda size: "SELECT " + "1" * (size - 30),
    "one type's length": lambda size: "SELECT CAST(1 AS varchar(" + "1" * (size - 60) + "))",
    "one limit": lambda size: "SELECT 1 FROM customers LIMIT " + "1" * (size - 60),
    "one position": lambda size: "SELECT 1 FROM customers ORDER BY " + "1" * (size - 60),
    "spaces": lambda size: "SELECT" + " " * (size - 30) + "1",
    "spaces after": lambda size: "SELECT 1" + " " * (size - 30),
    "lines": lambda size: "SELECT" + "\n" * (size - 30) + "1",
    "letters": lambda size: "a" * size,
    "sentence": lambda size: "select " * (size // 7),
}
"""Texts whose parts belong together, by the length wanted."""


def hostile_texts(size: int) -> dict[str, str]:
    """Return a text of about `size` bytes, never more than an eighth above, for every form."""
    texts = {name: repeated(form, size) for name, form in FORMS.items()}
    return texts | {name: grow(size) for name, grow in GROWN.items()}
