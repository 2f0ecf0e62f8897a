"""Schemas read from scripts of DDL."""

from __future__ import annotations

import sqlite3

import pytest

from sqlobs import Column, ForeignKey, Schema, Table
from sqlobs.errors import DialectError, SchemaError

PG_DUMP = r"""--
-- PostgreSQL database dump
--
\restrict a'b"c
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE TYPE public.mood AS ENUM ('sad', 'it''s; ok');
CREATE FUNCTION public.twice(x integer) RETURNS integer LANGUAGE plpgsql AS $fn$
BEGIN
  CREATE TABLE never_made (id int);
  RETURN x * 2;
END;
$fn$;
CREATE TABLE public.guests (
    id integer NOT NULL,
    "Full Name" character varying(40) DEFAULT 'a;b'::character varying NOT NULL,
    Mood public.mood,
    arrived timestamp(3) with time zone DEFAULT now(),
    tags text[] DEFAULT '{}'::text[],
    CONSTRAINT guests_check CHECK ((id > 0) AND (id < 10, true))
);
ALTER TABLE ONLY public.guests OWNER TO postgres;
CREATE TABLE public.stays (
    guest integer,
    night date NOT NULL
);
COPY public.guests (id, "Full Name") FROM stdin;
1	it's; CREATE TABLE public.fake (id int);
\.
ALTER TABLE ONLY public.guests
    ADD CONSTRAINT guests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stays
    ADD CONSTRAINT stays_key UNIQUE (guest, night);
ALTER TABLE ONLY public.stays
    ADD CONSTRAINT stays_guest_fkey FOREIGN KEY (guest) REFERENCES public.guests(id) ON DELETE CASCADE;
CREATE UNIQUE INDEX one_name ON public.guests USING btree ("Full Name");
CREATE UNIQUE INDEX some_arrived ON public.guests USING btree (arrived) WHERE (arrived IS NOT NULL);
COMMENT ON TABLE public.guests IS 'People; who slept here';
COMMENT ON COLUMN public.stays.night IS 'the night''s date';
"""

MYSQL_DUMP = """/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `orders`;
CREATE TABLE `orders` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `customer id` int DEFAULT NULL COMMENT 'who; it\\'s',
  `state` enum('new','paid','it''s') CHARACTER SET utf8mb4 NOT NULL DEFAULT 'new',
  `updated` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (`id`),
  UNIQUE KEY `one` (`customer id`,`state`(10)),
  KEY `state` (`state`),
  CONSTRAINT `fk` FOREIGN KEY (`customer id`) REFERENCES `customers` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COMMENT='All orders';
INSERT INTO `orders` VALUES (1,2,'new','it\\'s; CREATE TABLE x (a int);');
DELIMITER //
CREATE PROCEDURE p() BEGIN
CREATE TABLE inner_table (id int);
END //
DELIMITER ;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`%` SQL SECURITY DEFINER */
/*!50001 VIEW `paid` AS select `orders`.`id` AS `id`,count(0) AS `n` from `orders` */;
"""


def shape(schema: Schema) -> dict[str, list[tuple[str, str | None]]]:
    """Return tables, columns and types alone."""
    return {
        table.full_name: [(column.name, column.type) for column in table.columns]
        for table in schema.tables
    }


def test_a_dump_of_postgres_gives_tables_keys_comments_and_names():
    """Rows, client commands and function bodies are no DDL; ALTER, COMMENT and indexes are."""
    schema = Schema.from_ddl(PG_DUMP, dialect="PostgreSQL")

    guests = Table(
        "guests",
        (
            Column("id", "integer", nullable=False, primary_key=True),
            Column(
                "Full Name",
                "character varying(40)",
                nullable=False,
                unique=True,
                default="'a;b'::character varying",
            ),
            Column("mood", "public.mood", nullable=True),
            Column("arrived", "timestamp(3) with time zone", nullable=True, default="now()"),
            Column("tags", "text[]", nullable=True, default="'{}'::text[]"),
        ),
        db="public",
        primary_key=("id",),
        description="People; who slept here",
    )
    stays = Table(
        "stays",
        (
            Column("guest", "integer", nullable=True),
            Column("night", "date", nullable=False, description="the night's date"),
        ),
        db="public",
        primary_key=(),
        unique_keys=(("guest", "night"),),
        foreign_keys=(ForeignKey(("guest",), "public.guests", ("id",)),),
    )
    assert schema.tables == (guests, stays)
    assert (schema.dialect, schema.extensions) == ("postgres", ("pg_trgm",))
    assert (schema.functions, schema.types) == (("twice",), ("mood",))
    assert schema.enums == (("mood", "sad", "it's; ok"),)


