"""What a check costs, against `sqlglot.parse` of the same statements in the same run.

CPU of the calling thread, schema prepared, no report from the cache. Statements are those of
`SQLOBS_SHARED/corpora` where that is set, a part of them in each dialect, else our own.
"""

from __future__ import annotations

import itertools
import os
import statistics
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING

import sqlglot
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from sqlobs import Schema, check_sql
from sqlobs.check.assessment import Request, assess
from sqlobs.check.engine.prepared_schema import PreparedSchema
from sqlobs.check.engine.profile import Profile
from sqlobs.check.native import engine_of
from sqlobs.check.types.system import types_of
from sqlobs.dialects.registry import identifier_rules
from tests.agreement.corpus import read_corpus, read_schemas
from tests.benchmarks.scale import scaled
from tests.check.schemas import shop
from tests.check.test_mutants import STATEMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Subjects = Mapping[str, Callable[[], object]]

DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")
STATEMENTS_OF_A_CORPUS = scaled(150, least=5)
ROUNDS = scaled(7)
MANY_TABLES = scaled(10_000, least=100)
LEAF_COUNT = scaled(5_000, least=200)
BARS = {
    "check": 2.5,
    "check / parse + qualify + annotate": 0.5,
    "the same where that accepts": 0.5,
    "native sqlite": 0.4,
    "check, 10,000 tables / 10": 2.0,
    "report from the cache": 0.05,
    "report of a known form": 0.2,
    "prepare nested / flat": 1.5,
    "prepare nested, one leaf each / flat": 1.5,
}


