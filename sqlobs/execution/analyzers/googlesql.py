"""Google's GoogleSQL analyzer in this process, configured as BigQuery.

The package `zetasql` has it as WebAssembly. Its compilation takes half a minute of CPU; the
compiled module is kept in the user's cache folder.
"""

from __future__ import annotations

import ctypes
import os
import re
import stat
from collections import OrderedDict
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError
from wasmtime import Config, Engine, Linker, Module, Store, WasiConfig
from zetasql.core.exceptions import ServerError
from zetasql.wasi import get_wasm_path
from zetasql.wasi._pb2.zetasql.local_service import local_service_pb2 as service
from zetasql.wasi._pb2.zetasql.proto import options_pb2, simple_catalog_pb2
from zetasql.wasi._pb2.zetasql.public import options_pb2 as public
from zetasql.wasi._pb2.zetasql.public import type_pb2
from zetasql.wasi._pb2.zetasql.resolved_ast import resolved_node_kind_pb2

from sqlobs.dialects.catalog import catalog_of
from sqlobs.execution.analyzers.questions import NoVerdictError, rejection_of, wordings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from sqlobs.execution.analyzers.questions import DeclaredTable, Rejection

VERSION: Final = version("zetasql")

FEATURES: Final = """
ADDITIONAL_DATE_TIME_FUNCTIONS ADDITIONAL_STRING_FUNCTIONS ALIASES_FOR_STRING_AND_DATE_FUNCTIONS
ALLOW_CONSECUTIVE_ON ALLOW_DASHES_IN_TABLE_NAME ALLOW_REGEXP_EXTRACT_OPTIONALS ANALYTIC_FUNCTIONS
ANNOTATION_FRAMEWORK ARRAY_AGGREGATION_FUNCTIONS BARE_ARRAY_ACCESS BIGNUMERIC_TYPE BY_NAME
CAST_DIFFERENT_ARRAY_TYPES CBRT_FUNCTIONS CIVIL_TIME COLLATION_SUPPORT CONCAT_MIXED_TYPES
CORRESPONDING CREATE_TABLE_NOT_NULL
DATE_ARITHMETICS DATE_TIME_CONSTRUCTORS DECIMAL_ALIAS DIFFERENTIAL_PRIVACY DISABLE_FLOAT32
DML_UPDATE_WITH_JOIN ENABLE_EDIT_DISTANCE_BYTES
ENABLE_FLOAT_DISTANCE_FUNCTIONS ENCRYPTION ENFORCE_CONDITIONAL_EVALUATION
EXTENDED_DATE_TIME_SIGNATURES EXTENDED_GEOGRAPHY_PARSERS FIRST_AND_LAST_N FORMAT_IN_CAST
FOR_SYSTEM_TIME_AS_OF FUNCTION_ARGUMENTS_WITH_DEFAULTS GEOGRAPHY GROUPING_BUILTIN GROUPING_SETS
GROUP_BY_ALL GROUP_BY_ARRAY GROUP_BY_ROLLUP GROUP_BY_STRUCT HAVING_IN_AGGREGATE
IMPLICIT_COERCION_STRING_LITERAL_TO_BYTES INLINE_LAMBDA_ARGUMENT INTERVAL_TYPE
INVERSE_TRIG_FUNCTIONS IS_DISTINCT JSON_ARRAY_FUNCTIONS JSON_CONSTRUCTOR_FUNCTIONS
JSON_KEYS_FUNCTION JSON_LAX_VALUE_EXTRACTION_FUNCTIONS JSON_MUTATOR_FUNCTIONS JSON_QUERY_LAX
JSON_STRICT_NUMBER_PARSING JSON_TYPE JSON_VALUE_EXTRACTION_FUNCTIONS LIKE_ANY_SOME_ALL
LIKE_ANY_SOME_ALL_ARRAY LIKE_ANY_SOME_ALL_SUBQUERY LIMIT_IN_AGGREGATE LITERAL_CONCATENATION
NAMED_ARGUMENTS NULLIFZERO_ZEROIFNULL NULLS_FIRST_LAST_IN_ORDER_BY
NULL_HANDLING_MODIFIER_IN_AGGREGATE NULL_HANDLING_MODIFIER_IN_ANALYTIC NUMERIC_TYPE
OMIT_INSERT_COLUMN_LIST ORDER_BY_IN_AGGREGATE PARAMETERIZED_TYPES PIPES PIVOT QUALIFY RANGE_TYPE
ROUND_WITH_ROUNDING_MODE SAFE_FUNCTION_CALL SELECT_STAR_EXCEPT_REPLACE TABLESAMPLE
TABLE_VALUED_FUNCTIONS TEMPLATE_FUNCTIONS TIME_BUCKET_FUNCTIONS TYPEOF_FUNCTION
UNNEST_AND_FLATTEN_ARRAYS UNPIVOT WEEK_WITH_WEEKDAY WITH_EXPRESSION WITH_ON_SUBQUERY WITH_RECURSIVE
""".split()
"""What BigQuery documents."""
_STATEMENTS: Final = (
    "QUERY INSERT UPDATE DELETE MERGE CREATE_TABLE CREATE_TABLE_AS_SELECT CREATE_VIEW DROP"
)
KINDS: Final = {
    "BOOL": "BOOL",
    "INT64": "INT64",
    "FLOAT64": "DOUBLE",
    "STRING": "STRING",
    "BYTES": "BYTES",
    "DATE": "DATE",
    "DATETIME": "DATETIME",
    "TIME": "TIME",
    "TIMESTAMP": "TIMESTAMP",
    "NUMERIC": "NUMERIC",
    "BIGNUMERIC": "BIGNUMERIC",
    "GEOGRAPHY": "GEOGRAPHY",
    "JSON": "JSON",
    "INTERVAL": "INTERVAL",
}
"""BigQuery's plain types, with the analyzer's names of their kinds."""
_MOST_CATALOGS: Final = 32
"""Sets of tables that are kept; one takes some 25 ms to register."""
_OF_BIGQUERY: Final = re.compile(
    r"(?i)INFORMATION_SCHEMA|__TABLES|_PARTITION(?:TIME|DATE)|_TABLE_SUFFIX|_FILE_NAME"
    r"|\b(?:ML|AI)\s*\.|\b(?:VECTOR_SEARCH|EXTERNAL_QUERY|APPENDS|CHANGES|GAP_FILL)\s*\(|\w\*`|@@"
)
"""Objects that BigQuery adds to GoogleSQL, as in `FROM ds.INFORMATION_SCHEMA.TABLES`."""
_WORDINGS: Final = wordings(
    (
        (
            r"too (?:deep|large|complex)|Out of stack|internal|unimplemented|not yet implemented"
            r"|RESOURCE_EXHAUSTED"
        ),
        None,
    ),
    (r"Table not found: (?P<name>`[^`]+`|[^\s;]+)", "schema.unknown_table"),
    (r"Unrecognized name: (?P<name>`[^`]+`|[^\s;]+)", "schema.unknown_column"),
    (r"ame (?P<name>\S+) (?:not found inside|does not exist)", "schema.unknown_column"),
    (r"Column (?P<name>\S+) not found", "schema.unknown_column"),
    (r"(?:Column name )?(?P<name>\S+) is ambiguous", "schema.ambiguous_ref"),
    (
        r"(?:[Ff]unction) not found: (?P<name>`[^`]+`|[^\s;]+)",
        "syntax.dialect_mismatch",
    ),
    (r"Type not found: (?P<name>\S+)", "schema.unknown_type"),
    (
        r"for (?:\w+ )?function (?P<name>\w+).*Signature (?:requires|accepts) at (?:most|least)",
        "syntax.dialect_mismatch",
    ),
    (r"No matching signature for (?:\w+ )?function (?P<name>\w+)", "schema.type_mismatch"),
    (r"references (?:column )?(?P<name>\S+) which is neither grouped", "schema.grouping"),
    (r"ggregat|nalytic function|HAVING clause", "schema.grouping"),
    (
        (
            r"No matching signature|cast|types|incompatible|comparable|return type|on a value with"
            r"|Expected (?:INTERVAL|[Ii]nteger)|oerce|support (?:equality|ordering)"
        ),
        "schema.type_mismatch",
    ),
    (r".", "syntax.parse_error"),
)