def test_values_added_to_an_enum_are_values_of_it():
    """A migration adds and renames them; what is renamed may still be meant."""
    script = """
    CREATE TYPE mood AS ENUM ('sad');
    ALTER TYPE mood ADD VALUE IF NOT EXISTS 'calm' BEFORE 'sad';
    ALTER TYPE mood RENAME VALUE 'sad' TO 'low';
    ALTER TYPE mood OWNER TO me;
    ALTER TYPE unseen ADD VALUE 'x';
    """
    schema = Schema.from_ddl(script, dialect="postgres")
    assert {name: set(values) for name, *values in schema.enums} == {"mood": {"sad", "calm", "low"}}


def test_a_dump_of_mysql_gives_tables_keys_and_views():
    """Backticks, table options, escaped quotes and comments that MySQL executes are read."""
    schema = Schema.from_ddl(MYSQL_DUMP, dialect="mysql")

    orders = Table(
        "orders",
        (
            Column("id", "int unsigned", nullable=False, primary_key=True),
            Column("customer id", "int", nullable=True, default="NULL", description="who; it's"),
            Column("state", "enum('new','paid','it''s')", nullable=False, default="'new'"),
            Column("updated", "timestamp", nullable=False, default="CURRENT_TIMESTAMP"),
        ),
        primary_key=("id",),
        unique_keys=(("customer id", "state"),),
        foreign_keys=(ForeignKey(("customer id",), "customers", ("id",)),),
        description="All orders",
    )
    paid = Table("paid", (Column("id", "int unsigned"), Column("n")), kind="view")
    assert schema.tables == (orders, paid)


SQLITE_SCRIPT = """
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE [my table](a INTEGER PRIMARY KEY AUTOINCREMENT, "b c" UNSIGNED BIG INT NOT NULL, d,
  e DECIMAL(10,2) DEFAULT (1+2) CHECK(e > 0), "key" TEXT UNIQUE, f TEXT REFERENCES other ON DELETE CASCADE);
INSERT INTO "my table" VALUES(1,'x;y''
CREATE TABLE fake (a);',NULL,1.5,'k','o');
CREATE TABLE IF NOT EXISTS main.other(k TEXT, PRIMARY KEY(K)) WITHOUT ROWID;
CREATE TRIGGER t AFTER INSERT ON other BEGIN UPDATE other SET k = 1; END;
CREATE VIEW v AS SELECT o.*, t."b c" bc, 1 AS one FROM "my table" t JOIN other o ON o.k = t.f;
CREATE VIEW named(x, y) AS SELECT a, count(*) FROM "my table";
CREATE VIEW unnamed AS SELECT count(*) FROM other;
CREATE VIRTUAL TABLE notes USING fts5(title, body, tokenize='porter');
COMMIT;
"""


def test_a_sqlite_script_gives_what_sqlite_itself_sees():
    """Names, types and keys equal those of the database that the script makes."""
    script = SQLITE_SCRIPT.replace("CREATE VIRTUAL", "-- CREATE VIRTUAL").replace("BEGIN TR", "-- ")
    script = script.replace("COMMIT;", "")
    connection = sqlite3.connect(":memory:")
    connection.executescript(script)
    schema = Schema.from_ddl(script, dialect="sqlite")
    for table in schema.tables:
        rows = connection.execute(
            "SELECT name, type, pk FROM pragma_table_info(?)", (table.name,)
        ).fetchall()
        if table.columns:
            assert [row[0] for row in rows] == [column.name for column in table.columns]
        if table.kind == "table":
            assert [row[1] for row in rows] == [column.type or "" for column in table.columns]
            assert tuple(row[0] for row in rows if row[2]) == table.primary_key
    connection.close()
    assert [table.name for table in schema.tables] == ["my table", "other", "v", "named", "unnamed"]