def statements(dialect: str) -> Sequence[tuple[str, Schema]]:
    """Return statements with their schemas."""
    shared = os.environ.get("SQLOBS_SHARED")
    if shared is None:
        return [(sql, shop(dialect)) for sql in STATEMENTS[: scaled(len(STATEMENTS), least=5)]]
    folder = Path(shared) / "corpora"
    corpus = read_corpus(folder / f"{dialect}.jsonl.gz")
    schemas = read_schemas(folder / "schemas.jsonl.gz", dialect)
    every = max(len(corpus) // STATEMENTS_OF_A_CORPUS, 1)
    return [(row.sql, schemas[row.schema]) for row in corpus[::every]]


def seconds(subjects: Sequence[Subjects]) -> list[dict[str, float]]:
    """Return the median over rounds of each subject, statement by statement.

    In a round each subject goes through all statements in a row: side by side, statement by
    statement, they would push each other's code out of the processor's caches.
    """
    samples: list[dict[str, list[float]]] = [{name: [] for name in one} for one in subjects]
    for _ in range(ROUNDS + 1):
        for name in subjects[0]:
            for one, sample in zip(subjects, samples, strict=True):
                begun = thread_time()
                one[name]()
                sample[name].append(thread_time() - begun)
    return [
        {name: statistics.median(rounds[1:]) for name, rounds in sample.items()}
        for sample in samples
    ]


def median(name: str, measured: Sequence[Mapping[str, float]]) -> float:
    """Return the median of one subject over statements."""
    return statistics.median(one[name] for one in measured)


def parsed(sql: str, dialect: str) -> object:
    """Parse; what does not parse costs what it costs."""
    try:
        return sqlglot.parse(sql, dialect=dialect)
    except Exception:  # noqa: BLE001 - builders of malformed calls raise anything
        return None


def naive(sql: str, dialect: str, schema: MappingSchema) -> object:
    """Parse, qualify and annotate, as a check without sqlobs would; None: it stops at a fault."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
        return annotate_types(qualify(tree, schema=schema, dialect=dialect), schema=schema)
    except Exception:  # noqa: BLE001 - an invalid statement
        return None


def mapping(schema: Schema, dialect: str) -> MappingSchema:
    """Return a schema as sqlglot prepares it."""
    tables = {
        table.name: {column.name: column.type or "text" for column in table.columns}
        for table in schema.tables
    }
    return MappingSchema(tables, dialect=dialect)


def figures(dialect: str) -> dict[str, float]:
    """Return the ratios of one dialect."""
    profile = Profile.named(dialect)
    mappings: dict[str, MappingSchema] = {}
    subjects = []
    for sql, schema in statements(dialect):
        ready = mappings.setdefault(schema.version, mapping(schema, dialect))
        request = Request(sql, schema, profile, native=False, strict=None, policy=None)
        one: dict[str, Callable[[], object]] = {
            "parse": lambda sql=sql: parsed(sql, dialect),
            "check": lambda request=request: assess(request),
            "naive": lambda sql=sql, ready=ready: naive(sql, dialect, ready),
            "cached": lambda sql=sql, schema=schema: check_sql(sql, schema=schema, native=False),
        }
        if dialect == "sqlite":
            one["native"] = lambda sql=sql, schema=schema: engine_of(schema, profile, True).verdict(
                sql
            )
        subjects.append(one)
    found = seconds(subjects)
    accepted = [one for one, ways in zip(found, subjects, strict=True) if ways["naive"]()]
    parse = median("parse", found)
    ratios = {
        "check": median("check", found) / parse,
        "check / parse + qualify + annotate": median("check", found) / median("naive", found),
        "the same where that accepts": median("check", accepted) / median("naive", accepted),
        "parse + qualify + annotate": median("naive", found) / parse,
        "report from the cache": median("cached", found) / parse,
    }
    if dialect == "sqlite":
        ratios["native sqlite"] = median("native", found) / parse
    return ratios


def growth() -> float:
    """Return what a check costs over 10,000 tables, against 10."""
    few, many = _large(10), _large(MANY_TABLES)
    [found] = seconds([{"few": lambda: assess(few), "many": lambda: assess(many)}])
    return found["many"] / found["few"]


def other_values() -> float:
    """Return what a text costs whose form is known, against parsing it; no text occurs twice."""
    schema, numbers = shop("postgres"), itertools.count(100_000)
    form = (
        "SELECT c.name, SUM(o.total_revenue) AS revenue FROM orders o JOIN customers c"
        " ON c.id = o.customer_id WHERE c.id = {} AND c.name <> 'number {}' GROUP BY c.name"
        " HAVING SUM(o.total_revenue) > {} ORDER BY revenue DESC LIMIT 10"
    )

    def text() -> str:
        return form.format(*itertools.islice(numbers, 3))

    subjects: Subjects = {
        "parse": lambda: parsed(text(), "postgres"),
        "check": lambda: check_sql(text(), schema=schema, native=False),
    }
    assert check_sql(text(), schema=schema, native=False).ok
    found = seconds([subjects] * scaled(100, least=3))
    return median("check", found) / median("parse", found)


def nesting() -> dict[str, float]:
    """Return what preparing nested columns costs, against flat ones with as many leaves."""
    flat = _columns(lambda place: [(f"c{place}_{leaf}", kind) for leaf, kind in enumerate(LEAVES)])
    nested = _columns(lambda place: [(f"c{place}", _four_deep(place))])
    single = _columns(
        lambda place: [
            (f"c{place}_{leaf}", f"STRUCT<a{place} STRUCT<b STRUCT<c STRUCT<d {kind}>>>>")
            for leaf, kind in enumerate(LEAVES)
        ]
    )
    ways: dict[str, Callable[[], object]] = {
        name: lambda schema=schema: prepared(schema)
        for name, schema in (("flat", flat), ("nested", nested), ("single", single))
    }
    [found] = seconds([ways])
    return {
        "prepare nested / flat": found["nested"] / found["flat"],
        "prepare nested, one leaf each / flat": found["single"] / found["flat"],
    }


LEAVES = ("INT64", "STRING", "NUMERIC", "DATE", "STRING", "INT64", "BOOL", "STRING")


def _four_deep(place: int) -> str:
    a, b, c, d, e, f, g, h = LEAVES
    return (
        f"STRUCT<a{place} {a}, b STRUCT<c {b}, d {c}, e STRUCT<f{place} {d},"
        f" g ARRAY<STRUCT<h {e}, i {f}, j {g}>>>>, k {h}>"
    )


def _columns(make: Callable[[int], list[tuple[str, str]]]) -> Schema:
    """Return a schema with 5,000 leaves in 25 tables."""
    places = range(LEAF_COUNT // len(LEAVES))
    tables = {
        f"table_{number}": dict(pair for place in places[number::25] for pair in make(place))
        for number in range(25)
    }
    return Schema.from_mapping(tables, dialect="bigquery")


def prepared(schema: Schema) -> PreparedSchema:
    """Return a schema as the checker prepares it."""
    profile = Profile.named("bigquery")
    rules = identifier_rules(profile.dialect)
    return PreparedSchema(schema, names=rules, types=types_of(profile, schema))


def _large(count: int) -> Request:
    columns = [f"column_{number}" for number in range(20)]
    tables = {f"table_{number}": columns for number in range(count)}
    schema = Schema.from_mapping(tables, dialect="sqlite")
    sql = (
        "SELECT a.column_1, max(b.column_2) FROM table_1 AS a JOIN table_7 AS b"
        " ON a.column_3 = b.column_3 WHERE b.column_4 > 5 GROUP BY a.column_1"
    )
    return Request(sql, schema, Profile.named("sqlite"), native=False, strict=None, policy=None)


def main() -> None:
    """Print the ratios of every dialect."""
    for dialect in DIALECTS:
        for name, ratio in figures(dialect).items():
            print(line(dialect, name, ratio))
    print(line("sqlite", "check, 10,000 tables / 10", growth()))
    print(line("postgres", "report of a known form", other_values()))
    for name, ratio in nesting().items():
        print(line("bigquery", name, ratio))


def line(dialect: str, name: str, ratio: float) -> str:
    """Return a figure with its bar; what has none shows how this machine runs Python."""
    bar = f"(bar {BARS[name]})" if name in BARS else "(of this machine)"
    return f"{dialect:<10} {name:<36} {ratio:6.3f} x  {bar}"