class Client:
    """The analyzer's service in this process."""

    def __init__(self) -> None:
        config = Config()
        config.shared_memory = True
        engine = Engine(config)
        self._store = Store(engine)
        wasi = WasiConfig()
        wasi.preopen_dir(str(files("tzdata") / "zoneinfo"), "/usr/share/zoneinfo")
        self._store.set_wasi(wasi)
        linker = Linker(engine)
        linker.define_wasi()
        self._exports = linker.instantiate(self._store, _module(engine)).exports(self._store)
        self._run("_initialize")
        self._memory = self._exports["memory"]

    def call(self, method: str, request: Any, response: Any) -> Any:
        """Call a method of the service.

        Raises:
            ServerError: The service answers with an error.
        """
        sent = request.SerializeToString()
        place, size = self._run("wasm_malloc", len(sent) + 1), self._run("wasm_malloc", 4)
        try:
            ctypes.memmove(self._address() + place, sent, len(sent))
            found = self._run(f"ZetaSqlLocalService_{method}", place, len(sent), size)
            if not found:
                length = self._run("wasm_get_last_error_size")
                raise ServerError.from_error_string(
                    self._read(self._run("wasm_get_last_error"), length).decode()
                )
            answer = self._read(found, int.from_bytes(self._read(size, 4), "little"))
            self._run("wasm_free", found)
            return response.FromString(answer)
        finally:
            self._run("wasm_free", place)
            self._run("wasm_free", size)

    def _run(self, name: str, *arguments: int) -> Any:
        return self._exports[name](self._store, *arguments)

    def _read(self, place: int, length: int) -> bytes:
        return ctypes.string_at(self._address() + place, length)

    def _address(self) -> int:
        """Return where the analyzer's memory begins; it moves when it grows."""
        return ctypes.addressof(self._memory.data_ptr().contents)