def test_full_text_tables_have_hidden_columns():
    """A star gives none of them."""
    script = "CREATE VIRTUAL TABLE docs USING fts5(title); CREATE VIEW v AS SELECT * FROM docs;"
    docs, view = Schema.from_ddl(script, dialect="sqlite").tables
    assert [(column.name, column.hidden) for column in docs.columns] == [
        ("title", False),
        ("docs", True),
        ("rank", True),
    ]
    assert [column.name for column in view.columns] == ["title"]


@pytest.mark.parametrize("dialect", ["mysql", "oracle"])
def test_invisible_columns_are_hidden(dialect):
    """A star gives none of them."""
    ddl = "CREATE TABLE t (a INT, b INT INVISIBLE DEFAULT 3)"
    table = Schema.from_ddl(ddl, dialect=dialect).tables[0]
    assert [column.hidden for column in table.columns] == [False, True]


@pytest.mark.parametrize(
    ("dialect", "definition", "generated"),
    [
        ("sqlite", "b INT AS (a + 1)", True),
        ("sqlite", "b INT NOT NULL GENERATED ALWAYS AS (a + 1) STORED", True),
        ("mysql", "b INT GENERATED ALWAYS AS (a + 1) VIRTUAL COMMENT 'x'", True),
        ("postgres", "b int GENERATED ALWAYS AS (a + 1) STORED", True),
        ("postgres", "b int GENERATED ALWAYS AS IDENTITY", False),
        ("postgres", "b int GENERATED BY DEFAULT AS IDENTITY (START WITH 3)", False),
        ("duckdb", "b AS (a + 1)", True),
        ("postgres", "b int DEFAULT (1 + 2) CHECK (b > 0)", False),
    ],
)
def test_generated_columns_are_distinguished_from_others(dialect, definition, generated):
    """A column that the engine computes of others is one, an identity is none."""
    table = Schema.from_ddl(f"CREATE TABLE t (a int, {definition})", dialect=dialect).tables[0]
    assert [column.generated for column in table.columns] == [False, generated]


def test_columns_of_views_are_derived_where_they_can_be_told():
    """Stars, aliases and listed names are followed; an unnamed output leaves the view open."""
    schema = Schema.from_ddl(SQLITE_SCRIPT, dialect="sqlite")
    assert shape(schema) == {
        "my table": [
            ("a", "INTEGER"),
            ("b c", "UNSIGNED BIG INT"),
            ("d", None),
            ("e", "DECIMAL(10,2)"),
            ("key", "TEXT"),
            ("f", "TEXT"),
        ],
        "other": [("k", "TEXT")],
        "v": [("k", "TEXT"), ("bc", "UNSIGNED BIG INT"), ("one", None)],
        "named": [("x", "INTEGER"), ("y", None)],
        "unnamed": [],
        "notes": [("title", None), ("body", None), ("notes", None), ("rank", None)],
    }


def test_comments_behind_columns_are_descriptions():
    """A comment on the column's line describes it; one on its own line does not."""
    schema = Schema.from_ddl(
        "-- the shop\nCREATE TABLE t (\n  a int, -- possible values: x, y\n"
        "  -- b follows\n  b text NOT NULL /* why; */\n);",
        dialect="postgres",
    )
    assert schema.tables[0].columns == (
        Column("a", "int", nullable=True, description="possible values: x, y"),
        Column("b", "text", nullable=False, description="why;"),
    )


def test_descriptions_are_read_from_every_place_dialects_have_for_them():
    """COMMENT behind a column or table, and BigQuery's options."""
    mysql = Schema.from_ddl(
        "CREATE TABLE t (a int COMMENT 'one', b int) COMMENT='all of it'", dialect="mysql"
    )
    bigquery = Schema.from_ddl(
        'CREATE TABLE t (a INT64 OPTIONS(description="one"), b INT64) OPTIONS(description="all of it")',
        dialect="bigquery",
    )
    for schema in (mysql, bigquery):
        assert schema.tables[0].description == "all of it"
        assert [column.description for column in schema.tables[0].columns] == ["one", None]


