from __future__ import annotations

import sqlite3
import stat
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from sqlobs.errors import ConfigError
from sqlobs_collector.store import database
from sqlobs_collector.store.database import FILE_NAME, migration_config, open_store
from sqlobs_collector.store.tables import METADATA, REQUEST_TEXT


def is_ours(name, kind, _):
    """Return whether SQLAlchemy knows a table: not the full-text table and its parts."""
    return kind != "table" or not name.startswith(REQUEST_TEXT)


def test_the_migrations_make_the_tables_that_the_code_uses(tmp_path):
    """No difference between the migrated store and the metadata, in either direction."""
    engine = open_store(tmp_path)
    with engine.connect() as connection:
        options = {"compare_type": True, "include_name": is_ours}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, METADATA) == []
    engine.dispose()


def test_an_evaluation_is_written_again_in_an_hour_that_is_not_added_up_yet(tmp_path):
    """The upsert fires triggers that note the hour: noted already, it stays noted once."""
    open_store(tmp_path).dispose()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute(
            "INSERT INTO unit (id, workspace, trace_id, span_id, source, occurred_ns, received_ns,"
            " service_name, environment, workflow, head_probability, probability, state, state_ns)"
            " VALUES (1, 'default', 'a', 'b', 'unit', 1, 1, '', '', '', 1.0, 1.0, 'done', 1)"
        )
        for label in ("pass", "fail"):
            connection.execute(
                "INSERT INTO evaluation (unit_id, metric, version, label, kind, stands_in,"
                " created_ns) VALUES (1, 'ex', '1', ?, 'engine', 0, 1)"
                " ON CONFLICT (unit_id, metric, version) DO UPDATE SET label = excluded.label",
                (label,),
            )
        assert connection.execute("SELECT * FROM stale_hour").fetchall() == [("default", 0)]


def test_opening_again_changes_nothing(tmp_path):
    """A store at the newest version is opened as it is, and not copied."""
    for _ in range(2):
        open_store(tmp_path).dispose()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_the_store_is_for_its_owner_only(tmp_path):
    """It holds raw questions and SQL."""
    open_store(tmp_path).dispose()
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


def test_a_store_of_a_newer_version_is_not_changed(tmp_path):
    """One sentence instead of a guess."""
    open_store(tmp_path).dispose()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(ConfigError, match=r"written by a newer sqlobs \(table version 9999"):
        open_store(tmp_path)


def test_an_older_store_is_copied_before_it_is_migrated(tmp_path, monkeypatch):
    """The copy holds what the older version knew."""
    versions = tmp_path / "migrations"
    (versions / "versions").mkdir(parents=True)
    shipped = database.Path(database.__file__).parent / "migrations"
    newest = ScriptDirectory(str(shipped)).get_current_head()
    for path in (shipped / "env.py", *shipped.glob("versions/r*.py")):
        (versions / path.relative_to(shipped)).write_text(path.read_text())
    open_store(tmp_path).dispose()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("INSERT INTO journal VALUES (x'01', 7, 6, 5, 4, 3)")
        connection.commit()
    (versions / "versions" / "next.py").write_text(
        "import sqlalchemy as sa\n"
        "from alembic import op\n"
        f"revision, down_revision = 'next', '{newest}'\n"
        "def upgrade():\n"
        "    op.add_column('journal', sa.Column('note', sa.Text()))\n"
    )

    def config():
        found = migration_config()
        found.set_main_option("script_location", str(versions))
        return found

    monkeypatch.setattr(database, "migration_config", config)
    open_store(tmp_path).dispose()
    select = "SELECT * FROM journal"
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute(select).fetchall() == [(b"\1", 7, 6, 5, 4, 3, None)]
    with closing(sqlite3.connect(tmp_path / "store.before-next.sqlite")) as connection:
        assert connection.execute(select).fetchall() == [(b"\1", 7, 6, 5, 4, 3)]


def test_a_file_that_is_not_a_database_gives_one_error_sentence(tmp_path):
    """The message names the file."""
    (tmp_path / FILE_NAME).write_text("not a database, but long enough to look like a file")
    with pytest.raises(ConfigError, match=r"store\.sqlite cannot be opened"):
        open_store(tmp_path)