def _module(engine: Engine) -> Module:
    """Return the compiled module, from the user's cache if it is there."""
    kept = _cache() / f"googlesql-{VERSION}-wasmtime-{version('wasmtime')}.bin"
    if _is_ours(kept):
        return Module.deserialize_file(engine, str(kept))
    module = Module.from_file(engine, str(get_wasm_path()))
    try:
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        written = kept.with_suffix(f".{os.getpid()}")
        written.touch(mode=0o600)
        written.write_bytes(module.serialize())
        written.replace(kept)
    except OSError:  # a read-only home: the next process compiles again
        pass
    return module


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sqlobs"


def _is_ours(path: Path) -> bool:
    """Return whether nobody else can have written a file: it is machine code."""
    try:
        found = path.stat()
    except OSError:
        return False
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


class GoogleSql:
    """The service with BigQuery's settings."""

    def __init__(self) -> None:
        self.client = Client()
        self.language = _language()
        self._options = options_pb2.AnalyzerOptionsProto(allow_undeclared_parameters=True)
        self._options.language_options.CopyFrom(self.language)

    def functions(self) -> Any:
        """Return all functions that the analyzer knows."""
        request = options_pb2.ZetaSQLBuiltinFunctionOptionsProto()
        request.language_options.CopyFrom(self.language)
        return self.client.call(
            "GetBuiltinFunctions", request, service.GetBuiltinFunctionsResponse
        ).function

    def unlisted(self, listed: Collection[str]) -> list[int]:
        """Return the signatures of functions that are not listed, like those BigQuery lacks."""
        found: list[int] = []
        for function in self.functions():
            names = {".".join(function.name_path).lower(), function.options.alias_name.lower()}
            if not any(name.startswith("$") for name in names) and names.isdisjoint(listed):
                found.extend(int(one.context_id) for one in function.signature)
        return found

    def root(self) -> Any:
        """Return a catalog without tables."""
        root = simple_catalog_pb2.SimpleCatalogProto(name="root")
        root.builtin_function_options.language_options.CopyFrom(self.language)
        return root

    def register(self, root: Any) -> int:
        """Keep a catalog; return its number."""
        request = service.RegisterCatalogRequest()
        request.simple_catalog.CopyFrom(root)
        answer = self.client.call("RegisterCatalog", request, service.RegisterResponse)
        return int(answer.registered_id)

    def unregister(self, number: int) -> None:
        """Forget a catalog."""
        request = service.UnregisterRequest(registered_id=number)
        self.client.call("UnregisterCatalog", request, service.UnregisterRequest)

    def analyzed(self, number: int, sql: str) -> Any:
        """Return what a statement resolves to.

        Raises:
            ServerError: The analyzer rejects it.
        """
        request = service.AnalyzeRequest(
            options=self._options, registered_catalog_id=number, sql_statement=sql
        )
        return self.client.call("Analyze", request, service.AnalyzeResponse)