def test_any_word_may_be_the_delimiter_of_mysql():
    """`$$` opens a string in PostgreSQL only."""
    ddl = "CREATE TABLE a (x int);\nDELIMITER $$\nCREATE PROCEDURE p() BEGIN SELECT 1; END $$\nDELIMITER ;\nCREATE TABLE b (y int);"
    assert [table.name for table in Schema.from_ddl(ddl, dialect="mysql").tables] == ["a", "b"]


@pytest.mark.parametrize(
    ("dialect", "line"),
    [
        ("postgres", "\\echo don't"),
        ("sqlite", ".print don't"),
        ("oracle", "PROMPT don't"),
        ("tsql", "GO"),
        ("mysql", "DELIMITER ;"),
    ],
)
def test_commands_of_a_client_are_not_sql(dialect, line):
    """An apostrophe there opens no string."""
    ddl = f"CREATE TABLE a (x int);\n{line}\nCREATE TABLE b (y int);\n{line}\nINSERT INTO b VALUES ('c');"
    assert [table.name.lower() for table in Schema.from_ddl(ddl, dialect=dialect).tables] == [
        "a",
        "b",
    ]


def test_statements_need_no_semicolon_between_them():
    """Schemas pasted from prompts are often blocks of CREATE TABLE alone."""
    schema = Schema.from_ddl(
        "CREATE TABLE a (x int)\n\nCREATE TABLE b (y int)\ncreate table c (z int)", dialect="sqlite"
    )
    assert shape(schema) == {"a": [("x", "int")], "b": [("y", "int")], "c": [("z", "int")]}


