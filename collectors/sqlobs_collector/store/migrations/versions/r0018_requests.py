"""What lists, groups and searches of requests read: failures, texts, saved views.

Triggers keep it in step with the units: what was derived from a payload expires with it, whichever
statement removes it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

from sqlobs_collector.store.portable import ROW_ID, TEXT
from sqlobs_collector.store.searchable import SearchWriter
from sqlobs_collector.store.systems import system_of

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_WHO = ("model", "prompt_version", "workflow", "tenant", "service_version", "environment")
_SQLITE = {
    "unit_text_deleted": """
        AFTER DELETE ON unit BEGIN
            DELETE FROM request_text WHERE rowid = OLD.id;
        END""",
    "unit_text_expired": """
        AFTER UPDATE OF payload ON unit WHEN NEW.payload IS NULL BEGIN
            DELETE FROM request_text WHERE rowid = OLD.id;
            DELETE FROM failure WHERE unit_id = OLD.id AND number > 0;
            UPDATE failure SET name = '', kind = '', suggestion = NULL WHERE unit_id = OLD.id;
            UPDATE unit SET conversation = NULL, question_key = NULL WHERE id = OLD.id;
        END""",
}
# A text's row goes with its unit by its foreign key.
_POSTGRESQL = """
    CREATE FUNCTION unit_text_expired() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        DELETE FROM request_text WHERE rowid = OLD.id;
        DELETE FROM failure WHERE unit_id = OLD.id AND number > 0;
        UPDATE failure SET name = '', kind = '', suggestion = NULL WHERE unit_id = OLD.id;
        NEW.conversation := NULL;
        NEW.question_key := NULL;
        RETURN NEW;
    END $$;
    CREATE TRIGGER unit_text_expired BEFORE UPDATE OF payload ON unit
    FOR EACH ROW WHEN (NEW.payload IS NULL) EXECUTE FUNCTION unit_text_expired();
"""


def upgrade() -> None:
    """Make them, and fill them from the units that are stored."""
    op.add_column("unit", sa.Column("conversation", TEXT, nullable=True))
    op.add_column("unit", sa.Column("question_key", sa.BigInteger(), nullable=True))
    is_known = sa.text("conversation IS NOT NULL")
    op.create_index(
        "ix_unit_conversation",
        "unit",
        ("workspace", "conversation", "occurred_ns"),
        sqlite_where=is_known,
        postgresql_where=is_known,
    )
    op.create_index("ix_evaluation_result", "evaluation", ("metric", "label", "unit_id"))
    _make_failures()
    _make_decisions()
    system = system_of(op.get_bind())
    system.either(sqlite=_make_texts_in_sqlite, postgresql=_make_texts_in_postgresql)()
    SearchWriter(op.get_bind()).derive_all()


def downgrade() -> None:
    """Drop them."""
    system = system_of(op.get_bind())
    system.either(sqlite=_drop_triggers_in_sqlite, postgresql=_drop_triggers_in_postgresql)()
    for table in ("request_text", "saved_view", "failure_group", "failure"):
        op.drop_table(table)
    op.drop_index("ix_evaluation_result", "evaluation")
    op.drop_index("ix_unit_conversation", "unit")
    with op.batch_alter_table("unit") as unit:
        unit.drop_column("question_key")
        unit.drop_column("conversation")


def _make_texts_in_sqlite() -> None:
    op.execute("CREATE VIRTUAL TABLE request_text USING fts5(question, sql)")
    for name, body in _SQLITE.items():
        op.execute(f"CREATE TRIGGER {name} {body}")


def _make_texts_in_postgresql() -> None:
    op.create_table(
        "request_text",
        sa.Column("rowid", ROW_ID, nullable=False, autoincrement=False),
        sa.Column("words", TSVECTOR(), nullable=False),
        sa.ForeignKeyConstraint(
            ["rowid"], ["unit.id"], name=op.f("fk_request_text_rowid_unit"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("rowid", name=op.f("pk_request_text")),
    )
    op.create_index("ix_request_text_words", "request_text", ["words"], postgresql_using="gin")
    op.execute(_POSTGRESQL)


def _drop_triggers_in_sqlite() -> None:
    for name in _SQLITE:
        op.execute(f"DROP TRIGGER {name}")


def _drop_triggers_in_postgresql() -> None:
    op.execute("DROP FUNCTION unit_text_expired CASCADE")


def _make_failures() -> None:
    op.create_table(
        "failure",
        sa.Column("unit_id", ROW_ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("failure_code", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("suggestion", TEXT, nullable=True),
        sa.Column("occurred_ns", sa.BigInteger(), nullable=False),
        *(sa.Column(name, TEXT, nullable=False) for name in (*_WHO, "service_name")),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["unit.id"], name=op.f("fk_failure_unit_id_unit"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("unit_id", "number", name=op.f("pk_failure")),
    )
    op.create_index(
        "ix_failure_group",
        "failure",
        (
            *("workspace", "failure_code", "name", "model", "prompt_version", "occurred_ns"),
            *("workflow", "tenant", "service_version", "environment", "service_name", "kind"),
        ),
    )
    op.create_index("ix_failure_name", "failure", ("workspace", "name", "occurred_ns"))


def _make_decisions() -> None:
    key = ("workspace", "failure_code", "name", "model", "prompt_version")
    op.create_table(
        "failure_group",
        *(sa.Column(name, TEXT, nullable=False) for name in key),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("assignee", TEXT, nullable=True),
        sa.Column("note", TEXT, nullable=True),
        sa.Column("changed_ns", sa.BigInteger(), nullable=False),
        sa.Column("changed_by", TEXT, nullable=True),
        sa.PrimaryKeyConstraint(*key, name=op.f("pk_failure_group")),
    )
    op.create_table(
        "saved_view",
        sa.Column("workspace", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("query", TEXT, nullable=False),
        sa.Column("created_ns", sa.BigInteger(), nullable=False),
        sa.Column("created_by", TEXT, nullable=True),
        sa.PrimaryKeyConstraint("workspace", "name", name=op.f("pk_saved_view")),
    )
