"""What the judge is to be asked, and what it has used."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import ROW_ID, TEXT

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "enquiry",
        sa.Column("unit_id", ROW_ID, nullable=False),
        sa.Column("metric", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("question", sa.LargeBinary(), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.Column("queued_ns", sa.BigInteger(), nullable=False),
        sa.Column("due_ns", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("begun_ns", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["unit.id"], name=op.f("fk_enquiry_unit_id_unit"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("unit_id", "metric", name=op.f("pk_enquiry")),
    )
    op.create_index(op.f("ix_enquiry_due_ns"), "enquiry", ["due_ns"], unique=False)
    op.create_table(
        "budget",
        sa.Column("period", TEXT, nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("micro_usd", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("period", name=op.f("pk_budget")),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("budget")
    op.drop_table("enquiry")
