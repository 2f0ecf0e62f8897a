"""Requests by workspace and hour of their receipt, for quotas."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "intake",
        sa.Column("workspace", TEXT, primary_key=True),
        sa.Column("hour", sa.BigInteger(), primary_key=True),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False, server_default=sa.text("0"))
            for name in ("accepted", "always", "refused", "judgeable")
        ),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("intake")
