"""Asks Google's GoogleSQL analyzer, configured as BigQuery, about statements over a schema.

The analyzer is the package `zetasql`, a build of GoogleSQL in WebAssembly. It needs an environment
of its own. Its compilation takes half a minute; the compiled module is kept beside the package.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import tzdata
import zetasql
from sqlglot import exp, parse_one
from wasmtime import Config, Engine, Linker, Module, Store, WasiConfig
from zetasql.core.exceptions import ServerError
from zetasql.wasi import get_wasm_path
from zetasql.wasi._pb2.zetasql.local_service import local_service_pb2 as service
from zetasql.wasi._pb2.zetasql.proto import options_pb2, simple_catalog_pb2
from zetasql.wasi._pb2.zetasql.public import options_pb2 as public
from zetasql.wasi._pb2.zetasql.public import type_pb2
from zetasql.wasi._pb2.zetasql.resolved_ast import resolved_node_kind_pb2

VERSION = zetasql.__version__
_COMPILED = Path(zetasql.__file__).parent / "compiled.bin"

FEATURES = """
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
STATEMENTS = "QUERY INSERT UPDATE DELETE MERGE CREATE_TABLE CREATE_TABLE_AS_SELECT CREATE_VIEW DROP"
KINDS = {
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
_NAMES = {f"TYPE_{kind}": name for name, kind in KINDS.items()}


class Client:
    """The analyzer's service in this process."""

    def __init__(self) -> None:
        config = Config()
        config.shared_memory = True
        engine = Engine(config)
        if not _COMPILED.exists():
            _COMPILED.write_bytes(Module.from_file(engine, str(get_wasm_path())).serialize())
        self._store = Store(engine)
        wasi = WasiConfig()
        zones = Path(tzdata.__file__).parent / "zoneinfo"
        wasi.preopen_dir(str(zones), "/usr/share/zoneinfo")
        self._store.set_wasi(wasi)
        linker = Linker(engine)
        linker.define_wasi()
        module = Module.deserialize_file(engine, str(_COMPILED))
        self._exports = linker.instantiate(self._store, module).exports(self._store)
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


class GoogleSql:
    """Databases without rows, and what the analyzer says of statements over them."""

    def __init__(self) -> None:
        self._client = Client()
        self._language = _language()
        self._options = options_pb2.AnalyzerOptionsProto(allow_undeclared_parameters=True)
        self._options.language_options.CopyFrom(self._language)
        self._databases: dict[str, int] = {}

    def functions(self) -> Any:
        """Return all functions that the analyzer knows."""
        request = options_pb2.ZetaSQLBuiltinFunctionOptionsProto()
        request.language_options.CopyFrom(self._language)
        return self._client.call(
            "GetBuiltinFunctions", request, service.GetBuiltinFunctionsResponse
        ).function

    def prepare(self, name: str, ddl: list[str], custom: tuple[Any, ...] = ()) -> None:
        """Make an empty database of a name."""
        root = simple_catalog_pb2.SimpleCatalogProto(name="root")
        root.builtin_function_options.language_options.CopyFrom(self._language)
        root.custom_function.extend(custom)
        namespaces: dict[tuple[str, ...], Any] = {(): root}
        for statement in ddl:
            _add_table(namespaces, parse_one(statement, dialect="bigquery"))
        request = service.RegisterCatalogRequest()
        request.simple_catalog.CopyFrom(root)
        answer = self._client.call("RegisterCatalog", request, service.RegisterResponse)
        self._databases[name] = answer.registered_id

    def type_of(self, name: str, query: str) -> str | None:
        """Return the type of a query's first column; None: the query is rejected."""
        try:
            found = self._analyzed(name, query).resolved_statement.resolved_query_stmt_node
        except ServerError:
            return None
        return shown(found.output_column_list[0].column.type)

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the analyzer's error; None: it accepts the statement."""
        try:
            self._analyzed(name, sql)
        except ServerError as error:
            return str(error)
        return None

    def close(self) -> None:
        """End."""

    def _analyzed(self, name: str, sql: str) -> Any:
        request = service.AnalyzeRequest(
            options=self._options, registered_catalog_id=self._databases[name], sql_statement=sql
        )
        return self._client.call("Analyze", request, service.AnalyzeResponse)


def _language() -> Any:
    found = options_pb2.LanguageOptionsProto(product_mode=public.PRODUCT_EXTERNAL)
    numbers = {public.LanguageFeature.Value(f"FEATURE_{name}") for name in FEATURES}
    found.enabled_language_features.extend(sorted(numbers))
    found.reserved_keywords.append("QUALIFY")
    kinds = resolved_node_kind_pb2.ResolvedNodeKind
    found.supported_statement_kinds.extend(
        kinds.Value(f"RESOLVED_{kind}_STMT") for kind in STATEMENTS.split()
    )
    return found


def _add_table(namespaces: dict[tuple[str, ...], Any], tree: exp.Expression) -> None:
    definition = tree.this
    path = [part for name in definition.this.parts for part in name.name.split(".")]
    for parts in {tuple(path), tuple(path[-2:])}:
        for place in range(1, len(parts)):
            if parts[:place] not in namespaces:
                inner = namespaces[parts[: place - 1]].catalog.add()
                inner.name = parts[place - 1]
                namespaces[parts[:place]] = inner
        table = namespaces[parts[:-1]].table.add()
        table.name, table.full_name = parts[-1], ".".join(path)
        for column in definition.expressions:
            if isinstance(column, exp.ColumnDef):
                added = table.column.add(name=column.name, is_writable_column=True)
                fill(added.type, column.args["kind"])


def fill(found: Any, kind: exp.DataType) -> None:
    """Write a declared type into the analyzer's own form of one."""
    word = kind.this.value
    if word == "ARRAY":
        found.type_kind = type_pb2.TYPE_ARRAY
        fill(found.array_type.element_type, kind.expressions[0])
    elif word == "STRUCT":
        found.type_kind = type_pb2.TYPE_STRUCT
        for field in kind.expressions:
            added = found.struct_type.field.add(field_name=field.name)
            fill(added.field_type, field.args["kind"])
    else:
        plain = re.sub(r"\(.*\)", "", kind.sql("bigquery"))
        found.type_kind = type_pb2.TypeKind.Value(f"TYPE_{KINDS[plain]}")


def shown(kind: Any) -> str:
    """Return the name that the catalog gives a type."""
    word = type_pb2.TypeKind.Name(kind.type_kind)
    if word == "TYPE_ARRAY":
        return f"{shown(kind.array_type.element_type)}[]"
    if word == "TYPE_STRUCT":
        fields = (f"{one.field_name} {shown(one.field_type)}" for one in kind.struct_type.field)
        return f"STRUCT({', '.join(fields)})"
    return _NAMES.get(word, word.removeprefix("TYPE_"))
