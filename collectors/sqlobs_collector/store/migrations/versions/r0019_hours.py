"""Duration and cost of requests, and sums by hour, so that rates over time read few rows.

Triggers note which hours have changed, whichever statement changes a unit.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_HOUR_NS = 3600 * 10**9
_NOTE = "INSERT OR IGNORE INTO stale_hour (workspace, hour) VALUES ({row}.workspace, {hour});"
_COUNTED = (
    *("workspace", "occurred_ns", "environment", "service_version", "workflow", "tenant", "model"),
    *("prompt_version", "outcome", "verdict", "first_verdict", "syntactic", "schematic"),
    *("hallucinated", "first_hallucinated", "head_probability", "provenance", "duration_s"),
    "cost_usd",
)
_LISTED = (
    *("workspace", "occurred_ns", "workflow", "model", "prompt_version", "tenant"),
    *("service_version", "environment", "service_name", "outcome", "verdict", "failure_code"),
    *("first_verdict", "syntactic", "schematic", "hallucinated", "first_hallucinated"),
    *("head_probability", "probability", "provenance"),
)
_AMOUNTS = ("duration_s", "cost_usd")
_SAID = (
    *("outcome", "verdict", "first_verdict"),
    *("syntactic", "schematic", "hallucinated", "first_hallucinated"),
)


def upgrade() -> None:
    """Make them; every hour with units is stale."""
    op.add_column("unit", sa.Column("duration_s", sa.Float(), nullable=True))
    op.add_column("unit", sa.Column("cost_usd", sa.Float(), nullable=True))
    op.drop_index("ix_unit_listed", "unit")
    op.create_index("ix_unit_listed", "unit", (*_LISTED, *_AMOUNTS))
    op.create_table(
        "unit_hour",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("workspace", "dimension")),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=True) for name in _SAID[:3]),
        *(sa.Column(name, sa.Boolean(), nullable=True) for name in _SAID[3:]),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Float(), nullable=True) for name in ("weight", "weight_squared")),
        sa.Column("cost_usd", sa.Float(), nullable=True),
    )
    op.create_index("ix_unit_hour", "unit_hour", ("workspace", "dimension", "hour"))
    op.create_table(
        "latency_hour",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("workspace", "dimension")),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("bucket", sa.Integer(), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_latency_hour", "latency_hour", ("workspace", "dimension", "hour"))
    op.create_table(
        "stale_hour",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "hour", name=op.f("pk_stale_hour")),
    )
    _note_changes()


def downgrade() -> None:
    """Drop them."""
    for name in ("added", "changed", "removed"):
        op.execute(f"DROP TRIGGER unit_hour_{name}")
    for name in ("stale_hour", "latency_hour", "unit_hour"):
        op.drop_table(name)
    op.drop_index("ix_unit_listed", "unit")
    op.create_index("ix_unit_listed", "unit", _LISTED)
    for name in _AMOUNTS:  # in place: a copy of the table would lose its triggers
        op.execute(f"ALTER TABLE unit DROP COLUMN {name}")


def _note_changes() -> None:
    new, old = (
        _NOTE.format(row=row, hour=f"{row}.occurred_ns / {_HOUR_NS}") for row in ("NEW", "OLD")
    )
    op.execute(f"CREATE TRIGGER unit_hour_added AFTER INSERT ON unit BEGIN {new} END")
    changed = ", ".join(_COUNTED)
    op.execute(
        f"CREATE TRIGGER unit_hour_changed AFTER UPDATE OF {changed} ON unit BEGIN {old} {new} END"
    )
    op.execute(f"CREATE TRIGGER unit_hour_removed AFTER DELETE ON unit BEGIN {old} END")
    hour = f"occurred_ns / {_HOUR_NS}"
    op.execute(f"INSERT INTO stale_hour SELECT DISTINCT workspace, {hour} FROM unit")  # noqa: S608 - a constant
