"""What statements on a target cost, by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "target_usage",
        sa.Column("day", TEXT, nullable=False),
        sa.Column("target", TEXT, nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("day", "target", name=op.f("pk_target_usage")),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("target_usage")
