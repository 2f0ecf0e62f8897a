"""Several processes share the work: who has taken which unit and question."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, the index of the queue, and the tables."""
    op.add_column("unit", sa.Column("priority", sa.Integer(), nullable=False, server_default="2"))
    op.add_column("unit", sa.Column("worker", TEXT))
    op.create_index(
        "ix_unit_queue",
        "unit",
        ["workspace", "priority", "received_ns"],
        sqlite_where=sa.text("state = 'queued'"),
        postgresql_where=sa.text("state = 'queued'"),
    )
    op.add_column("enquiry", sa.Column("worker", TEXT))
    op.create_index(
        "ix_enquiry_begun",
        "enquiry",
        ["begun_ns"],
        sqlite_where=sa.text("begun_ns IS NOT NULL"),
        postgresql_where=sa.text("begun_ns IS NOT NULL"),
    )
    op.create_table(
        "worker",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("seen_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker")),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("worker")
    op.drop_index("ix_enquiry_begun", "enquiry")
    op.drop_column("enquiry", "worker")
    op.drop_index("ix_unit_queue", "unit")
    op.drop_column("unit", "worker")
    op.drop_column("unit", "priority")