class Analyzer:
    """Catalogs, one for each set of tables that statements have named."""

    def __init__(self) -> None:
        self._service = GoogleSql()
        catalog = catalog_of("bigquery")
        self._listed = frozenset(getattr(catalog, "functions", ()))
        self._types = frozenset(catalog.raw["types"] if catalog is not None else ())
        self._hidden = self._service.unlisted(self._listed)
        self._catalogs: OrderedDict[tuple[DeclaredTable, ...], int] = OrderedDict()
        self.engine = f"googlesql {VERSION}"

    def rejection(self, sql: str, tables: Sequence[DeclaredTable]) -> Rejection | None:
        """Return GoogleSQL's error; None: it accepts the query."""
        if _OF_BIGQUERY.search(sql):
            raise NoVerdictError("the analyzer lacks objects of BigQuery")
        try:
            self._service.analyzed(self._catalog(tuple(tables)), sql)
        except ServerError as error:
            found = rejection_of(str(error), _WORDINGS)
        else:
            return None
        if found.code == "syntax.dialect_mismatch" and self._has(found):
            raise NoVerdictError("the analyzer lacks a function of BigQuery")
        if found.code == "schema.unknown_type" and str(found.identifier).upper() in self._types:
            raise NoVerdictError("the analyzer lacks a name of BigQuery's types")  # INTEGER
        return found

    def _has(self, found: Rejection) -> bool:
        """Return whether BigQuery has the function that the analyzer does not find."""
        name = (found.identifier or "").lower()
        return name in self._listed or f"{found.qualifier}.{name}".lower() in self._listed

    def _catalog(self, tables: tuple[DeclaredTable, ...]) -> int:
        if tables in self._catalogs:
            self._catalogs.move_to_end(tables)
            return self._catalogs[tables]
        if len(self._catalogs) >= _MOST_CATALOGS:
            self._service.unregister(self._catalogs.popitem(last=False)[1])
        root = self._service.root()
        root.builtin_function_options.exclude_function_ids.extend(self._hidden)
        namespaces: dict[tuple[str, ...], Any] = {(): root}
        for table in tables:
            try:
                add_table(namespaces, table.path, map(_typed, table.columns))
            except (SqlglotError, KeyError, ValueError) as error:
                raise NoVerdictError(f"a type of {table.path[-1]} is unknown") from error
        self._catalogs[tables] = self._service.register(root)
        return self._catalogs[tables]


def _typed(column: tuple[str, str]) -> tuple[str, exp.DataType]:
    return column[0], exp.DataType.build(column[1], dialect="bigquery")


def _language() -> Any:
    found = options_pb2.LanguageOptionsProto(product_mode=public.PRODUCT_EXTERNAL)
    numbers = {public.LanguageFeature.Value(f"FEATURE_{name}") for name in FEATURES}
    found.enabled_language_features.extend(sorted(numbers))
    found.reserved_keywords.append("QUALIFY")
    kinds = resolved_node_kind_pb2.ResolvedNodeKind
    found.supported_statement_kinds.extend(
        kinds.Value(f"RESOLVED_{kind}_STMT") for kind in _STATEMENTS.split()
    )
    return found


def add_table(
    namespaces: dict[tuple[str, ...], Any],
    path: Sequence[str],
    columns: Iterable[tuple[str, exp.DataType]],
) -> None:
    """Add a table to a catalog, by its whole path and by the last two names of it.

    A pair of backticks may enclose several names (`` `shop.orders` ``).
    """
    typed = list(columns)
    for parts in {again for own in (path, path[-2:]) for again in _quoted_together(own)}:
        for place in range(1, len(parts)):
            if parts[:place] not in namespaces:
                inner = namespaces[parts[: place - 1]].catalog.add()
                inner.name = parts[place - 1]
                namespaces[parts[:place]] = inner
        table = namespaces[parts[:-1]].table.add()
        table.name, table.full_name = parts[-1], ".".join(path)
        for name, kind in typed:
            added = table.column.add(name=name, is_writable_column=True)
            fill(added.type, kind)


def _quoted_together(path: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the ways to quote a path.

    >>> sorted(_quoted_together(["shop", "orders"]))
    [('shop', 'orders'), ('shop.orders',)]
    """
    if len(path) == 1:
        yield tuple(path)
    else:
        for rest in _quoted_together(path[1:]):
            yield path[0], *rest
            yield f"{path[0]}.{rest[0]}", *rest[1:]


def fill(found: Any, kind: exp.DataType) -> None:
    """Write a declared type into the analyzer's own form of one."""
    word = kind.this.value
    if word == "ARRAY":
        found.type_kind = type_pb2.TYPE_ARRAY
        fill(found.array_type.element_type, kind.expressions[0])
    elif word == "RANGE":
        found.type_kind = type_pb2.TYPE_RANGE
        fill(found.range_type.element_type, kind.expressions[0])
    elif word == "STRUCT":
        found.type_kind = type_pb2.TYPE_STRUCT
        for field in kind.expressions:
            added = found.struct_type.field.add(field_name=field.name)
            fill(added.field_type, field.args["kind"])
    else:
        plain = re.sub(r"\(.*\)", "", kind.sql("bigquery"))
        found.type_kind = type_pb2.TypeKind.Value(f"TYPE_{KINDS[plain]}")