@pytest.mark.parametrize(
    ("dialect", "ddl", "expected"),
    [
        (
            "tsql",
            (
                "USE [shop]\nGO\nCREATE TABLE [dbo].[Orders] (\n [Id] INT IDENTITY(1,1) NOT NULL,\n"
                " [Name] NVARCHAR(MAX) NULL,\n CONSTRAINT [PK] PRIMARY KEY CLUSTERED ([Id] ASC)\n)\nGO\n"
            ),
            {"dbo.Orders": [("Id", "INT"), ("Name", "NVARCHAR(MAX)")]},
        ),
        (
            "snowflake",
            'CREATE OR REPLACE TRANSIENT TABLE db.s.orders (id NUMBER(38,0), "lower" VARIANT);',
            {"DB.S.ORDERS": [("ID", "NUMBER(38,0)"), ("lower", "VARIANT")]},
        ),
        (
            "bigquery",
            (
                "CREATE TABLE `p.d.t` (a STRUCT<x INT64 NOT NULL, y ARRAY<STRING>> NOT NULL, "
                "b STRING OPTIONS(description='it\\'s, ok'));"
            ),
            {"p.d.t": [("a", "STRUCT<x INT64 NOT NULL, y ARRAY<STRING>>"), ("b", "STRING")]},
        ),
        (
            "clickhouse",
            (
                "CREATE TABLE hits (t DateTime64(3), n Nullable(String) CODEC(ZSTD), "
                "INDEX i n TYPE minmax GRANULARITY 1) ENGINE = MergeTree ORDER BY t"
            ),
            {"hits": [("t", "DateTime64(3)"), ("n", "Nullable(String)")]},
        ),
        (
            "oracle",
            "CREATE TABLE orders (id NUMBER(10) NOT NULL, d DATE DEFAULT SYSDATE)\n/\n",
            {"ORDERS": [("ID", "NUMBER(10)"), ("D", "DATE")]},
        ),
        (
            "postgres",
            (
                "CREATE TABLE p (a int, b int) PARTITION BY RANGE (a);\n"
                "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (1) TO (2);\n"
                "CREATE TABLE q (LIKE p INCLUDING ALL, c int);\nCREATE TABLE r (d int) INHERITS (p);\n"
                "CREATE TABLE s AS SELECT a, b AS bb FROM p;"
            ),
            {
                "p": [("a", "int"), ("b", "int")],
                "p1": [("a", "int"), ("b", "int")],
                "q": [("a", "int"), ("b", "int"), ("c", "int")],
                "r": [("a", "int"), ("b", "int"), ("d", "int")],
                "s": [("a", "int"), ("bb", "int")],
            },
        ),
        (
            "duckdb",
            "CREATE TABLE t (i INTEGER, s STRUCT(a INTEGER, b VARCHAR)[], m MAP(VARCHAR, INTEGER));",
            {
                "t": [
                    ("i", "INTEGER"),
                    ("s", "STRUCT(a INTEGER, b VARCHAR)[]"),
                    ("m", "MAP(VARCHAR, INTEGER)"),
                ]
            },
        ),
        (
            "postgres",
            (
                "CREATE TABLE a (g int[] DEFAULT ARRAY[1,2], f interval year to month,"
                ' k geometry(Point,4326) CHECK (x > 1), l "my type", EXCLUDE USING gist (g WITH &&));'
                "CREATE TABLE e ();"
            ),
            {
                "a": [
                    ("g", "int[]"),
                    ("f", "interval year to month"),
                    ("k", "geometry(Point,4326)"),
                    ("l", '"my type"'),
                ],
                "e": [],
            },
        ),
        (
            "tsql",
            (
                "CREATE TABLE [dbo].[O](\n[Id] [int] NOT NULL,\n[Fee] [money] CONSTRAINT [D] DEFAULT (0),"
                "\n[Sum] AS ([Fee]*(2)) PERSISTED,\n[Code] [nchar](5)\n) ON [PRIMARY]\nGO\n"
                "CREATE VIEW [dbo].[Q] AS\nSELECT TOP 1 Id, [All In] = Fee, COUNT(*) AS n FROM dbo.O\nGO"
            ),
            {
                "dbo.O": [("Id", "int"), ("Fee", "money"), ("Sum", None), ("Code", "nchar(5)")],
                "dbo.Q": [("Id", "int"), ("All In", "money"), ("n", None)],
            },
        ),
        (
            "clickhouse",
            (
                "CREATE TABLE db.h ON CLUSTER c (`id` UInt64, n Nested(a Int, b String), PRIMARY KEY id)"
                " ENGINE = MergeTree ORDER BY id"
            ),
            {"db.h": [("id", "UInt64"), ("n", "Nested(a Int, b String)")]},
        ),
        (
            "teradata",
            "CREATE MULTISET TABLE d.t ,NO FALLBACK (id INTEGER NOT NULL, n VARCHAR(10) TITLE 'x')",
            {"d.t": [("id", "INTEGER"), ("n", "VARCHAR(10)")]},
        ),
        (
            "spark",
            (
                "CREATE TABLE t (m MAP<STRING, ARRAY<INT>>, c STRING COMMENT 'it') USING DELTA;"
                "CREATE TABLE x USING parquet LOCATION '/x'"
            ),
            {"t": [("m", "MAP<STRING, ARRAY<INT>>"), ("c", "STRING")], "x": []},
        ),
        (
            "snowflake",
            (
                "create table d.p.c (id number comment 'key', n text) comment='all';"
                "create view v (a comment 'x', b) as select id, n from d.p.c"
            ),
            {"D.P.C": [("ID", "number"), ("N", "text")], "V": [("A", "number"), ("B", "text")]},
        ),
        (
            "oracle",
            (
                'CREATE TABLE "H"."E" ("ID" NUMBER(6,0) CONSTRAINT "N" NOT NULL ENABLE, y TIMESTAMP(6) WITH'
                ' LOCAL TIME ZONE, CONSTRAINT "P" PRIMARY KEY ("ID") USING INDEX PCTFREE 10 ENABLE)'
            ),
            {"H.E": [("ID", "NUMBER(6,0)"), ("Y", "TIMESTAMP(6) WITH LOCAL TIME ZONE")]},
        ),
    ],
)
def test_each_dialect_is_read_as_its_engine_stores_it(dialect, ddl, expected):
    """Quotes, case, nested types and options follow the dialect."""
    assert shape(Schema.from_ddl(ddl, dialect=dialect)) == expected


