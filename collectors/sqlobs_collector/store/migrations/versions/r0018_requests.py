"""What lists, groups and searches of requests read: failures, texts, sums by day, saved views.

Triggers keep what is derived from units: sums follow every insert, change and deletion, and what
was derived from a payload expires with it, whichever statement removes it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.searchable import SearchWriter

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_LISTED = (
    *("workspace", "occurred_ns", "workflow", "model", "prompt_version", "tenant"),
    *("service_version", "environment", "service_name", "outcome", "verdict", "failure_code"),
    *("first_verdict", "syntactic", "schematic", "hallucinated", "first_hallucinated"),
    *("head_probability", "probability", "provenance"),
)
_PARTIAL = {
    "ix_unit_failed": (("workspace", "occurred_ns", "question_key"), "verdict = 'failed'"),
    "ix_unit_question": (
        ("workspace", "question_key", "occurred_ns"),
        "question_key IS NOT NULL",
    ),
    "ix_unit_conversation": (
        ("workspace", "conversation", "occurred_ns"),
        "conversation IS NOT NULL",
    ),
}
_WHO = ("model", "prompt_version", "workflow", "tenant", "service_version", "environment")
_WORDS = (
    *("workflow", "model", "prompt_version", "service_version", "environment"),
    *("service_name", "outcome", "verdict", "failure_code", "first_verdict"),
)
_FLAGS = ("syntactic", "schematic", "hallucinated", "first_hallucinated")
_DAY_KEY = ("workspace", "day", *_WORDS, *_FLAGS)


def _day_of(row: str) -> str:
    """Return the expressions of a unit's key in `unit_day`; `row` is `OLD.`, `NEW.` or empty."""
    words = (f"coalesce({row}{name}, '')" for name in _WORDS)
    flags = (f"coalesce({row}{name}, -1)" for name in _FLAGS)
    return ", ".join([f"{row}workspace", f"{row}occurred_ns / 86400000000000", *words, *flags])


def _add(row: str) -> str:
    weight = f"1.0 / {row}head_probability"
    return f"""
        INSERT INTO unit_day ({", ".join(_DAY_KEY)}, requests, weight, weight_squared)
        SELECT {_day_of(row)}, 1, coalesce({weight}, 0), coalesce({weight} * {weight}, 0)
        WHERE {row}provenance = 'live'
        ON CONFLICT ({", ".join(_DAY_KEY)}) DO UPDATE SET requests = requests + 1,
            weight = weight + excluded.weight,
            weight_squared = weight_squared + excluded.weight_squared;"""


def _remove(row: str) -> str:
    weight = f"1.0 / {row}head_probability"
    where = f"({', '.join(_DAY_KEY)}) = ({_day_of(row)}) AND {row}provenance = 'live'"
    return f"""
        UPDATE unit_day SET requests = requests - 1,
            weight = weight - coalesce({weight}, 0),
            weight_squared = weight_squared - coalesce({weight} * {weight}, 0)
        WHERE {where};
        DELETE FROM unit_day WHERE {where} AND requests < 1;"""  # noqa: S608 - no input


_FILL_DAYS = f"""
    INSERT INTO unit_day ({", ".join(_DAY_KEY)}, requests, weight, weight_squared)
    SELECT {_day_of("")}, count(*), coalesce(sum(1.0 / head_probability), 0),
        coalesce(sum(1.0 / head_probability / head_probability), 0)
    FROM unit WHERE provenance = 'live'
    GROUP BY {", ".join(str(place + 1) for place in range(len(_DAY_KEY)))}"""  # noqa: S608 - no input
_TRIGGERS = {
    "unit_day_added": f"AFTER INSERT ON unit BEGIN {_add('NEW.')} END",
    "unit_day_removed": f"AFTER DELETE ON unit BEGIN {_remove('OLD.')} END",
    "unit_day_changed": f"""
        AFTER UPDATE OF occurred_ns, {", ".join((*_WORDS, *_FLAGS))}, head_probability, provenance
        ON unit BEGIN {_remove("OLD.")} {_add("NEW.")} END""",
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


def upgrade() -> None:
    """Make them, and fill them from the units that are stored."""
    op.add_column("unit", sa.Column("conversation", sa.Text(), nullable=True))
    op.add_column("unit", sa.Column("question_key", sa.BigInteger(), nullable=True))
    op.create_index("ix_unit_listed", "unit", _LISTED)
    for name, (columns, condition) in _PARTIAL.items():
        op.create_index(
            name,
            "unit",
            columns,
            sqlite_where=sa.text(condition),
            postgresql_where=sa.text(condition),
        )
    op.create_index("ix_evaluation_result", "evaluation", ("metric", "label", "unit_id"))
    _make_failures()
    _make_decisions()
    _make_days()
    op.execute("CREATE VIRTUAL TABLE request_text USING fts5(question, sql)")
    for name, body in _TRIGGERS.items():
        op.execute(f"CREATE TRIGGER {name} {body}")
    op.execute(_FILL_DAYS)
    SearchWriter(op.get_bind()).derive_all()


def downgrade() -> None:
    """Drop them."""
    for name in _TRIGGERS:
        op.execute(f"DROP TRIGGER {name}")
    for table in ("request_text", "saved_view", "failure_group", "failure", "unit_day"):
        op.drop_table(table)
    op.drop_index("ix_evaluation_result", "evaluation")
    for name in ("ix_unit_listed", *_PARTIAL):
        op.drop_index(name, "unit")
    with op.batch_alter_table("unit") as unit:
        unit.drop_column("question_key")
        unit.drop_column("conversation")


def _make_failures() -> None:
    op.create_table(
        "failure",
        sa.Column("unit_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("failure_code", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("suggestion", sa.Text(), nullable=True),
        sa.Column("occurred_ns", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in (*_WHO, "service_name")),
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
        *(sa.Column(name, sa.Text(), nullable=False) for name in key),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("assignee", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("changed_ns", sa.BigInteger(), nullable=False),
        sa.Column("changed_by", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint(*key, name=op.f("pk_failure_group")),
    )
    op.create_table(
        "saved_view",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("created_ns", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("workspace", "name", name=op.f("pk_saved_view")),
    )


def _make_days() -> None:
    op.create_table(
        "unit_day",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in _WORDS),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in _FLAGS),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("weight_squared", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint(*_DAY_KEY, name=op.f("pk_unit_day")),
        sqlite_with_rowid=False,
    )
