from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing, contextmanager

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import delete, insert, inspect, select, text, update

from sqlobs.errors import ConfigError
from sqlobs_collector.store import database
from sqlobs_collector.store.database import migration_config, open_store, place_of, store_version
from sqlobs_collector.store.embedded import FILE_NAME, EmbeddedStore
from sqlobs_collector.store.erasures import Erasure
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.rows import Evaluated, Stored, UnitKey, UnitRow
from sqlobs_collector.store.searchable import InventedName, Searchable, SearchWriter
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import (
    COMPATIBILITY,
    EVALUATION,
    FAILURE,
    METADATA,
    REQUEST_TEXT,
    STALE_HOUR,
    UNIT,
)
from sqlobs_collector.store.writing import Store, StoreWriter
from tests.collector.stores import on_both

store_kind = on_both()
UNIT_ROW = UnitRow(**dict.fromkeys(UnitRow._fields))._replace(source="unit", priority=2)


INSERT = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("INSERT INTO seen VALUES (1)")
connection.commit()
connection.close()
"""


def test_a_second_engine_costs_the_first_no_lock(tmp_path):
    """A file that is closed takes all of a process's locks on it along: POSIX.

    Another process would then delete the write-ahead log, and its rows would never be seen here.
    """
    place = EmbeddedStore(tmp_path)
    engine = open_store(place)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE seen (id INTEGER)"))
    open_store(place).dispose()
    subprocess.run([sys.executable, "-c", INSERT, place.name], check=True)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT id FROM seen")).scalars().all() == [1]
    assert (tmp_path / f"{FILE_NAME}-wal").exists()
    engine.dispose()


def is_ours(name, kind, _):
    """Return whether SQLAlchemy knows a table: not the full-text table and its parts."""
    return kind != "table" or not name.startswith(REQUEST_TEXT.name)


@contextmanager
def connected(kind, tmp_path):
    engine = kind.open(tmp_path)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def test_the_migrations_make_the_tables_that_the_code_uses(store_kind, tmp_path):
    """No difference between the migrated store and the metadata, in either direction."""
    with connected(store_kind, tmp_path) as connection:
        options = {"compare_type": True, "include_name": is_ours}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, METADATA) == []


def test_the_files_of_migrations_tell_the_newest_version(tmp_path):
    """So that a start whose tables are up to date does not load Alembic."""
    newest = ScriptDirectory.from_config(migration_config()).get_current_head()
    open_store(tmp_path).dispose()
    assert store_version(EmbeddedStore(tmp_path)) == (newest, newest)


def test_the_migrations_can_be_undone(store_kind, tmp_path):
    """Nothing is left but the table of versions, and what the full-text table left in SQLite."""
    engine = store_kind.open(tmp_path)
    with engine.begin() as connection:
        config = migration_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
        command.upgrade(config, "head")
        context = MigrationContext.configure(connection, opts={"include_name": is_ours})
        assert compare_metadata(context, METADATA) == []
    engine.dispose()


@pytest.mark.postgres
def test_postgresql_compares_texts_by_their_bytes(databases, tmp_path):
    """As SQLite does, whatever the collation of the database; versions are compared by nobody."""
    with connected(databases.migrated(), tmp_path) as connection:
        others = text(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public'"
            " AND data_type IN ('text', 'character varying')"
            " AND collation_name IS DISTINCT FROM 'C'"
        )
        assert connection.execute(others).scalars().all() == ["alembic_version"]


def test_an_evaluation_is_written_again_in_an_hour_that_is_not_added_up_yet(store_kind, tmp_path):
    """The upsert fires triggers that note the hour: noted already, it stays noted once."""
    with connected(store_kind, tmp_path) as connection:
        put_unit(connection, 1)
        assert stale_hours(connection) == [("default", 0)]
        for label in ("pass", "fail"):
            StoreWriter(connection).put_evaluations([Evaluated(1, "ex", "1", label, "engine", 1)])
        assert stale_hours(connection) == [("default", 0)]


def put_unit(connection, unit_id, *, occurred_ns=1, payload=None):
    row = {
        "workspace": "default",
        "trace_id": f"{unit_id:032x}",
        "span_id": "b",
        "source": "unit",
        "service_name": "",
        "environment": "",
        "workflow": "",
        "occurred_ns": occurred_ns,
        "received_ns": occurred_ns,
        "state": "done",
        "state_ns": 1,
    }
    connection.execute(insert(UNIT).values(id=unit_id, payload=payload, **row))


def stale_hours(connection):
    return [tuple(row) for row in connection.execute(select(STALE_HOUR).order_by(*STALE_HOUR.c))]


def test_every_change_of_a_request_notes_its_hour(store_kind, tmp_path):
    """By whichever statement; changes that no sum depends on note nothing."""
    hours = {1: 0, 2: 3, 3: 3, 4: 7}
    with connected(store_kind, tmp_path) as connection:
        for unit_id, hour in hours.items():
            put_unit(connection, unit_id, occurred_ns=hour * HOUR_NS)
        writer = StoreWriter(connection)
        writer.put_evaluations([Evaluated(3, "ex", "1", "pass", "engine", 1)])

        def noted_by(statement):
            connection.execute(delete(STALE_HOUR))
            connection.execute(statement)
            return [hour for _, hour in stale_hours(connection)]

        of = {"ex": EVALUATION.c.metric == "ex", "first": UNIT.c.id == 1, "third": UNIT.c.id == 3}
        assert noted_by(update(UNIT).values(state="running")) == []
        assert noted_by(update(UNIT).values(verdict="ok")) == [0, 3, 7]
        assert noted_by(update(UNIT).where(of["first"]).values(occurred_ns=9 * HOUR_NS)) == [0, 9]
        assert noted_by(update(EVALUATION).where(of["ex"]).values(label="fail")) == [3]
        assert noted_by(update(EVALUATION).values(emitted_ns=1)) == []
        assert noted_by(delete(EVALUATION)) == [3]
        assert noted_by(delete(UNIT).where(UNIT.c.id > 1)) == [3, 7]


def test_what_was_derived_from_a_payload_expires_with_it(store_kind, tmp_path):
    """Search finds it no more; the failure stays, without the name that was invented."""
    with connected(store_kind, tmp_path) as connection:
        put_unit(connection, 1, payload=b"said")
        connection.execute(update(UNIT).values(conversation="c", question_key=2))
        key = UnitKey("default", f"{1:032x}", "b")
        names = (InventedName("table", "totals", "total"), InventedName("column", "id", None))
        found = Searchable(key, "unit", "How much?", "SELECT 1", is_failed=True, names=names)
        SearchWriter(connection).put([found], Stored([UNIT_ROW._replace(**key._asdict())], []))
        wanted = RequestFilter(workspace="default", searched="much")
        assert wanted.resolved(connection).among == (1,)
        connection.execute(update(UNIT).values(payload=None))
        assert wanted.resolved(connection).among == ()
        columns = [FAILURE.c[name] for name in ("number", "name", "kind", "suggestion")]
        assert connection.execute(select(*columns)).all() == [(0, "", "", None)]
        assert connection.execute(select(UNIT.c.conversation, UNIT.c.question_key)).all() == [
            (None, None)
        ]


SEARCHES = {
    "total": {1, 2, 3},
    "TOTAL": {1, 2, 3},
    "sum total": {1},
    "orders.total": {1},
    "total.orders": {3},
    "total_2": {2},
    "café": {2},
    "cafe": {2},
    "CAFÉ": {2},
    "2": {2},
    "tot": set(),
    "tail-end": set(),
    "many select": {1},
    "many.select": set(),
    '"': set(),
    "' OR total": set(),
    "'orders'": {1, 3},
    "& | !": set(),
    "- total": {1, 2, 3},
    "Größe": {3},
    "größe": {3},
    "北京": {3},
    "": set(),
}


def test_a_search_finds_the_same_in_both_stores(store_kind, tmp_path):
    """Words without case and accents, phrases where punctuation joins words, nothing across texts."""
    texts = {
        1: ("How many", "SELECT sum(orders.total) FROM orders"),
        2: ("Un Café total", "SELECT total_2, 'tail' FROM t -- end"),
        3: ("Größe in 北京?", "SELECT total.orders FROM total"),
        4: ("NUL \0 inside", ""),
    }
    with connected(store_kind, tmp_path) as connection:
        for unit_id, (question, sql) in texts.items():
            put_unit(connection, unit_id)
            key = UnitKey("default", f"{unit_id:032x}", "b")
            found = Searchable(key, "unit", question, sql, is_failed=False, names=())
            SearchWriter(connection).put([found], Stored([UNIT_ROW._replace(**key._asdict())], []))

        def found_by(searched):
            wanted = RequestFilter(workspace="default", searched=searched)
            return set(wanted.resolved(connection).among)

        assert {searched: found_by(searched) for searched in SEARCHES} == SEARCHES


def test_a_very_long_text_is_searched_by_its_beginning(store_kind, tmp_path):
    """PostgreSQL limits words, positions and the size of what it searches: nothing is rejected."""
    words = " ".join(f"word{number}" for number in range(200_000))
    with connected(store_kind, tmp_path) as connection:
        put_unit(connection, 1)
        key = UnitKey("default", f"{1:032x}", "b")
        found = Searchable(key, "unit", "x" * 3000 + " " + words, words, is_failed=False, names=())
        SearchWriter(connection).put([found], Stored([UNIT_ROW._replace(**key._asdict())], []))
        wanted = RequestFilter(workspace="default", searched="word7 word8")
        assert wanted.resolved(connection).among == (1,)


def test_transactions_of_two_processes_that_write_wait_for_each_other(tmp_path, store_kind):
    """A command beside the collector: what one has read is not outdated when it writes."""
    engines = [store_kind.open(tmp_path) for _ in range(2)]
    ours, others = map(Store, engines)
    theirs = Erasure("theirs", "user", "default", 1)

    def write() -> None:
        with others.writing() as writer:
            writer.erasures.add([theirs])

    other = threading.Thread(target=write)
    with ours.writing() as writer:
        assert writer.erasures.latest_ns() == 0
        other.start()
        other.join(0.5)
        writer.erasures.add([theirs._replace(digest="ours")])
    other.join()
    with ours.writing() as writer:
        assert writer.erasures.latest_ns() == 1
    for engine in engines:
        engine.dispose()


def test_opening_again_changes_nothing(tmp_path):
    """A store at the newest version is opened as it is, and not copied."""
    for _ in range(2):
        open_store(tmp_path).dispose()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_the_store_is_for_its_owner_only(tmp_path):
    """It holds raw questions and SQL."""
    open_store(tmp_path).dispose()
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


@pytest.mark.parametrize("is_compatible", [False, True])
def test_a_newer_store_is_used_only_if_it_is_compatible(is_compatible, tmp_path, store_kind):
    """Old and new collectors work side by side during an update; else it is one sentence."""
    newest = ScriptDirectory.from_config(migration_config()).get_current_head()
    oldest = newest if is_compatible else "9998"
    engine = store_kind.open(tmp_path)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        connection.execute(text("ALTER TABLE unit ADD COLUMN invented INTEGER DEFAULT 1"))
        connection.execute(update(COMPATIBILITY).values(oldest_revision=oldest))
    if not is_compatible:
        with pytest.raises(ConfigError, match=r"written by a newer sqlobs \(table version 9999"):
            store_kind.open(tmp_path)
    else:
        again = store_kind.open(tmp_path)
        with again.begin() as connection:
            put_unit(connection, 1, occurred_ns=1)
        again.dispose()
    with engine.connect() as connection:
        version = connection.execute(text("SELECT version_num FROM alembic_version"))
        assert version.scalar_one() == "9999"
    engine.dispose()


def test_an_older_store_is_copied_before_it_is_migrated(tmp_path, monkeypatch):
    """The copy holds what the older version knew."""
    versions = tmp_path / "migrations"
    (versions / "versions").mkdir(parents=True)
    shipped = database.MIGRATIONS
    newest = ScriptDirectory(str(shipped)).get_current_head()
    for path in (shipped / "env.py", *shipped.glob("versions/r*.py")):
        (versions / path.relative_to(shipped)).write_text(path.read_text())
    open_store(tmp_path).dispose()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute(
            "INSERT INTO journal VALUES (x'01', 7, 6, 5, 4, 3, 2, 1, 'web-1', 'disk_full', 9)"
        )
        connection.commit()
    (versions / "versions" / "r9999_note.py").write_text(
        "import sqlalchemy as sa\n"
        "from alembic import op\n"
        f"revision, down_revision = '9999', '{newest}'\n"
        "def upgrade():\n"
        "    op.add_column('journal', sa.Column('note', sa.Text()))\n"
    )
    monkeypatch.setattr(database, "MIGRATIONS", versions)
    open_store(tmp_path).dispose()
    select, row = "SELECT * FROM journal", (b"\1", 7, 6, 5, 4, 3, 2, 1, "web-1", "disk_full", 9)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute(select).fetchall() == [(*row, None)]
    with closing(sqlite3.connect(tmp_path / "store.before-9999.sqlite")) as connection:
        assert connection.execute(select).fetchall() == [row]


def test_a_file_that_is_not_a_database_gives_one_error_sentence(tmp_path):
    """The message names the file."""
    (tmp_path / FILE_NAME).write_text("not a database, but long enough to look like a file")
    with pytest.raises(ConfigError, match=r"store\.sqlite cannot be opened"):
        open_store(tmp_path)


@pytest.mark.postgres
def test_a_session_compiles_nothing_and_keeps_the_settings_of_its_address(databases, tmp_path):
    """Compiling takes seconds where a large store's statement takes a tenth of one.

    Starting processes for a statement that takes milliseconds makes it slower, too.
    """
    url = f"{databases.migrated().url}?options=-c%20statement_timeout%3D7s%20-c%20work_mem%3D5MB"
    engine = open_store(place_of(tmp_path, url))
    names = ("jit", "parallel_setup_cost", "statement_timeout", "work_mem")
    with engine.connect() as connection:
        found = [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in names]
    engine.dispose()
    assert found == ["off", "10000", "7s", "5MB"]
