"""Which collectors can use the tables, so that old and new ones run side by side."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sqlobs_collector.store.portable import TEXT

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table with its one row."""
    table = op.create_table("compatibility", sa.Column("oldest_revision", TEXT, nullable=False))
    op.bulk_insert(table, [{"oldest_revision": "0025"}])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("compatibility")
