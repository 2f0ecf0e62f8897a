"""What is known about one dialect, as one immutable value. Each dialect has a module of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlobs.dialects.identifiers import ANY_CASE, IdentifierRules
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.dialects.unsafe_functions import NONE, UnsafeFunctions

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
BACKTICKS: Final = ("`", "`")
BRACKETS: Final = ("[", "]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The versions of an engine; each is written as far as it matters (`15`, `8.0`)."""

    known: tuple[str, ...] = ()
    """Versions that a user may name, by their beginning; empty: any number."""
    measured: tuple[str, ...] = ()
    """Versions whose catalog was made by asking the engine."""
    documented: tuple[str, ...] = ()
    """Versions whose functions are listed completely by the documentation."""
    current: tuple[str, ...] = ()
    """The versions that the name alone stands for: they must agree on what is wrong."""
    parts: int = 0
    """How many numbers of a server's version tell versions apart; 0: it is not used."""
    default: str | None = None
    """The one version that the name alone stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripts:
    """How a script is split into statements, and how its strings are parsed."""

    backslash_escapes: bool = False
    """A backslash escapes a quote inside a string."""
    hash_comments: bool = False
    """`#` begins a comment."""
    executes_comments: bool = False
    """The content of `/*!40101 … */` is executed."""
    dollar_strings: bool = True
    """`$$` opens a string."""
    client_commands: str = ""
    """A pattern of lines that are commands of the client (`.mode csv`)."""
    bracketed_names: bool = False
    """Brackets quote a name (`[order id]`)."""


SCRIPTS_OF_MYSQL: Final = Scripts(
    backslash_escapes=True, hash_comments=True, executes_comments=True, dollar_strings=False
)
"""How MySQL and the servers that speak its protocol read scripts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """How CREATE statements are read."""

    index_keywords: frozenset[str] = frozenset()
    """Keywords that begin an index between the columns; elsewhere they are names of columns."""
    bracketed_types: bool = False
    """Tools write types in brackets (`[int]`)."""
    quoted_paths: bool = False
    """One pair of quotes may hold a whole path."""
    nullable_keys: bool = False
    """A primary key may be NULL, unless it is one INTEGER column."""
    not_null_by_default: bool = False
    """A column is nullable only where its type says so (`Nullable(String)`)."""
    storage_engines: bool = False
    """CREATE TABLE names the engine that stores the table; statements depend on it."""
    default_namespace: str | None = None
    """A namespace that names the database itself (`main`)."""
    views_have_keys: bool = True
    """A view has the keys of its tables."""
    typeless_columns: bool = False
    """Columns need no type; verdicts do not depend on them."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Valid SQL that sqlglot cannot parse, and SQL with the same names that it can.

    A pattern matches whole tokens. They are spelled in upper case with one blank between them; a
    quoted name is `"`, a number is `0`, a string is `'`, or `&'` right behind a name (`x'ab'`).
    """

    pattern: str
    replacement: str = ""
    r"""Tokens with blanks between them, those within one as `GROUP_BY`; `\1` is the first group.
    Empty: the match is dropped."""
    within: str = ""
    """A pattern of the statements in which the rewrite is applied; empty: in all."""


