"""The applications' metrics, of which each receiver gets a part."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "sdk_series",
        sa.Column("workspace", TEXT, primary_key=True),
        sa.Column("metric", TEXT, primary_key=True),
        sa.Column("labels", TEXT, primary_key=True),
        sa.Column("state", TEXT, nullable=True),
        sa.Column("seen_ms", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_sdk_series_seen_ms", "sdk_series", ["seen_ms"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("sdk_series")