def test_a_migration_is_applied_in_order():
    """Later statements change what earlier ones made."""
    schema = Schema.from_ddl(
        """
        CREATE TABLE a (id int, old text, gone text);
        CREATE TABLE b (id int);
        ALTER TABLE a ADD COLUMN extra numeric(8, 2) NOT NULL DEFAULT 0, DROP COLUMN gone;
        ALTER TABLE a RENAME COLUMN old TO fresh;
        ALTER TABLE a ALTER COLUMN fresh TYPE varchar(10) USING fresh::varchar;
        ALTER TABLE a ALTER fresh SET NOT NULL;
        ALTER TABLE b RENAME TO c;
        CREATE TABLE d (id int);
        DROP TABLE IF EXISTS d, nowhere;
        """,
        dialect="postgres",
    )
    assert shape(schema) == {
        "a": [("id", "int"), ("fresh", "varchar(10)"), ("extra", "numeric(8, 2)")],
        "c": [("id", "int")],
    }
    assert schema.tables[0].columns[1:] == (
        Column("fresh", "varchar(10)", nullable=False),
        Column("extra", "numeric(8, 2)", nullable=False, default="0"),
    )


def test_search_path_places_the_tables_that_follow():
    """SET search_path is where unqualified tables are made and looked up."""
    schema = Schema.from_ddl(
        "SET search_path TO sales, public;\nCREATE TABLE t (id int);", dialect="postgres"
    )
    assert (schema.tables[0].full_name, schema.search_path) == ("sales.t", ("sales", "public"))


@pytest.mark.parametrize(
    ("ddl", "message"),
    [
        (
            "SELECT 1;\n\nCREATE TABLE shop.orders (id int,",
            "line 3: CREATE TABLE shop.orders cannot be read: a parenthesis is never closed.",
        ),
        ("CREATE TABLE t;", "line 1: CREATE TABLE t cannot be read: it lists no columns."),
        (
            "CREATE TABLE t (id int, 5 text);",
            "line 1: CREATE TABLE t cannot be read: '5' is not a valid name.",
        ),
        (
            "CREATE TABLE t (a int FOREIGN KEY, FOREIGN KEY (a));",
            "line 1: CREATE TABLE t cannot be read: a foreign key lacks REFERENCES.",
        ),
        ("-- x\nCREATE TABLE", "line 2: CREATE TABLE cannot be read: it ends unexpectedly."),
    ],
)
def test_an_unreadable_table_is_refused_with_its_line(ddl, message):
    """A schema that lacks a table would call its columns invented."""
    with pytest.raises(SchemaError) as caught:
        Schema.from_ddl(ddl, dialect="postgres")
    assert str(caught.value) == message


def test_an_unknown_dialect_is_refused_with_the_nearest_name():
    """A guess about the dialect would be a wrong answer."""
    with pytest.raises(DialectError) as caught:
        Schema.from_ddl("CREATE TABLE t (id int)", dialect="postgrse")
    assert str(caught.value) == "unknown SQL dialect 'postgrse': did you mean 'postgres'?"


def test_ten_thousand_tables_are_read_in_linear_work():
    """Twice the tables give twice the tables: nothing is searched from the start again."""
    ddl = "".join(f"CREATE TABLE t{n} (id int PRIMARY KEY);\n" for n in range(10_000))
    schema = Schema.from_ddl(ddl, dialect="postgres")
    assert len(schema.tables) == 10_000
    last = schema.table("T9999")
    assert last is None
    assert schema.table("t9999") is schema.tables[-1]


def test_a_name_may_begin_with_a_digit():
    """ClickHouse, MySQL and Spark allow it without quotes."""
    schema = Schema.from_ddl(
        "CREATE TABLE 1min_stats (x Int32) ENGINE = Memory", dialect="clickhouse"
    )
    assert [table.name for table in schema.tables] == ["1min_stats"]