NTH_VALUE_FROM: Final = Rewrite(
    r"(\)) FROM (?:FIRST|LAST)(?= (?:OVER|IGNORE|RESPECT)\b)", r"\1"
)  # NTH_VALUE(a, 2) FROM LAST OVER (…)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsing:
    """What sqlglot's parser of the dialect needs."""

    grammar: str = ""
    """sqlglot's name of the dialect whose parser knows more of this one; empty: its own."""
    tokens: frozenset[str] = frozenset()
    """Corrections of `check.parsing.tokens` and `check.parsing.statement`, by name."""
    rewrites: tuple[Rewrite | str, ...] = ()
    """Applied in this order after a parse error; texts are functions of
    `check.parsing.nested_rewrites`."""
    marks: tuple[str, ...] = ()
    """Parts of a text in upper case that are worth a try with this dialect's parser."""
    gaps: str = ""
    """A pattern of constructs that sqlglot cannot parse; the engine supports them. It matches the
    text in upper case with one blank between tokens."""
    batch_keyword: str | None = None
    """The keyword that client tools have between statements (`GO`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Types:
    """How the engine treats types and collations."""

    system: str = ""
    """The module of `check.types` that infers types; empty: types are not checked."""
    converts_silently: bool = True
    """A comparison of text with a number is converted, not rejected."""
    sums_bigint_as_numeric: bool = False
    """`sum` of `bigint` is `numeric`, elsewhere an integer."""
    exact_collations: bool = False
    """Quoted names of collations are compared with case."""
    language_collations: bool = False
    """Every language has a collation (`de_DE`), listed or not."""
    type_first: bool = False
    """`CONVERT` has the type as its first argument: `CONVERT(varchar(9), a)`."""
    unused_collations: bool = False
    """Collations are looked up only where something is compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What matters when a statement runs."""

    guarded_schemas: tuple[str, ...] = ("pg_", "sys")
    """How namespaces begin, in lower case, that queries may not read beside `system_schemas`: those
    of other versions, and of temporary tables."""
    system_relations: tuple[str, ...] = ()
    """How names of the engine's own relations begin, in lower case."""
    system_functions_schema: bool = False
    """The engine's functions are in `pg_catalog`; elsewhere a user may have a schema so named."""
    session_variables: bool = False
    """`@@name` reads a setting."""
    show_in_parentheses: bool = False
    """`(SHOW TABLES)` stands where a table does."""
    folds_quoted_names: bool = False
    """Quoted names are compared without case too."""
    clocks: frozenset[str] = frozenset()
    """Functions that return another time at each statement of a transaction."""
    clocks_without_arguments: frozenset[str] = frozenset()
    """Functions that return the current time if they are called without arguments."""
    now_is_text: bool = False
    """The literal `'now'` is the current time."""
    computes_when_preparing: bool = False
    """The server computes constants when it prepares a statement, without a time limit."""
    series_are_lists: bool = False
    """A series of numbers is one list."""
    session_settings: bool = False
    """A session may bind settings (`app.tenant_id`) that policies of the database read."""
    probe: str = "SELECT 1"
    """The shortest query."""
    begin: str | None = None
    """What makes a transaction read-only; None: nothing is known."""
    connect: str | None = None
    """What makes the server read strings as the gate does."""
    sql_modes: bool = False
    """Modes of the session change how a statement is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections:
    """How URLs name the engine, and what connects to it."""

    engine: str | None = None
    """The name of the execution engine of its own; None: SQLAlchemy's general one."""
    schemes: tuple[str, ...] = ()
    """The schemes of URLs for the engine of its own."""
    sqlalchemy: tuple[str, ...] = ()
    """SQLAlchemy's names of dialects that speak this one."""
    driver: str | None = None
    """SQLAlchemy's dialect and driver for URLs without a driver."""
    extra: str | None = None
    """The extra of this package that installs the driver."""
    is_file: bool = False
    """The database is a file."""
    one_host: bool = False
    """A URL names one host, whose port can be read."""
    charges_by: str | None = None
    """What the vendor charges for: `bytes` that a statement reads, or `seconds` that it runs."""
    counts_bytes: bool = False
    """The bytes that a statement reads are known, at least as an estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Everything known about one dialect. The defaults are the behavior of most engines."""

    name: str
    """sqlglot's name, or that of a variant (`mariadb`); empty: no dialect was given."""
    grammar: str = ""
    """sqlglot's name of the parser, where it is another's."""
    spellings: frozenset[str] = frozenset()
    """Other spellings of the name, in lower case without blanks and punctuation."""
    system: str = ""
    """OpenTelemetry's `db.system.name`, where it is not the name."""
    versions: Versions = Versions()
    settings: frozenset[str] = frozenset()
    """Fields of `Profile` that change verdicts."""
    sql_mode: tuple[str, ...] = ()
    """The modes in effect by default."""
    identifiers: IdentifierRules = ANY_CASE
    quotes: tuple[str, str] = ('"', '"')
    """What opens and closes a quoted name."""
    resolution: ResolutionRules | None = None
    """None: everything is allowed that some engine allows."""
    unsafe: UnsafeFunctions = NONE
    scripts: Scripts = Scripts()
    definitions: Definitions = Definitions()
    parsing: Parsing = Parsing()
    types: Types = Types()
    execution: Execution = Execution()
    connections: Connections = Connections()
    error_codes: Mapping[int, str] = field(default_factory=dict)
    """Failure codes by the engine's numbers of errors that say that a statement is wrong."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "grammar", self.grammar or self.name)
        object.__setattr__(self, "system", self.system or self.name)

    @property
    def system_schemas(self) -> frozenset[str]:
        """The engine's own namespaces, in lower case."""
        return (self.resolution or ResolutionRules()).system_schemas

    def needs_quotes(self, name: str) -> bool:
        """Return whether a name without quotes would be another name, or none."""
        is_plain = _PLAIN.fullmatch(name) is not None
        return not is_plain or self.identifiers.stored(name, quoted=False) != name

    def quoted(self, name: str) -> str:
        """Return a name in the quotes of the dialect."""
        opening, closing = self.quotes
        return f"{opening}{name.replace(closing, closing * 2)}{closing}"
